/** Names of headers (interface.md §5, §6.1), also those that the sandbox adds, and the path of the token endpoint. */
import { keysOf } from '../../base/keys.js'

export const requestHeaders = {
  signature: 'X-Signature',
  timestamp: 'X-Timestamp',
  nonce: 'X-Nonce',
  /** Requests a scenario for this call. */
  scenario: 'X-Sandbox-Scenario',
  /** Requests an error for this call. */
  error: 'X-Sandbox-Error',
  /** The control API's token, on a shared sandbox. */
  adminToken: 'X-Sandbox-Admin-Token',
} as const

/** Marks a webhook that a workspace sends to its own inbox, on a shared deployment. Removed from every external request. */
export const internalHeader = 'X-Sandbox-Inside'

/** `User-Agent` of every webhook. */
export const webhookUserAgent = 'Service-Webhook/2.0'

/** `User-Agent` of the command line. */
export const cliUserAgent = { 'User-Agent': 'payments-sandbox-cli' } as const

/** `User-Agent` of calls that the sandbox makes itself: sample data, and logged calls that are repeated. */
export const sandboxUserAgent = { 'User-Agent': 'payments-sandbox' } as const

export const ownUserAgents = { cli: cliUserAgent['User-Agent'], sandbox: sandboxUserAgent['User-Agent'] } as const

/** The sandbox's own tools. The dashboard has the `User-Agent` of its browser. */
export const ownTools = [...keysOf(ownUserAgents), 'dashboard'] as const

export const responseHeaders = {
  requestId: 'X-Request-Id',
  retryAfter: 'Retry-After',
  allow: 'Allow',
  /** The faults that chaos injected into this call. */
  chaos: 'X-Sandbox-Chaos',
} as const

export const webhookHeaders = {
  type: 'Content-Type',
  event: 'X-Webhook-Event',
  signature: 'X-Webhook-Signature',
  id: 'X-Webhook-Id',
  timestamp: 'X-Webhook-Timestamp',
  userAgent: 'User-Agent',
  /** Distinguishes events of a sandbox from those of production. */
  sandbox: 'X-Sandbox',
} as const

/** The header names of a webhook in lower case, as Node and `Headers` list them. */
export const lowerCaseWebhookHeaders = {
  event: webhookHeaders.event.toLowerCase(),
  signature: webhookHeaders.signature.toLowerCase(),
  id: webhookHeaders.id.toLowerCase(),
  timestamp: webhookHeaders.timestamp.toLowerCase(),
} as const

export const tokenPath = '/v2/oauth/token'
