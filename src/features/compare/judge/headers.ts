/** Compares the headers that have a meaning, and the timing of the attempts of a webhook (interface.md §6.3). */
import {
  type DifferenceKind,
  responseHeaders,
  seconds,
  signatureWindowMs,
  webhookAttempts,
  webhookHeaders,
  webhookRetryDelaysMs,
  webhookTimeouts,
  webhookUserAgent,
} from '../../../inside/platform.js'
import { parseMoment, secondMs } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'
import type { RecordedEnd } from '../replay/pace.js'
import type { RecordedEvent } from '../replay/recorded-events.js'
import type { Difference } from './values.js'

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
    isInSchema: true,
    ...{ isMoney: false, isCut: false },
    isInEveryMessage: path.startsWith('headers.') || path === 'media_type',
    currency: null,
    holder: {},
    documented,
    breaks,
  }
}

const mediaType = (type: string | undefined | null) => type?.split(';', 1)[0]?.trim().toLowerCase()

export const answerHeaderPaths = ['media_type', `headers.${responseHeaders.requestId}`]

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

export const headerPaths = Object.values(webhookHeaders).map((name) => `headers.${name}`)

/** Checks the headers of a webhook (interface.md §6.1). `skewMs` is how far the platform's clock is ahead of the recorder's. */
export function webhookHeaderDifferences(
  { attempts: [entry], body, event }: RecordedEvent,
  skewMs: number,
): Difference[] {
  const { type, event: name, signature, id, timestamp, userAgent } = webhookHeaders
  const seconds = Math.floor((entry.startedMs + skewMs) / secondMs)
  const isNear = (text: string) =>
    /^\d{10}$/.test(text) && Math.abs(Number(text) - seconds) * secondMs <= signatureWindowMs
  const rules = [
    [type, 'application/json', 'application/json', (text: string) => mediaType(text) === 'application/json'],
    [name, event ?? '', 'the name of the event', (text: string) => text === event || text === body?.event],
    // A recording contains a pseudonym of the same form.
    [signature, '64 hexadecimal digits', 'hex of HMAC-SHA256', (text: string) => /^[0-9a-z]{64}$/.test(text)],
    [id, 'evt_…', '`evt_` followed by a random string', (text: string) => /^evt_.+/.test(text)],
    [timestamp, 'Unix time in seconds', 'Unix time in seconds', isNear],
    [userAgent, webhookUserAgent, webhookUserAgent, (text: string) => text === webhookUserAgent],
  ] as const
  return rules.flatMap(([header, expected, documented, isRight]) => {
    const value = entry.headers.get(header.toLowerCase())
    if (value !== undefined && isRight(value)) return []
    const breaks = value === undefined ? 'the header is missing' : 'the header has another format'
    return [plainDifference(`headers.${header}`, [value, expected], { documented, breaks })]
  })
}

/** Tolerance for the network and for a busy receiver. */
const firstToleranceMs = 30 * secondMs
export const retryToleranceMs = 3 * secondMs

export const documentedRetries = `retries after ${webhookRetryDelaysMs.map(seconds).join(', ')}, at most ${webhookAttempts} attempts`

export const inSeconds = (ms: number) => seconds(Math.round(ms / 100) * 100)

/** How long after the event the first attempt was made. `offsetMs` is how far the platform's clock is ahead of the recorder's. */
export function delayOf({ attempts: [first], body }: RecordedEvent, offsetMs: number | null): number | null {
  const atMs = typeof body?.timestamp === 'string' ? parseMoment(body.timestamp) : null
  return atMs === null || offsetMs === null ? null : first.startedMs + offsetMs - atMs
}

export function delayDifference(delayMs: number | null, toleranceMs = firstToleranceMs): Difference | null {
  if (delayMs === null || delayMs <= toleranceMs) return null
  const about = {
    documented: 'the first attempt is made at the event',
    breaks: `it was made after ${inSeconds(delayMs)}`,
  }
  return plainDifference('delay', [inSeconds(delayMs), 'at once'], about)
}

export const attemptPaths = ['body', 'id', 'timestamp', 'count'].map((name) => `attempts.${name}`)

/** On a manual clock, a sandbox retries sooner than real time suggests. */
export const hasOwnClock = ({ attempts: [first] }: RecordedEvent) =>
  first.headers.has(webhookHeaders.sandbox.toLowerCase())

export function attemptDifferences(hook: RecordedEvent, end: RecordedEnd): Difference[] {
  const { attempts } = hook
  const found: Difference[] = []
  const [first] = attempts
  const id = webhookHeaders.id.toLowerCase()
  if (attempts.some(({ body }) => body !== first.body))
    found.push(plainDifference('attempts.body', ['changes', 'stays the same']))
  if (attempts.some(({ headers }) => headers.get(id) !== first.headers.get(id)))
    found.push(plainDifference('attempts.id', ['changes', 'stays the same']))
  const times = attempts.map(({ headers }) => headers.get(webhookHeaders.timestamp.toLowerCase()))
  const lastMs = attempts.at(-1)?.startedMs ?? 0
  if (lastMs - first.startedMs > retryToleranceMs && new Set(times).size === 1)
    found.push(plainDifference('attempts.timestamp', ['stays the same', 'changes']))
  const failures = attempts.filter(({ status }) => status < 200 || status > 299)
  if (failures.length >= webhookAttempts && attempts.length > webhookAttempts)
    found.push(
      plainDifference('attempts.count', [attempts.length, webhookAttempts], {
        documented: documentedRetries,
        breaks: 'the platform makes more attempts',
      }),
    )
  const last = attempts.at(-1) ?? first
  const nextMs = webhookRetryDelaysMs[attempts.length - 1]
  const isDue = nextMs !== undefined && failures.includes(last)
  if (
    isDue &&
    end.waitedMs(last.startedMs, hasOwnClock(hook)) > webhookTimeouts.totalMs + nextMs * 1.5 + retryToleranceMs
  ) {
    const about = { documented: documentedRetries, breaks: `attempt ${attempts.length + 1} was not made` }
    found.push(plainDifference('attempts.count', [attempts.length, webhookAttempts], about))
  }
  return found
}
