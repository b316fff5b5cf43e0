/** Parses dates as people write them, as days of a time zone. */
import { parseDay, parseMoment, type TimeZone } from '../../../inside/values.js'

export type DayOrder = 'day-first' | 'month-first'

const longest = 40
const slashed = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:$|[T ,])/
const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:$|[T ])/
/** Seconds or milliseconds since 1970. */
const epoch = /^(\d{10})(?:\.\d{1,9}|(\d{3}))?$/

/** Returns the order of day and month. Assumes month first only if some date of the file is invalid otherwise. */
export function dayOrderOf(texts: Iterable<string>): DayOrder {
  let isMonthFirst = false
  for (const text of texts) {
    const [, first, second] = slashed.exec(text.slice(0, longest).trim()) ?? []
    if (Number(first) > 12) return 'day-first'
    isMonthFirst ||= Number(second) > 12
  }
  return isMonthFirst ? 'month-first' : 'day-first'
}

/** Returns `YYYY-MM-DD`. A moment with an offset or since 1970 is converted; other times of day are ignored. null for any other text. */
export function readDay(text: string, order: DayOrder, zone: TimeZone): string | null {
  const trimmed = text.slice(0, longest).trim()
  const moment = momentOf(trimmed)
  if (moment !== null) return zone.dayAndTime(moment)[0]
  const day = iso.exec(trimmed)?.slice(1).join('-') ?? dayOfSlashed(trimmed, order)
  return day !== undefined && parseDay(day) !== null ? day : null
}

function momentOf(text: string): number | null {
  const [, seconds, thousandths = '000'] = epoch.exec(text) ?? []
  return seconds === undefined ? parseMoment(text.replace(' ', 'T')) : Number(seconds + thousandths)
}

function dayOfSlashed(text: string, order: DayOrder): string | undefined {
  const match = slashed.exec(text)
  if (match === null) return undefined
  const [, first = '', second = '', year = ''] = match
  const [day, month] = order === 'day-first' ? [first, second] : [second, first]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
