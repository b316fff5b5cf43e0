/** Every error that an endpoint can answer with: its own, and those that come with its way in (decisions, order of checks). */
import type { Endpoint } from './endpoints.js'
import type { ErrorCode } from './errors.js'

/** Asked before anything else: a foreign page or host is kept out, a workspace must exist, and a hosted one has a quota. */
const guard = ['FORBIDDEN_ORIGIN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'] as const
const bearer = ['UNAUTHORIZED', 'TOKEN_EXPIRED', 'CREDENTIAL_INACTIVE'] as const
const signature = ['MISSING_SIGNATURE', 'INVALID_TIMESTAMP', 'REPLAY_DETECTED', 'INVALID_SIGNATURE'] as const
const body = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_CONTENT_TYPE', 'INVALID_JSON'] as const
const fault = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const

/** In the order in which they are checked, each once. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const hasBody = endpoint.input === 'json' || endpoint.input === 'multipart'
  return [
    ...new Set<ErrorCode>([
      ...guard,
      ...(endpoint.auth === 'bearer' ? bearer : []),
      ...(endpoint.hmac === true ? signature : []),
      ...(hasBody ? body : []),
      ...endpoint.errors,
      ...(endpoint.input === 'none' ? [] : (['INVALID_VALUE'] as const)),
      ...fault,
    ]),
  ]
}
