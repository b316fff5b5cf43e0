/** The shapes of answers: the success envelope (§2.1), the error body (part 7). */
import { isoUtc } from '../base/iso.js'
import { type Respond, respondBody } from '../core/webhooks/faults.js'
import { ApiError, errorBody } from '../protocol/api/errors.js'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  errorCode: string | null
}

const json = { 'Content-Type': 'application/json; charset=utf-8' }

/** `{success, data, request_id, timestamp}` */
export function successAnswer(status: number, data: unknown, requestId: string, wallMs: number): Answer {
  return {
    status,
    headers: { ...json },
    body: JSON.stringify({ success: true, data, request_id: requestId, timestamp: isoUtc(wallMs) }),
    errorCode: null,
  }
}

/** Our own surface, and the token endpoint: the object itself. */
export function plainAnswer(status: number, value: unknown): Answer {
  return { status, headers: { ...json }, body: JSON.stringify(value), errorCode: null }
}

/** Anything that is not an `ApiError` is a fault of the sandbox: 500 INTERNAL_ERROR, told on standard error. */
export function errorAnswer(error: unknown): Answer {
  const known = error instanceof ApiError ? error : new ApiError('INTERNAL_ERROR')
  if (!(error instanceof ApiError)) console.error('payments-sandbox: unexpected error', error)
  return {
    status: known.status,
    headers: { ...json, ...known.headers },
    body: JSON.stringify(errorBody(known.code, known.message, known.details)),
    errorCode: known.code,
  }
}

/** What a scenario answers in a call's place; null: nothing, the connection will be gone. */
export function insteadAnswer(respond: Respond | null): Answer {
  if (respond === null) return { status: 0, headers: { ...json }, body: '', errorCode: null }
  const { status, code } = respond
  return { status, headers: { ...json }, body: JSON.stringify(respondBody(respond)), errorCode: code }
}

export function toResponse(answer: Answer, requestId: string): Response {
  return new Response(answer.body, { status: answer.status, headers: { ...answer.headers, 'X-Request-Id': requestId } })
}
