/** What the request log warns about: probable mistakes that the platform accepts. A row per code. */
import { keysOf } from '../../base/keys.js'
import { callHeaders } from './headers.js'

interface WarningRow {
  /** The sentence that people read; `field` names what it is about. */
  message: (field: string) => string
  /** When the code is given. */
  when: string
}

/** As many tokens in a row are used for one call each before the next token request is warned about. */
export const tokensForOneCall = 2

export const callWarnings = {
  unknown_field: {
    message: (field) => `${field} is not a field of this call and has no effect`,
    when: 'The body, at any depth, or the query has a name that the endpoint does not know. The value has no effect. A known name within two edits is suggested.',
  },
  token_per_call: {
    message: () =>
      `each of the last ${tokensForOneCall} tokens was used for one call while it was valid; use a token until it expires`,
    when: `A token is requested although each of the last ${tokensForOneCall} tokens of the same client was used for one call only and had not expired.`,
  },
  no_external_id: {
    message: (field) => `${field} is missing; without it, a repeated call creates a second object`,
    when: 'A call that creates something leaves out an optional `external_id`, so that it cannot be repeated safely.',
  },
  duplicate_header: {
    message: (field) => `${field} was sent more than once and takes one value`,
    when: 'A header that takes one value was sent more than once.',
  },
} as const satisfies Record<string, WarningRow>

export type WarningCode = keyof typeof callWarnings
export const warningCodes = keysOf(callWarnings)

export interface CallWarning {
  code: WarningCode
  message: string
  field?: string | undefined
}

/** Headers that take one value, without a comma in it. */
export const singleHeaders = [
  'Authorization',
  'Content-Type',
  callHeaders.signature,
  callHeaders.timestamp,
  callHeaders.nonce,
  callHeaders.scenario,
] as const

/** Bodies are other people's text: a call has at most so many warnings of unknown fields, and their names are cut. */
export const warningLimits = { unknownFields: 20, fieldChars: 100 } as const

/** `code`: when, for documentation. */
export const warningList = (): string => warningCodes.map((code) => `\`${code}\`: ${callWarnings[code].when}`).join(' ')

/** A table of the codes for docs/command-line.md. */
export const warningTable = (): string =>
  [
    '| code | when |',
    '| --- | --- |',
    ...warningCodes.map((code) => `| \`${code}\` | ${callWarnings[code].when} |`),
  ].join('\n')
