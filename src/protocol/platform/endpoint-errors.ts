/** All errors that an endpoint can answer with: its own, and those of the checks before it (decisions, order of checks). */
import type { Endpoint } from './endpoints.js'
import type { ErrorCode } from './errors.js'

/** Checked before everything else: foreign pages and hosts are rejected, a workspace must exist, and a hosted one has a quota. */
const entryErrors = ['FORBIDDEN_ORIGIN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'] as const
const bearer = ['UNAUTHORIZED', 'TOKEN_EXPIRED', 'CREDENTIAL_INACTIVE'] as const
export const signatureErrors = [
  'MISSING_SIGNATURE',
  'INVALID_TIMESTAMP',
  'REPLAY_DETECTED',
  'INVALID_SIGNATURE',
] as const
const body = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_CONTENT_TYPE', 'INVALID_JSON'] as const
const fault = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const

/** In the order of the checks, without repetition. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const hasBody = endpoint.input === 'json' || endpoint.input === 'multipart'
  return [
    ...new Set<ErrorCode>([
      ...entryErrors,
      ...(endpoint.auth === 'bearer' ? bearer : []),
      ...(endpoint.hmac === true ? signatureErrors : []),
      ...(hasBody ? body : []),
      ...endpoint.errors,
      // Of a field, or of a header that the sandbox adds.
      'INVALID_VALUE',
      ...fault,
    ]),
  ]
}

/** The errors that calls have in common, for the page that describes the platform API. */
export const sharedErrors: readonly { of: string; codes: readonly ErrorCode[] }[] = [
  { of: 'Every call', codes: [...entryErrors, 'INVALID_VALUE', ...fault] },
  { of: 'Calls with a bearer token', codes: bearer },
  { of: 'Signed calls', codes: signatureErrors },
  { of: 'Calls with a body', codes: body },
]
