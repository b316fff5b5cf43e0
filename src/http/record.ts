/** Writes each call of the faked API into the journal, secrets masked; all the work is left to whoever reads it. */
import { isoUtc } from '../base/iso.js'
import type { JournalEntry } from '../core/journal.js'
import type { Workspace } from '../core/workspace.js'
import type { Answer } from './answer.js'
import type { Env } from './host.js'
import type { Trace } from './mount.js'
import type { Received } from './receive.js'

interface Recorded {
  request: Request
  env: Env
  received: Received
  answer: Answer
  requestId: string
  trace: Trace
  startedMs: number
  signed: boolean
}

/** As much of a body as is kept. */
const keptChars = 8192

export function recordCall(
  ws: Workspace,
  { request, env, received, answer, requestId, trace, startedMs }: Recorded,
): void {
  const { method } = request
  const durationMs = ws.clock.wall() - startedMs
  const atMs = ws.clock.now()
  // A view of the bytes would keep a whole upload alive.
  const kept = received.bytes.length > keptChars ? received.bytes.slice(0, keptChars) : received.bytes
  ws.journal.add(
    requestId,
    (): JournalEntry => ({
      request_id: requestId,
      at: isoUtc(atMs),
      method,
      path: env.rawTarget,
      status: answer.status,
      error_code: answer.errorCode,
      duration_ms: durationMs,
      credential: trace.caller?.credential ?? null,
      account: trace.caller?.account ?? null,
      request_body: kept.length === 0 ? null : masked(new TextDecoder().decode(kept)),
      response_body: masked(answer.body.slice(0, keptChars)),
      ...(trace.staged === null ? {} : { scenario: trace.staged.scenario, faults: trace.staged.faults }),
    }),
  )
  ws.bus.publish({
    type: 'request',
    id: requestId,
    method,
    path: env.rawTarget,
    code: answer.status,
    ...(answer.errorCode === null ? {} : { error_code: answer.errorCode }),
  })
}

const secretFields = /("(?:access_token|client_secret|signing_key|webhook_secret)"\s*:\s*")[^"]*"/g

export function masked(text: string): string {
  return text.replace(secretFields, '$1***"')
}
