/** Warnings of the request log: probable mistakes that the platform accepts. One row for each code. */
import { keysOf } from '../../base/keys.js'
import { requestHeaders } from './headers.js'

interface WarningRow {
  /** The text for people. */
  message: (subject: string) => string
  /** When the warning is given. */
  when: string
}

/** Number of tokens in a row, each used for one call, before the next token request gets a warning. */
export const tokensForOneCall = 2

export const callWarnings = {
  unknown_field: {
    message: (field) => `${field} is not a field of this call and has no effect`,
    when: 'The body, at any depth, or the query has an unknown field. A known field with a similar name is suggested.',
  },
  token_per_call: {
    message: () =>
      `each of the last ${tokensForOneCall} tokens was used for only one call while it was valid; reuse a token until it expires`,
    when: `The client requests a new token for each call: each of its last ${tokensForOneCall} tokens was used once and is still valid.`,
  },
  no_external_id: {
    message: (field) => `${field} is missing; without it, a repeated call creates a second object`,
    when: 'A call that creates something leaves out an optional `external_id`, so that it cannot be repeated safely.',
  },
  paid_twice: {
    message: (lost) =>
      `probably made again: no response to ${lost} arrived, and this call makes the same payment or charge; repeat a lost call with its own external_id`,
    when: 'A call pays or charges the same as one of the last hour whose response was lost, under another `external_id`.',
  },
  duplicate_header: {
    message: (field) => `${field} was sent more than once; send it once`,
    when: 'A header that allows only one value was sent more than once.',
  },
} as const satisfies Record<string, WarningRow>

export type WarningCode = keyof typeof callWarnings
export const warningCodes = keysOf(callWarnings)

export interface CallWarning {
  code: WarningCode
  message: string
  field?: string | undefined
}

/** Headers with a single value that contains no comma. */
export const singleHeaders = [
  'Authorization',
  'Content-Type',
  requestHeaders.signature,
  requestHeaders.timestamp,
  requestHeaders.nonce,
  requestHeaders.scenario,
  requestHeaders.error,
] as const

/** Bodies are untrusted: at most this many warnings of unknown fields for a call, with truncated names. */
export const warningLimits = { unknownFields: 5, fieldChars: 100 } as const

/** Lists each code with its condition, for documentation. */
export const warningList = (): string => warningCodes.map((code) => `\`${code}\`: ${callWarnings[code].when}`).join(' ')
