/** Parses dates as people write them, as days of a time zone. */
import { parseDay, parseMoment, type TimeZone } from '../../../inside/values.js'

export type DayOrder = 'day-first' | 'month-first'

const longest = 40
const slashed = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:$|[T ,])/
const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:$|[T ])/
const named = /^(\d{1,2})[ ./-]([A-Za-z]{3,10})\.?[ ./-](\d{4})(?:$|[T ,])/
/** The first letters of the months in English, Portuguese and Spanish. */
const months = [
  'jan ene',
  'feb fev',
  'mar',
  'apr abr',
  'may mai',
  'jun',
  'jul',
  'aug ago',
  'sep set',
  'oct out',
  'nov',
  'dec dez dic',
]
/** Seconds or milliseconds since 1970. */
const epoch = /^(\d{10})(?:\.\d{1,9}|(\d{3}))?$/

/** Returns the order of day and month; null if no date of the file shows it. */
export function dayOrderOf(texts: Iterable<string>): DayOrder | null {
  let isMonthFirst = false
  for (const text of texts) {
    const [, first, second] = slashed.exec(text.slice(0, longest).trim()) ?? []
    if (Number(first) > 12) return 'day-first'
    isMonthFirst ||= Number(second) > 12
  }
  return isMonthFirst ? 'month-first' : null
}

/** Returns `YYYY-MM-DD`. A moment with an offset or since 1970 is converted; other times of day are ignored. null for any other text. */
export function readDay(text: string, order: DayOrder, zone: TimeZone): string | null {
  const trimmed = text.slice(0, longest).trim()
  const moment = momentOf(trimmed)
  if (moment !== null) return zone.dayAndTime(moment)[0]
  const day = iso.exec(trimmed)?.slice(1).join('-') ?? dayOfNamed(trimmed) ?? dayOfSlashed(trimmed, order)
  return day !== undefined && parseDay(day) !== null ? day : null
}

/** Whether a text is a date by its form, and not a number. */
export const isDateText = (text: string, zone: TimeZone): boolean =>
  !/^[\d.]+$/.test(text) && (readDay(text, 'day-first', zone) ?? readDay(text, 'month-first', zone)) !== null

function momentOf(text: string): number | null {
  const [, seconds, thousandths = '000'] = epoch.exec(text) ?? []
  return seconds === undefined ? parseMoment(text.replace(' ', 'T')) : Number(seconds + thousandths)
}

/** `01-Dec-2026` */
function dayOfNamed(text: string): string | undefined {
  const [, day = '', name = '', year = ''] = named.exec(text) ?? []
  const month =
    name === '' ? 0 : months.findIndex((names) => names.split(' ').includes(name.slice(0, 3).toLowerCase())) + 1
  return month === 0 ? undefined : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}

function dayOfSlashed(text: string, order: DayOrder): string | undefined {
  const match = slashed.exec(text)
  if (match === null) return undefined
  const [, first = '', second = '', year = ''] = match
  const [day, month] = order === 'day-first' ? [first, second] : [second, first]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
