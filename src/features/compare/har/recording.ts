/** A recording: calls of the platform API and webhooks in order; other entries are counted by reason. */
import { type EndpointName, endpointNames, endpoints } from '../../../inside/platform.js'
import { JsonPieces, parseMoment, UnexpectedJson } from '../../../inside/values.js'
import type { LeftOut } from '../judge/comparison.js'
import { type Exchange, exchangeOf, harFields, NotHar } from './exchange.js'

export interface RecordedCall extends Exchange {
  /** null: an undocumented path below `/v2/`. */
  endpoint: EndpointName | null
  /** The path from `/v2/` on. */
  path: string
}

export type Entry = RecordedCall | Exchange

export interface Recording {
  /** Ordered by time. */
  entries: Entry[]
  leftOut: LeftOut[]
  /** Whether a probe was interrupted while it moved money: withdrawals can be missing from the recording. */
  isInterrupted: boolean
  /** When its run was continued. */
  resumedMs: number[]
  /** End of the recording: the time of the last entry, or a later one that the log states. */
  endMs: number
}

export const isCall = (entry: Entry): entry is RecordedCall => 'endpoint' in entry

const endpointByCall = new Map(endpointNames.map((name) => [`${endpoints[name].method} ${endpoints[name].path}`, name]))
const platformPath = /\/v2\/[^?#]*$/

/** Throws `NotHar`. */
export async function readRecording(text: string): Promise<Recording> {
  const { entries, omitted, isCut, isInterrupted, resumedMs, endedMs } = readEntries(text)
  const counts = new Map<string, number>()
  const countLeftOut = (reason: string, count = 1) => void counts.set(reason, (counts.get(reason) ?? 0) + count)
  const addNote = (text: string) => void counts.set(text, 0)
  if (omitted > 0) countLeftOut('exchanges or parts of them that the recorder left out', omitted)
  if (isCut) countLeftOut('the rest of the file, which is truncated')
  const distinct = new Map<string, Exchange>()
  for (const [index, entry] of entries.entries()) {
    const exchange = await exchangeOf(entry, index + 1)
    if ('reason' in exchange) {
      countLeftOut(exchange.reason)
      continue
    }
    const key = identityOf(exchange)
    if (distinct.has(key)) countLeftOut('duplicate entries')
    else distinct.set(key, exchange)
  }
  const exchanges = [...distinct.values()]
  const host = platformHost(exchanges)
  const used = exchanges.flatMap((exchange): Entry[] => {
    if (exchange.isWebhook) return [exchange]
    const path = platformPath.exec(exchange.url.pathname)?.[0]
    if (exchange.url.host !== host) countLeftOut('exchanges with other hosts')
    else if (path === undefined) countLeftOut('exchanges with other paths of the platform')
    else return [{ ...exchange, path, endpoint: endpointOf(exchange, path) }]
    return []
  })
  const ordered = used.toSorted((one, other) => one.startedMs - other.startedMs)
  if (ordered.some((entry, at) => entry !== used[at])) addNote('the entries were out of order and have been sorted')
  return {
    entries: ordered,
    isInterrupted,
    resumedMs,
    endMs: Math.max(ordered.at(-1)?.startedMs ?? 0, endedMs),
    leftOut: [...counts].map(([reason, count]) => ({ reason, entries: count })),
  }
}

/** The same for two entries that are copies, as some producers write them. */
const identityOf = ({ startedMs, method, url, body, status, responseBody, headers }: Exchange): string =>
  JSON.stringify([startedMs, method, url.href, body, status, responseBody, [...headers]])

const endpointOf = ({ method }: Exchange, path: string) => endpointByCall.get(`${method} ${path}`) ?? null

/** The host of most calls of the platform API. */
function platformHost(exchanges: readonly Exchange[]): string | undefined {
  const counts = new Map<string, number>()
  for (const exchange of exchanges) {
    const path = platformPath.exec(exchange.url.pathname)?.[0]
    if (exchange.isWebhook || path === undefined || endpointOf(exchange, path) === null) continue
    counts.set(exchange.url.host, (counts.get(exchange.url.host) ?? 0) + 1)
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0]
}

/** Reads the entries one by one, so that a truncated file still yields those before its end. Throws `NotHar`. */
function readEntries(text: string) {
  const entries: unknown[] = []
  // `omitted` counts the exchanges, and the parts of exchanges, that the recorder left out.
  const har = { entries, omitted: 0, isCut: false, isInterrupted: false, resumedMs: [] as number[], endedMs: 0 }
  let hasEntries = false
  const pieces = new JsonPieces([text.startsWith('\ufeff') ? text.slice(1) : text])
  const readLog = (key: string) => {
    if (key === 'entries') {
      hasEntries = true
      pieces.list(() => har.entries.push(pieces.value()))
    } else {
      const value = pieces.value()
      if (key === harFields.omitted && typeof value === 'number') har.omitted = value
      if (key === harFields.interrupted) har.isInterrupted = value === true
      if (key === harFields.resumed && Array.isArray(value))
        har.resumedMs = value.flatMap((text) => parseMoment(String(text)) ?? [])
      if (key === harFields.ended && typeof value === 'string') har.endedMs = parseMoment(value) ?? 0
    }
  }
  const first = pieces.peek()
  try {
    if (first === undefined) throw new NotHar('the file is empty', 'json')
    pieces.object((key) => {
      if (key === 'log') return pieces.object(readLog)
      const field = key.slice(0, 100)
      const fault = hasEntries
        ? `it has the field ${field} beside its log`
        : `it has no log.entries before the field ${field}`
      throw new NotHar(`it is not a HAR file: ${fault}`, 'har', field)
    })
  } catch (error) {
    if (!(error instanceof UnexpectedJson)) throw error
    if (!hasEntries) throw new NotHar(`it is not a HAR file: ${error.message}`, first === '[' ? 'har' : 'json')
    har.isCut = true
  }
  if (!hasEntries) throw new NotHar('it is not a HAR file: it has no log.entries', 'har')
  return har
}
