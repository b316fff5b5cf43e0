/** The results of a delivery attempt, and what each failure means. */
import { keysOf } from '../../base/keys.js'
import { seconds } from './figures.js'
import { webhookTimeouts } from './limits.js'

/** `no_url`: there was no address to send to. */
export const outcomeWords = {
  ok: 'delivered',
  http_error: 'the receiver answered with a status other than 2xx',
  timeout: `no answer within ${seconds(webhookTimeouts.totalMs)}`,
  connect_timeout: `no connection within ${seconds(webhookTimeouts.connectMs)}`,
  refused: 'nothing listens there',
  reset: 'the connection was closed without an answer',
  dns: 'its name is unknown',
  tls: 'its certificate is not valid',
  insecure_url: 'the address may not be called from here',
  no_url: 'no address is set',
} as const satisfies Record<string, string>

export type AttemptOutcome = keyof typeof outcomeWords
export const attemptOutcomes = keysOf(outcomeWords)
