/** Formats moments: `Z` for fields in UTC, `-03:00` for fields with an offset (assumptions.md decision 17). */

export const saoPauloOffset = '-03:00'
const saoPauloOffsetMs = -3 * 3_600_000
const dayMs = 86_400_000

/** `2026-11-21T15:00:00.000Z` */
export const isoUtc = cacheResults((atMs) => new Date(atMs).toISOString())

/** `2026-11-21T12:00:00.000-03:00` */
export const isoOffset = cacheResults((atMs) => isoAt(atMs, saoPauloOffset, saoPauloOffsetMs))

/** Formats the time with any offset. */
export const isoAt = (atMs: number, offset: string, offsetMs: number): string =>
  `${new Date(atMs + offsetMs).toISOString().slice(0, -1)}${offset}`

/** Milliseconds of an offset: `Z`, `-03:00`. */
export function offsetMsOf(offset: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? []
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? -ms : ms
}

/** The offset of `offsetMsOf` as text: `-03:00`, or `Z` for none. */
export function offsetText(offsetMs: number): string {
  const two = (count: number) => String(count).padStart(2, '0')
  const minutes = Math.abs(offsetMs) / 60_000
  return minutes === 0 ? 'Z' : `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Remembers the last result: the calls of one event-loop turn share their moment, and formatting it is expensive. */
function cacheResults(format: (atMs: number) => string): (atMs: number) => string {
  const texts = new Map<number, string>()
  return (atMs) => {
    let text = texts.get(atMs)
    if (text === undefined) {
      if (texts.size >= 32) texts.clear()
      text = format(atMs)
      texts.set(atMs, text)
    }
    return text
  }
}

/** The start of the day at a fixed offset, as epoch milliseconds. America/Sao_Paulo has had no daylight saving since 2019. */
export function startOfDayMs(atMs: number, offsetMs: number): number {
  return Math.floor((atMs + offsetMs) / dayMs) * dayMs - offsetMs
}

const isoMoment = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const isoDate = /^\d{4}-\d{2}-\d{2}$/

/** Epoch milliseconds of an ISO 8601 moment with offset; null for any other text, or if the date or time does not exist. */
export function parseMoment(text: string): number | null {
  const day = isoMoment.exec(text)?.[1]
  return day === undefined || parseDay(day) === null ? null : Date.parse(text)
}

/** A day `YYYY-MM-DD` at an offset, by default that of America/Sao_Paulo, as the half-open span `[fromMs, toMs)`, or null. */
export function parseDay(text: string, offset = saoPauloOffset): { fromMs: number; toMs: number } | null {
  const ms = isoDate.test(text) ? Date.parse(`${text}T00:00:00${offset}`) : Number.NaN
  // A day that does not exist, such as February 30, becomes another one.
  if (Number.isNaN(ms) || isoAt(ms, offset, offsetMsOf(offset)).slice(0, 10) !== text) return null
  return { fromMs: ms, toMs: ms + dayMs }
}
