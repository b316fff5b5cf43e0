/** All errors of the API: those of interface.md §7, and the codes that the sandbox adds. A new code is one row. */
import { minuteMs, secondMs } from '../../base/duration.js'
import { isKeyOf, keysOf } from '../../base/keys.js'
import { chainsOf, currencyNames } from './currencies.js'
import { type Basis, exampleChargeId } from './emulated-interface.js'
import { requestHeaders } from './headers.js'
import { bodyLimits, externalIdMaxLength, lockoutMs, minutes, rates, signatureWindowMs } from './limits.js'

export const errorGroups = ['auth', 'signature', 'validation', 'limits', 'business', 'system'] as const
type ErrorGroup = (typeof errorGroups)[number]

export interface ErrorRow {
  status: number
  group: ErrorGroup
  message: string
  basis: Basis
  retryable?: true
  /** Typical `details` (default: none). */
  example?: ErrorDetails
}

/** Groups are assumed (interface.md §7 does not show them); `basis` tells whether the code and its status are documented. */
// biome-ignore format: a table, a row a line
export const errorCatalogue = {
  INVALID_CREDENTIALS: { status: 401, group: 'auth', message: 'client_id or client_secret is wrong.', basis: 'spec' },
  IP_BLOCKED_TEMPORARILY: { status: 403, group: 'auth', message: `Too many wrong attempts: this IP is blocked for ${minutes(lockoutMs)}.`, basis: 'spec', retryable: true, example: { retry_after: lockoutMs / secondMs } },
  INVALID_TIMESTAMP: { status: 401, group: 'signature', message: `${requestHeaders.timestamp} must be Unix time in seconds, within ${minutes(signatureWindowMs)} of now.`, basis: 'spec' },
  REPLAY_DETECTED: { status: 401, group: 'signature', message: `${requestHeaders.nonce} was already used within the last ${minutes(signatureWindowMs)}.`, basis: 'spec' },
  INVALID_SIGNATURE: { status: 401, group: 'signature', message: `${requestHeaders.signature} does not match the request.`, basis: 'spec' },
  MISSING_SIGNATURE: { status: 401, group: 'signature', message: `This route requires ${requestHeaders.signature}, ${requestHeaders.timestamp} and ${requestHeaders.nonce}.`, basis: 'spec', example: { missing: [requestHeaders.signature] } },
  MISSING_REQUIRED_FIELD: { status: 400, group: 'validation', message: 'A required field is missing.', basis: 'spec', example: { field: 'amount' } },
  INVALID_AMOUNT: { status: 422, group: 'validation', message: 'The amount is not a valid amount of this currency.', basis: 'spec', example: { field: 'amount', rule: 'must be greater than zero' } },
  INVALID_CURRENCY: { status: 422, group: 'validation', message: 'The currency is not supported.', basis: 'spec', example: { field: 'currency', supported: currencyNames } },
  UNSUPPORTED_CHAIN: { status: 422, group: 'validation', message: 'The chain is not supported for this currency.', basis: 'spec', example: { field: 'chain', supported: chainsOf('USDT') } },
  BELOW_MIN_LIMIT: { status: 409, group: 'limits', message: 'The amount is below the minimum.', basis: 'spec', example: { currency: 'BRL', min_amount: 1 } },
  EXCEEDS_MAX_LIMIT: { status: 409, group: 'limits', message: 'The amount is above the maximum per operation.', basis: 'spec', example: { currency: 'BRL', max_amount: 100000 } },
  LIMIT_EXCEEDED: { status: 409, group: 'limits', message: 'The daily limit is reached.', basis: 'spec', example: { currency: 'BRL', daily_limit: 1000000000, remaining: 20 } },
  DUPLICATE_EXTERNAL_ID: { status: 409, group: 'business', message: 'external_id is already used by another transaction.', basis: 'spec', example: { transaction_id: exampleChargeId } },
  PROVIDER_ERROR: { status: 502, group: 'system', message: 'The payment provider failed. Try again.', basis: 'spec', retryable: true },

  UNAUTHORIZED: { status: 401, group: 'auth', message: 'A valid bearer token is required.', basis: 'assumed', example: { reason: 'missing' } },
  TOKEN_EXPIRED: { status: 401, group: 'auth', message: 'The bearer token has expired. Request a new one.', basis: 'assumed', example: { expired_at: '2026-11-21T15:00:00.000Z' } },
  CREDENTIAL_INACTIVE: { status: 403, group: 'auth', message: 'The credential is not active. An administrator must activate it.', basis: 'assumed', example: { client_id: 'client_sandbox_merchant' } },
  FORBIDDEN_ORIGIN: { status: 403, group: 'auth', message: 'The sandbox does not accept calls for this host or from this origin.', basis: 'assumed', example: { origin: 'https://another.example' } },
  INVALID_JSON: { status: 400, group: 'validation', message: 'The body is not valid JSON.', basis: 'assumed', example: { reason: 'the body must be a JSON object' } },
  UNSUPPORTED_CONTENT_TYPE: { status: 415, group: 'validation', message: 'This route does not support the content type.', basis: 'assumed', example: { received: 'text/plain', accepted: ['application/json'] } },
  PAYLOAD_TOO_LARGE: { status: 413, group: 'validation', message: 'The request is larger than the limit.', basis: 'assumed', example: { max_bytes: bodyLimits.jsonBytes } },
  INVALID_VALUE: { status: 422, group: 'validation', message: 'A field has an invalid value.', basis: 'assumed', example: { field: 'external_id', rule: `must be at most ${externalIdMaxLength} characters` } },
  INVALID_POSTBACK_URL: { status: 422, group: 'validation', message: 'postback_url is not an allowed webhook URL.', basis: 'assumed', example: { field: 'postback_url', rule: 'must be a URL' } },
  INVALID_SPLIT_CONFIG: { status: 422, group: 'validation', message: 'The split does not add up or contains an unknown account.', basis: 'assumed', example: { field: 'split', rule: 'the percentages add up to more than 100' } },
  INSUFFICIENT_BALANCE: { status: 422, group: 'business', message: 'The available balance does not cover the amount and its fee.', basis: 'assumed', example: { currency: 'BRL', available: 10, required: 81 } },
  SELF_TRANSFER_BLOCKED: { status: 422, group: 'business', message: 'An account cannot transfer to itself.', basis: 'assumed', example: { username: 'merchant' } },
  NOT_FOUND: { status: 404, group: 'validation', message: 'Nothing was found at this address.', basis: 'assumed', example: { object: 'dispute', id: '00000000-0000-4000-8000-000000000000' } },
  METHOD_NOT_ALLOWED: { status: 405, group: 'validation', message: 'This address does not support this method.', basis: 'assumed', example: { method: 'GET', allow: ['POST'] } },
  INVALID_TRANSITION: { status: 409, group: 'business', message: 'The state of the object does not allow this.', basis: 'assumed', example: { from: 'responded', action: 'dispute.respond', allowed: ['dispute.win', 'dispute.lose'] } },
  CONFLICT: { status: 409, group: 'business', message: 'The name is already in use.', basis: 'assumed', example: { username: 'merchant' } },
  WAIT_TIMEOUT: { status: 408, group: 'business', message: 'The event did not occur before the timeout.', basis: 'assumed', example: { waited_ms: 5000, status: 'delivered', matching: [] } },
  RATE_LIMIT_EXCEEDED: { status: 429, group: 'limits', message: 'Too many requests.', basis: 'assumed', retryable: true, example: { limit: rates.token.perMinute, per: rates.token.per, window_seconds: minuteMs / secondMs, retry_after: 12 } },
  INBOX_FULL: { status: 507, group: 'limits', message: 'The inbox is full: it has reached the limit for messages from unknown senders. Its owner must empty it.', basis: 'assumed', example: { inbox: 'mine', max_messages: 100, max_chars: 300000 } },
  INTERNAL_ERROR: { status: 500, group: 'system', message: 'The sandbox itself failed. This is a bug: please report it with the request id.', basis: 'assumed' },
  SERVICE_UNAVAILABLE: { status: 503, group: 'system', message: 'The sandbox cannot write to its store.', basis: 'assumed', retryable: true },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorCatalogue
export const errorCodes = keysOf(errorCatalogue)
export type ErrorDetails = Record<string, unknown>

/**
 * Thrown anywhere below http, rendered in one place. `details.retry_after` (seconds) and `details.allow` (methods)
 * become headers there.
 */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
    message: string = errorCatalogue[code].message,
    readonly status: number = errorCatalogue[code].status,
  ) {
    super(message)
  }
}

