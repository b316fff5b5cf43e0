/** Days and times of a time zone. Offsets and dates are cached, because computing them is slow. */
import { orElse } from './text.js'

const quarterMs = 900_000
const dayMs = 86_400_000
const maxCached = 10_000
const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')
const isoDate = /^\d{4}-\d{2}-\d{2}$/

export interface TimeZone {
  /** `['2026-11-21', '12:00:00']` */
  dayAndTime(atMs: number): readonly [date: string, time: string]
  /** The first moment of a day `YYYY-MM-DD`, and of the day after; null for any other text. */
  parseDay(text: string): { fromMs: number; toMs: number } | null
}

/** null for a name that the IANA database does not have. */
export function timeZone(name: string): TimeZone | null {
  const format = formatOf(name)
  if (format === null) return null
  const offsets = new Map<number, number>()
  const dates = new Map<number, string>()
  const offsetAt = (atMs: number): number => {
    const quarter = Math.floor(atMs / quarterMs)
    let offset = offsets.get(quarter)
    if (offset === undefined) {
      if (offsets.size >= maxCached) offsets.clear()
      offset = readOffset(format, quarter * quarterMs)
      offsets.set(quarter, offset)
    }
    return offset
  }
  const localText = (atMs: number) => new Date(atMs + offsetAt(atMs)).toISOString()
  const startOf = (utcMs: number) => {
    const guess = utcMs - offsetAt(utcMs)
    const start = utcMs - offsetAt(guess)
    // Where midnight is skipped, the day starts at the first moment that exists.
    return localText(start).slice(0, 10) < new Date(utcMs).toISOString().slice(0, 10) ? guess : start
  }
  return {
    dayAndTime(atMs) {
      const localMs = atMs + offsetAt(atMs)
      const day = Math.floor(localMs / dayMs)
      let date = dates.get(day)
      if (date === undefined) {
        if (dates.size >= maxCached) dates.clear()
        date = new Date(day * dayMs).toISOString().slice(0, 10)
        dates.set(day, date)
      }
      const second = Math.floor((localMs - day * dayMs) / 1000)
      return [date, `${twoDigits(second / 3600)}:${twoDigits((second / 60) % 60)}:${twoDigits(second % 60)}`]
    },
    parseDay(text) {
      const utcMs = isoDate.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
      if (Number.isNaN(utcMs) || new Date(utcMs).toISOString().slice(0, 10) !== text) return null
      return { fromMs: startOf(utcMs), toMs: startOf(utcMs + dayMs) }
    },
  }
}

const formatOf = (timeZone: string): Intl.DateTimeFormat | null =>
  orElse(
    null,
    () =>
      new Intl.DateTimeFormat('en-US', {
        timeZone,
        calendar: 'gregory',
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
  )

function readOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of format.formatToParts(atMs)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - atMs
}
