/** All endpoints of the platform API (interface.md §4) and their errors. Routes, validation, OpenAPI and client are derived. */
import type * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { exampleAtUtc } from './emulated-interface.js'
import { account, disputes } from './endpoints/account.js'
import { type EndpointRow, type Rows, usual } from './endpoints/row.js'
import { charges, exchanges, withdrawals } from './endpoints/transactions.js'
import type { ErrorCode } from './errors.js'
import { tokenPath } from './headers.js'
import { seconds, tokenLifeMs } from './limits.js'
import * as requests from './requests.js'
import * as responses from './responses.js'

const tokenEndpoints = {
  token: {
    ...usual,
    path: tokenPath,
    title: 'Get an access token',
    auth: 'basic',
    request: requests.token,
    response: responses.token,
    errors: [
      'INVALID_CREDENTIALS',
      'IP_BLOCKED_TEMPORARILY',
      'CREDENTIAL_INACTIVE',
      'RATE_LIMIT_EXCEEDED',
      'MISSING_REQUIRED_FIELD',
    ],
    tag: 'Access',
    about: `Exchanges client_id and client_secret for a bearer token that is valid for ${seconds(tokenLifeMs)}. Each call returns an independent token.`,
    examples: { token: { summary: 'A token', value: { grant_type: 'client_credentials' } } },
    answer: {
      access_token: 'at_41pewk05e4h7sk192br54cge96rjz25b5qzg80b5r8eys5xqyv5a',
      expires_in: 3600,
      meta: { request_id: 'req_000000217qj71rf9pe2r', timestamp: exampleAtUtc },
    },
  },
} as const satisfies Rows

export const endpoints = {
  ...tokenEndpoints,
  ...charges,
  ...withdrawals,
  ...exchanges,
  ...account,
  ...disputes,
} as const

export type EndpointName = keyof typeof endpoints
export const endpointNames = keysOf(endpoints)
/** interface.md §4.2 gives the status of a charge; the documentation gives no other status of a success. */
export const isStatusDocumented = (name: EndpointName): boolean => name === 'cashin'
export type Endpoint = EndpointRow
export type RequestOf<Name extends EndpointName> = z.output<ReturnType<(typeof endpoints)[Name]['request']>>
export type ResponseOf<Name extends EndpointName> = z.output<ReturnType<(typeof endpoints)[Name]['response']>>

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
export const isSignatureError = (code: string | null | undefined): code is (typeof signatureErrors)[number] =>
  signatureErrors.some((one) => one === code)

/** All errors that an endpoint can answer with: its own, and those of the checks before it, in the order of the checks. */
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
