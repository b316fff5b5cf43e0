/** The answers of the recorder itself, for what it cannot pass on. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { loopbackHost } from '../../../inside/handlers.js'

export interface Refusal {
  status: number
  reason: string
  body: string
}

const refusal = (status: number, reason: string, error: string): Refusal => ({
  status,
  reason,
  body: JSON.stringify({ error }),
})

const upgrade = refusal(
  501,
  'Not Implemented',
  'payments-sandbox record forwards HTTP calls; upgraded connections are not supported',
)
const notForward = 'payments-sandbox record is not a forward proxy; use its URL as the base URL of the API'

const foreignHost = (host: string) =>
  refusal(
    403,
    'Forbidden',
    `payments-sandbox record rejects calls for the host ${host}; use 127.0.0.1 or localhost in the base URL of your app`,
  )

/** HTTP/2 clients offer an upgrade and continue without it; a web socket cannot. */
export function refusalOf({ headers, url }: IncomingMessage, { isWebhook }: { isWebhook: boolean }): Refusal | null {
  // A page in a browser must not reach the platform by a host name that leads here; tunnels keep the host of the sender.
  if (!isWebhook && headers.host !== undefined && !loopbackHost.test(headers.host)) return foreignHost(headers.host)
  if (headers.upgrade !== undefined && !/^h2c?$/i.test(headers.upgrade)) return upgrade
  return url?.startsWith('/') === true ? null : refusal(400, 'Bad Request', notForward)
}

export function unanswered({ target, isWebhook }: { target: URL; isWebhook: boolean }, why: string): Refusal {
  const flag = isWebhook ? '--forward-to' : '--target'
  return refusal(
    502,
    'Bad Gateway',
    `${target.origin} did not respond (${why}); check ${flag} of payments-sandbox record`,
  )
}

export function writeRefusal(outgoing: ServerResponse, { status, reason, body }: Refusal): void {
  outgoing.writeHead(status, reason, { 'Content-Type': 'application/json', Connection: 'close' })
  outgoing.end(body)
}

/** For `CONNECT`, which has no response object. */
export const connectRefusal = [
  'HTTP/1.1 405 Method Not Allowed',
  'Connection: close',
  'Content-Type: application/json',
  '',
  JSON.stringify({ error: notForward }),
].join('\r\n')
