/**
 * The OpenAPI 3.1 document of the platform API and of the control API, generated from the tables of endpoints, events
 * and control routes.
 */

import { emulatedInterface, emulatedInterfaceText } from '../../protocol/platform/emulated-interface.js'
import { endpointTags } from '../../protocol/platform/endpoints/row.js'
import { requestHeaders, responseHeaders, webhookHeaders } from '../../protocol/platform/headers.js'
import { advisedResponseMs, minutes, seconds, signatureWindowMs } from '../../protocol/platform/limits.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { RouteSet } from '../host.js'
import { type Extensions, extensions } from './assumptions.js'
import { controlPaths } from './control.js'
import type { Answer, Components, Document } from './json-schema.js'
import {
  controlCodes,
  endpointPaths,
  endpointSchemas,
  errorExamples,
  errorResponse,
  errorSchemas,
  exampleRequestId,
} from './paths.js'
import { withSettings } from './settings.js'
import { eventSchemas, webhookItems, webhookParameters } from './webhooks.js'

// biome-ignore format: one table row per line
const tags = [
  ...endpointTags,
  { name: 'Webhooks', description: 'Signed webhooks that the platform sends to your receiver.' },
  { name: 'Control API', description: 'Not part of the platform API: act as the payer and the provider, control the clock, and inspect the state.' },
]

export type SandboxDocument = Document & Extensions

interface DocumentOptions {
  /** Address of the sandbox, without a trailing slash. */
  baseUrl: string
  version: string
  /** The routes of the features (default: none). */
  features?: readonly RouteSet[]
}

const description = `A sandbox of a payments platform: charges, withdrawals, fixed wallets, internal transfers, conversions and disputes with stored state and signed webhooks.

Every part that the platform does not document is an assumption of the sandbox and has \`x-assumed: true\`. Paths under \`/_sandbox\` are the sandbox's own control API.`

export function buildDocument({ baseUrl, version, features = [] }: DocumentOptions): SandboxDocument {
  const control = controlPaths(features)
  const shared = components()
  return {
    openapi: '3.1.0',
    info: {
      title: 'payments-sandbox',
      version,
      summary: `${emulatedInterfaceText}, and the control API of its sandbox.`,
      'x-interface': emulatedInterface,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversOf(baseUrl),
    tags: tags.map((tag) => ({ ...tag })),
    paths: { ...endpointPaths(), ...control.paths },
    webhooks: webhookItems(),
    components: { ...shared, schemas: { ...shared.schemas, ...control.schemas } },
    ...extensions(),
  }
}

/** Builds the document at the first call, and once for each configuration what its settings change. */
export function documentCache(): (options: DocumentOptions & { config: Config }) => SandboxDocument {
  let built: SandboxDocument | undefined
  const byConfig = new WeakMap<Config, SandboxDocument>()
  return ({ config, ...options }) => {
    built ??= buildDocument(options)
    const own = byConfig.get(config) ?? withSettings(built, config)
    byConfig.set(config, own)
    return { ...own, info: { ...own.info, version: options.version }, servers: serversOf(options.baseUrl) }
  }
}

const serversOf = (url: string) => [{ url, description: 'This sandbox' }]

export function components(): Components {
  return {
    schemas: { ...endpointSchemas(), ...eventSchemas(), ...errorSchemas() },
    examples: errorExamples(),
    headers: {
      [responseHeaders.requestId]: {
        description:
          'Identifier of the request. The request log and the command `payments-sandbox requests ID` show the call.',
        schema: { type: 'string' },
        example: exampleRequestId,
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
