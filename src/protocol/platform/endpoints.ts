/** All endpoints of the platform API (§4). Routes, validation, OpenAPI and the typed client follow from these rows. */
import type * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { account } from './endpoints/account.js'
import { charges } from './endpoints/charges.js'
import { disputes } from './endpoints/disputes.js'
import { exchanges } from './endpoints/exchanges.js'
import type { EndpointRow, Rows } from './endpoints/row.js'
import { withdrawals } from './endpoints/withdrawals.js'
import { exampleAtUtc } from './example-values.js'
import { seconds, tokenLifeMs } from './limits.js'
import * as requests from './requests.js'
import * as responses from './responses.js'
import { tokenPath } from './token-path.js'

/** The endpoint that issues tokens. */
const tokenEndpoints = {
  token: {
    method: 'POST',
    path: tokenPath,
    title: 'Get an access token',
    auth: 'basic',
    input: 'json',
    request: requests.token,
    response: responses.token,
    status: 200,
    errors: [
      'INVALID_CREDENTIALS',
      'IP_BLOCKED_TEMPORARILY',
      'CREDENTIAL_INACTIVE',
      'RATE_LIMIT_EXCEEDED',
      'MISSING_REQUIRED_FIELD',
    ],
    basis: 'spec',
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
export type Endpoint = EndpointRow
export type RequestOf<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['request']>
export type ResponseOf<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['response']>
