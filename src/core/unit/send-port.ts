/** The interface through which the core sends webhooks: the request and its result (§6.1, §6.3). */
import type { AttemptOutcome } from '../../protocol/platform/failures.js'

/** The request: the exact text of the body, and every header but Content-Length. */
export interface SendRequest {
  url: string
  headers: Record<string, string>
  body: string
  /** A GET sends no body. Default: POST, the only method for webhooks. */
  method?: 'GET' | 'POST'
  /** Sends the body in two parts, as slow or broken networks do. */
  splitBody?: SplitBody
}

/** The first part ends before byte `atByte`. After `pauseMs` the rest follows, or the connection is closed. */
export interface SplitBody {
  atByte: number
  pauseMs: number
  end: 'rest' | 'break'
}

/** The outcome of a delivery that was sent. */
export type Outcome = Exclude<AttemptOutcome, 'no_url'>

/** `status` and `responseBody` are null without a response; `detail` explains the outcome. */
export interface SendResult {
  outcome: Outcome
  status: number | null
  responseBody: string | null
  durationMs: number
  detail: string | null
}

/** Progress of a send, for a caller that has others waiting behind it. */
export interface SendProgress {
  /** Called when later sends can no longer overtake it: it is sent on an open connection, or answered on a new one. */
  sent: () => void
  /** Called once if there is no response within 100 ms. */
  slow: () => void
}

/** Never rejects. */
export type Send = (request: SendRequest, progress?: SendProgress) => Promise<SendResult>