/** The error of an invalid field. `rule` continues a sentence that begins with the field: `must be a day such as 2026-11-21`. */
export function invalid(
  field: string,
  rule: string,
  more: ErrorDetails = {},
  code: ErrorCode = 'INVALID_VALUE',
): ApiError {
  return new ApiError(code, { field, rule, ...more }, `${field} ${rule}${rule.endsWith('?') ? '' : '.'}`)
}

export const notFound = (object: string, id: string, message = `There is no ${object} ${id}.`): ApiError =>
  new ApiError('NOT_FOUND', { object, id }, message)

/** Returns what was looked up. Throws 404 NOT_FOUND if it does not exist. */
export function orNotFound<T>(value: T | undefined, object: string, id: string, message?: string): T {
  if (value === undefined) throw notFound(object, id, message)
  return value
}

interface ErrorFields {
  status: number
  code: string
  message: string
  details: ErrorDetails
}

export const errorEnvelope = <Fields>(error: Fields) => ({ success: false, error })

/** Applies the settings that change `group` and `retryable` of a code. */
export type ErrorForm = (row: { code: string; group: string; retryable: boolean }) => {
  group: string
  retryable: boolean
}

/** Exactly the fields of interface.md §7. An unknown code gets its group and `retryable` from its status. */
export function errorBody(
  { status, code, message, details }: ErrorFields,
  form: ErrorForm = (same) => same,
): Record<string, unknown> {
  const row: ErrorRow | undefined = isKeyOf(errorCatalogue, code) ? errorCatalogue[code] : undefined
  const { group, retryable } = form({
    code,
    group: row?.group ?? (status >= 500 ? 'system' : 'business'),
    retryable: row === undefined ? status >= 500 || status === 429 : (row.retryable ?? false),
  })
  return errorEnvelope({ code, message, group, retryable, details })
}
