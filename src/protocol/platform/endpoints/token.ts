/** The endpoint that issues tokens. */

import { exampleAtUtc } from '../example-values.js'
import { seconds } from '../figures.js'
import { tokenLifeMs } from '../limits.js'
import * as requests from '../requests.js'
import * as responses from '../responses.js'
import { tokenPath } from '../token-path.js'
import type { Rows } from './row.js'

export const tokenEndpoints = {
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
