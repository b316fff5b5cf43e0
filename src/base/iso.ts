/** Formats moments: `Z` for fields in UTC, `-03:00` for fields with an offset (decision 17). */

const saoPauloOffsetMs = -3 * 3_600_000
const dayMs = 86_400_000

/** `2026-11-21T15:00:00.000Z` */
export const isoUtc = cacheResults((atMs) => new Date(atMs).toISOString())

/** `2026-11-21T12:00:00.000-03:00` */
export const isoOffset = cacheResults((atMs) => `${new Date(atMs + saoPauloOffsetMs).toISOString().slice(0, -1)}-03:00`)

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

/** The start of the day in America/Sao_Paulo (no daylight saving since 2019), as epoch milliseconds. */
export function startOfDayMs(atMs: number): number {
  return Math.floor((atMs + saoPauloOffsetMs) / dayMs) * dayMs - saoPauloOffsetMs
}

const isoMoment = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const isoDate = /^\d{4}-\d{2}-\d{2}$/

/** Epoch milliseconds of an ISO 8601 moment with offset; null for any other text, or if the date or time does not exist. */
export function parseMoment(text: string): number | null {
  const day = isoMoment.exec(text)?.[1]
  return day === undefined || parseDay(day) === null ? null : Date.parse(text)
}

/** A day `YYYY-MM-DD` in America/Sao_Paulo as the half-open span `[fromMs, toMs)`, or null. */
export function parseDay(text: string): { fromMs: number; toMs: number } | null {
  const ms = isoDate.test(text) ? Date.parse(`${text}T00:00:00-03:00`) : Number.NaN
  if (Number.isNaN(ms) || isoOffset(ms).slice(0, 10) !== text) return null
  return { fromMs: ms, toMs: ms + dayMs }
}
