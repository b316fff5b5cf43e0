/** The names of headers, each once: of calls (part 5), of answers, of webhooks (§6.1), and the sandbox's own. */

export const callHeaders = {
  signature: 'X-Signature',
  timestamp: 'X-Timestamp',
  nonce: 'X-Nonce',
  /** Asks for a scenario for this call alone. */
  scenario: 'X-Sandbox-Scenario',
  /** Of our own surface, where the sandbox is shared. */
  adminToken: 'X-Sandbox-Admin-Token',
} as const

/** `User-Agent` of every webhook. */
export const webhookAgent = 'Service-Webhook/2.0'

/** How the command line names itself: it requests a token for each of its calls. */
export const ownAgent = { 'User-Agent': 'payments-sandbox-cli' } as const

export const answerHeaders = { requestId: 'X-Request-Id', retryAfter: 'Retry-After', allow: 'Allow' } as const

export const webhookHeaders = {
  type: 'Content-Type',
  event: 'X-Webhook-Event',
  signature: 'X-Webhook-Signature',
  id: 'X-Webhook-Id',
  timestamp: 'X-Webhook-Timestamp',
  agent: 'User-Agent',
  /** Tells events of a sandbox from those of production. */
  sandbox: 'X-Sandbox',
} as const

/** The headers of a received webhook as Node and `Headers` list them: in lower case. */
export const receivedHeaders = {
  event: webhookHeaders.event.toLowerCase(),
  signature: webhookHeaders.signature.toLowerCase(),
  id: webhookHeaders.id.toLowerCase(),
  timestamp: webhookHeaders.timestamp.toLowerCase(),
} as const
