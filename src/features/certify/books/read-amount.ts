/**
 * Parses amounts as people write them: decimal point or comma, thousands separators, currency symbols, brackets or a
 * D for negative amounts.
 */
import { parseDay, parseMoment, readDecimal, type TimeZone } from '../../../inside/values.js'
import { bookAnswers } from './column-names.js'

export type DecimalMark = '.' | ','

/** Digits with separators, without signs and symbols; null for any other text. */
interface Written {
  isNegative: boolean
  digits: string
  exponent: string
}

const longest = 64
const symbols = /^(?:R\$|MX\$|US\$|\$|[A-Z]{3,4}(?=[\s\d.,+-]))|(?:R\$|\$|[A-Z]{3,4})$/
const spaces = /[\s'\u2019]/g

const plain = /^(-?)(\d+(?:\.\d+)?)$/

function written(text: string): Written | null {
  if (text.length > longest) return null
  const match = plain.exec(text)
  if (match !== null) return { isNegative: match[1] === '-', digits: match[2] ?? '', exponent: '' }
  return writtenFreely(text)
}

/** Parses signs, symbols and separators. */
function writtenFreely(text: string): Written | null {
  let rest = text.replace(spaces, '').replaceAll('\u2212', '-').toUpperCase()
  const isBracketed = rest.startsWith('(') && rest.endsWith(')')
  if (isBracketed) rest = rest.slice(1, -1)
  const signs: string[] = []
  const takeSign = () => {
    const [, sign] = /^([+-])/.exec(rest) ?? []
    if (sign === undefined) return
    signs.push(sign)
    rest = rest.slice(1)
  }
  takeSign()
  rest = rest.replace(symbols, '').replace(symbols, '')
  takeSign()
  if (rest.endsWith('-')) {
    signs.push('-')
    rest = rest.slice(0, -1)
  }
  const [, side] = /[\d.,](CR?|DR?)$/.exec(rest) ?? []
  if (side !== undefined) {
    rest = rest.slice(0, -side.length)
    if (signs[0] === '-' && side.startsWith('C')) return null
    if (signs.length === 0 && side.startsWith('D')) signs.push('-')
  }
  if (signs.length > 1) return null
  const isNegative = isBracketed || signs[0] === '-'
  const match = /^([\d.,]*\d[.,]?)(E[+-]?\d{1,3})?$/.exec(rest)
  return match === null ? null : { isNegative, digits: match[1] ?? '', exponent: match[2] ?? '' }
}

/** Returns the decimal mark that a text shows by itself: `none` if it needs none, `unclear` for texts such as `1.234`. */
function markOf(digits: string): DecimalMark | 'none' | 'unclear' | 'wrong' {
  const point = digits.lastIndexOf('.')
  const comma = digits.lastIndexOf(',')
  if (point < 0 && comma < 0) return 'none'
  const mark = point > comma ? '.' : ','
  const at = Math.max(point, comma)
  const isOnce = digits.indexOf(mark) === at
  if (point >= 0 && comma >= 0) return isOnce ? mark : 'wrong'
  if (!isOnce) return mark === '.' ? ',' : '.'
  if (digits.length - at !== 4 || at > 3 || at === 0 || /^0+$/.test(digits.slice(0, at))) return mark
  return 'unclear'
}

/** Returns the decimal mark of the unambiguous texts in a file; null if there are none, or if they differ. */
export function commonMark(texts: Iterable<string>): DecimalMark | null {
  const seen = new Set<DecimalMark>()
  for (const text of texts) {
    const mark = markOf(written(text)?.digits ?? '')
    if (mark === '.' || mark === ',') seen.add(mark)
    if (seen.size === 2) return null
  }
  const [only = null] = seen
  return only
}

export const magnitude = (minor: bigint): bigint => (minor < 0n ? -minor : minor)

export interface WrittenAmount {
  minor: bigint
  /** Whether the amount has more decimals than the currency. */
  hasExcess: boolean
}

/** Returns minor units of that scale, rounded half away from zero, or a text that describes the mistake. */
export function readBookAmount(text: string, scale: number, common: DecimalMark | null): WrittenAmount | string {
  const parts = written(text)
  if (parts === null) return `${quoted(text)} is not a decimal number`
  const ownMark = markOf(parts.digits)
  if (ownMark === 'wrong' || !isGrouped(parts.digits, ownMark))
    return `${quoted(text)} has separators in the wrong places`
  if (ownMark === 'unclear' && common === null) return `${quoted(text)} can be read in two ways; ${bookAnswers.decimal}`
  const mark = ownMark === 'unclear' || ownMark === 'none' ? common : ownMark
  const digits = parts.digits
    .replaceAll(mark === ',' ? '.' : ',', '')
    .replace(',', '.')
    .replace(/\.$/, '')
  const decimal = readDecimal(`${digits.startsWith('.') ? '0' : ''}${digits}${parts.exponent}`)
  if (decimal === null) return `${quoted(text)} is not a decimal number`
  const surplus = decimal.places - scale
  const divisor = 10n ** BigInt(Math.max(surplus, 0))
  const scaled = decimal.digits * 10n ** BigInt(Math.max(-surplus, 0))
  const minor = (scaled + divisor / 2n) / divisor
  if (minor > 10n ** 18n) return `${quoted(text)} is larger than any balance`
  return { minor: parts.isNegative ? -minor : minor, hasExcess: scaled % divisor !== 0n }
}

/** Checks that groups between thousands separators have three digits. */
function isGrouped(digits: string, mark: DecimalMark | 'none' | 'unclear'): boolean {
  if (mark === 'none' || mark === 'unclear') return true
  const [whole = ''] = digits.split(mark)
  const groups = whole.split(mark === '.' ? ',' : '.')
  return groups.length === 1 || groups.every((group, at) => (at === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(group))
}

const shownChars = 40
export const quoted = (text: string): string =>
  JSON.stringify(text.length > shownChars ? `${text.slice(0, shownChars)}…` : text)

export type DayOrder = 'day-first' | 'month-first'

const longestDate = 40
const slashed = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:$|[T ,])/
const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:$|[T ])/
const named = /^(\d{1,2})[ ./-]([A-Za-z]{3,10})\.?[ ./-](\d{4})(?:$|[T ,])/
/** The first letters of the months in English, Portuguese and Spanish. */
const months = 'jan|ene feb|fev mar apr|abr may|mai jun jul aug|ago sep|set oct|out nov dec|dez|dic'.split(' ')
/** Seconds or milliseconds since 1970. */
const epoch = /^(\d{10})(?:\.\d{1,9}|(\d{3}))?$/

/** Returns the order of day and month; null if no date of the file shows it. */
export function dayOrderOf(texts: Iterable<string>): DayOrder | null {
  let isMonthFirst = false
  for (const text of texts) {
    const [, first, second] = slashed.exec(text.slice(0, longestDate).trim()) ?? []
    if (Number(first) > 12) return 'day-first'
    isMonthFirst ||= Number(second) > 12
  }
  return isMonthFirst ? 'month-first' : null
}

/** Returns `YYYY-MM-DD`. A moment with an offset or since 1970 is converted; other times of day are ignored. null for any other text. */
export function readDay(text: string, order: DayOrder, zone: TimeZone): string | null {
  const trimmed = text.slice(0, longestDate).trim()
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
    name === '' ? 0 : months.findIndex((names) => names.split('|').includes(name.slice(0, 3).toLowerCase())) + 1
  return month === 0 ? undefined : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}

function dayOfSlashed(text: string, order: DayOrder): string | undefined {
  const match = slashed.exec(text)
  if (match === null) return undefined
  const [, first = '', second = '', year = ''] = match
  const [day, month] = order === 'day-first' ? [first, second] : [second, first]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
