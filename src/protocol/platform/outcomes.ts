/** The results of a delivery attempt, and what each failure means. */
import { keysOf } from '../../base/keys.js'
import { seconds } from './figures.js'
import { webhookTimeouts } from './limits.js'

/** `no_url`: there was no address to send to. */
export const outcomeWords = {
  ok: 'delivered',
  http_error: 'the receiver answered with a status other than 2xx',
  timeout: `no response within ${seconds(webhookTimeouts.totalMs)}`,
  connect_timeout: `no connection within ${seconds(webhookTimeouts.connectMs)}`,
  refused: 'nothing listens at this URL',
  reset: 'the receiver closed the connection without a response',
  dns: 'the host name cannot be resolved',
  tls: 'the certificate is not valid',
  insecure_url: 'the sandbox is not allowed to call this URL',
  no_url: 'no URL is set',
} as const satisfies Record<string, string>

/** The end of the detail of an attempt to an address that is blocked. */
export const blockedWords = 'which this sandbox is not allowed to call'

export type AttemptOutcome = keyof typeof outcomeWords
export const attemptOutcomes = keysOf(outcomeWords)
