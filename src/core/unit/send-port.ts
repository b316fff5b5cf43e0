/** The port through which the core sends webhooks: what goes out and what came of it (§6.1, §6.3). */
import type { AttemptOutcome } from '../../protocol/platform/outcomes.js'

/** What goes out: the exact text of the body, every header but Content-Length. */
export interface SendRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** A GET sends no body. POST where absent: webhooks know no other. */
  method?: 'GET' | 'POST'
  /** Sends the body in two parts, as slow or broken networks do. */
  parting?: Parting
}

/** The first part ends before this byte; `pauseMs` later follows the rest, or the connection breaks. */
export interface Parting {
  atByte: number
  pauseMs: number
  end: 'rest' | 'break'
}

/** Of what was sent. */
export type Outcome = Exclude<AttemptOutcome, 'no_url'>

/** `status` and `responseBody` are null when no answer came; `detail` says in words why an outcome is what it is. */
export interface SendResult {
  outcome: Outcome
  status: number | null
  responseBody: string | null
  durationMs: number
  detail: string | null
}

/** How a send goes on, for a caller that has others waiting behind it. */
export interface SendProgress {
  /** Called when what is sent from here on cannot overtake it: it is on a kept connection, or answered on a new one. */
  sent: () => void
  /** Called once when no answer has come within a short while (100 ms). */
  slow: () => void
}

/** Never rejects. */
export type Send = (request: SendRequest, progress?: SendProgress) => Promise<SendResult>
