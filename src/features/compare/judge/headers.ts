/** Compares the headers that have a meaning: of answers and of webhooks. */

import { type DifferenceKind, responseHeaders, webhookHeaders, webhookUserAgent } from '../../../inside/platform.js'
import { secondMs } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'
import type { RecordedEvent } from '../replay/recorded-events.js'
import type { Difference } from './values.js'

const timestampWindowMs = 300 * secondMs

export function plainDifference(
  path: string,
  [platform, sandbox]: readonly [unknown, unknown],
  about: { documented?: string | null; breaks?: string | null; kind?: DifferenceKind; isAssumed?: boolean } = {},
): Difference {
  const { documented = null, breaks = null, isAssumed = documented === null } = about
  const kind = about.kind ?? (platform === undefined ? 'missing' : sandbox === undefined ? 'extra' : 'value')
  return {
    path,
    kind,
    platform,
    sandbox,
    isAssumed,
    isKnown: true,
    isMoney: false,
    isShared: path.startsWith('headers.') || path === 'media_type',
    currency: null,
    holder: {},
    documented,
    breaks,
  }
}

const mediaType = (type: string | undefined | null) => type?.split(';', 1)[0]?.trim().toLowerCase()

export function answerHeaderDifferences(call: Exchange, sandbox: Response): Difference[] {
  const platform = (name: string) => call.responseHeaders.get(name.toLowerCase())
  const type = [mediaType(platform('content-type')), mediaType(sandbox.headers.get('content-type'))] as const
  const [id, wait] = [platform(responseHeaders.requestId), platform(responseHeaders.retryAfter)]
  const ownId = sandbox.headers.get(responseHeaders.requestId) ?? undefined
  const ownWait = sandbox.headers.get(responseHeaders.retryAfter) ?? undefined
  return [
    ...(type[0] === type[1]
      ? []
      : [plainDifference('media_type', type, { documented: 'Bodies are JSON', breaks: 'it is not JSON' })]),
    ...((id === undefined) === (ownId === undefined)
      ? []
      : [plainDifference(`headers.${responseHeaders.requestId}`, [id, ownId])]),
    ...((wait === undefined) === (ownWait === undefined) && (wait === undefined || /^\d+$/.test(wait))
      ? []
      : [plainDifference(`headers.${responseHeaders.retryAfter}`, [wait, ownWait])]),
  ]
}

/** Checks the headers of a webhook (§6.1). `skewMs` is how far the platform's clock is ahead of the recorder's. */
export function webhookHeaderDifferences(
  { attempts: [entry], body, event }: RecordedEvent,
  skewMs: number,
): Difference[] {
  const { type, event: name, signature, id, timestamp, agent } = webhookHeaders
  const seconds = Math.floor((entry.startedMs + skewMs) / secondMs)
  const isNear = (text: string) =>
    /^\d{10}$/.test(text) && Math.abs(Number(text) - seconds) * secondMs <= timestampWindowMs
  const rules: readonly (readonly [
    name: string,
    expected: string,
    documented: string,
    isRight: (text: string) => boolean,
  ])[] = [
    [type, 'application/json', 'application/json', (text) => mediaType(text) === 'application/json'],
    [name, event ?? '', 'the name of the event', (text) => text === event || text === body?.event],
    // A recording contains a pseudonym of the same form.
    [signature, '64 hexadecimal digits', 'hex of HMAC-SHA256', (text) => /^[0-9a-z]{64}$/.test(text)],
    [id, 'evt_…', '`evt_` followed by a random string', (text) => /^evt_.+/.test(text)],
    [timestamp, 'Unix time in seconds', 'Unix time in seconds', isNear],
    [agent, webhookUserAgent, webhookUserAgent, (text) => text === webhookUserAgent],
  ]
  return rules.flatMap(([header, expected, documented, isRight]) => {
    const value = entry.headers.get(header.toLowerCase())
    if (value !== undefined && isRight(value)) return []
    const breaks = value === undefined ? 'the header is missing' : 'the header has another format'
    return [plainDifference(`headers.${header}`, [value, expected], { documented, breaks })]
  })
}
