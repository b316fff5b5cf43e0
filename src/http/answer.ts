/** The shapes of answers: the success envelope (§2.1), the error body (part 7). */

import { isoUtc } from '../base/iso.js'
import type { Respond } from '../core/webhooks/faults.js'
import { ApiError, type ErrorDetails, errorBody } from '../protocol/platform/errors.js'
import { answerHeaders } from '../protocol/platform/headers.js'
import { damageOf } from '../store/stored-json.js'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  errorCode: string | null
}

const json = { 'Content-Type': 'application/json; charset=utf-8' }

/** `{success, data, request_id, timestamp}`: every time in a body is business time (decision 5). */
export function successAnswer(status: number, data: unknown, requestId: string, atMs: number): Answer {
  return {
    status,
    headers: { ...json },
    body: JSON.stringify({ success: true, data, request_id: requestId, timestamp: isoUtc(atMs) }),
    errorCode: null,
  }
}

/** Our own surface, and the token endpoint: the object itself. */
export function plainAnswer(status: number, value: unknown): Answer {
  return { status, headers: { ...json }, body: JSON.stringify(value), errorCode: null }
}

/** Anything that is not an `ApiError` is a fault of the sandbox: 500 INTERNAL_ERROR, told on standard error. */
export function errorAnswer(error: unknown): Answer {
  const known = error instanceof ApiError ? error : (damageOf(error) ?? new ApiError('INTERNAL_ERROR'))
  if (known.code === 'INTERNAL_ERROR') console.error('payments-sandbox: unexpected error', error)
  return {
    status: known.status,
    headers: { ...json, ...headersOf(known.details) },
    body: JSON.stringify(errorBody(known)),
    errorCode: known.code,
  }
}

/** What the details say that HTTP has a header for. */
function headersOf({ retry_after: seconds, allow }: ErrorDetails): Record<string, string> {
  return {
    ...(typeof seconds === 'number' ? { [answerHeaders.retryAfter]: String(seconds) } : {}),
    ...(Array.isArray(allow) ? { [answerHeaders.allow]: allow.join(', ') } : {}),
  }
}

/** What a scenario answers in a call's place; null: nothing, the connection will be gone. */
export function insteadAnswer(respond: Respond | null): Answer {
  if (respond === null) return { status: 0, headers: { ...json }, body: '', errorCode: null }
  const { status, code, details } = respond
  return {
    status,
    headers: { ...json, ...headersOf(details) },
    body: JSON.stringify(errorBody(respond)),
    errorCode: code,
  }
}

export function toResponse(answer: Answer, requestId: string): Response {
  return new Response(answer.body, {
    status: answer.status,
    headers: { [answerHeaders.requestId]: requestId, ...answer.headers },
  })
}
