/** Components that operations share: schemas, examples, headers, responses and security schemes (§5). */

import { requestHeaders, responseHeaders, webhookHeaders } from '../../protocol/platform/headers.js'
import { advisedResponseMs, minutes, seconds, signatureWindowMs } from '../../protocol/platform/limits.js'
import { controlCodes, errorExamples, errorResponse, errorSchemas } from './errors.js'
import { endpointSchemas } from './paths.js'
import type { Answer, Components } from './types.js'
import { eventSchemas, webhookParameters } from './webhooks.js'

export function components(): Components {
  return {
    schemas: { ...endpointSchemas(), ...eventSchemas(), ...errorSchemas() },
    examples: errorExamples(),
    headers: {
      [responseHeaders.requestId]: {
        description:
          'Identifier of the request. The request log and the command `payments-sandbox requests ID` show the call.',
        schema: { type: 'string' },
        example: 'req_0000003gm78esk57zrna',
      },
      [responseHeaders.retryAfter]: {
        description: 'Seconds until the call may succeed.',
        schema: { type: 'integer', minimum: 1 },
        example: 12,
      },
    },
    parameters: webhookParameters(),
    responses: answers(),
    securitySchemes: securitySchemes(),
  }
}

const answers = (): Record<string, Answer> => ({
  WebhookReceived: {
    description: `The receiver accepted the webhook. Answer within ${seconds(advisedResponseMs)} and process the event afterwards.`,
  },
  WebhookRefused: {
    description:
      'The receiver rejected the webhook, for example because of a wrong signature (401). After any response other than 2xx the event is sent again.',
  },
  ControlError: errorResponse('The request cannot be processed.', controlCodes['4XX']),
  ControlFault: errorResponse('The sandbox itself failed, or an inbox is full.', controlCodes['5XX']),
})

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description })

const securitySchemes = () => ({
  basic: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, for the token endpoint only.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The access token of POST /v2/oauth/token.' },
  signature: header(
    requestHeaders.signature,
    'Lower-case hex of HMAC-SHA256 over `<timestamp>.<nonce>.<raw body>`, keyed with signing_key.',
  ),
  signatureTimestamp: header(
    requestHeaders.timestamp,
    `Unix time in seconds, within ${minutes(signatureWindowMs)} of now.`,
  ),
  signatureNonce: header(requestHeaders.nonce, 'A UUID v4 that was not used before.'),
  webhookSignature: header(
    webhookHeaders.signature,
    'Hex of HMAC-SHA256 over the raw body, keyed with webhook_secret. The service sends it, and you check it.',
  ),
  adminToken: header(requestHeaders.adminToken, 'Required if the sandbox does not listen on a loopback address.'),
})
