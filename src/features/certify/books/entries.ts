/** Reads the entries of a ledger: converts amounts to minor units, and types and days to those of the statement. */
import { statementTimeZone } from '../../../inside/control.js'
import { type Currency, currencies, currencyNames, type EntryType } from '../../../inside/platform.js'
import { type TimeZone, timeZone } from '../../../inside/values.js'
import { type BookColumn, bookAnswers, currencyIn, currencyOf } from './column-names.js'
import { type BookColumns, columnsOf } from './columns.js'
import {
  commonMark,
  type DayOrder,
  type DecimalMark,
  dayOrderOf,
  isDateText,
  magnitude,
  quoted,
  readBookAmount,
  readDay,
  type WrittenAmount,
} from './read-amount.js'
import type { BookOptions } from './routes.js'
import { type BookTable, UnreadableBooks } from './table.js'
import { type BookState, bookTypes, entryTypesOf, isTotalWord, outWords, plainWord, stateOf } from './words.js'

export interface BookEntry {
  /** The row of the file, or the number of the entry. */
  line: number
  transactionId: string | null
  externalId: string | null
  /** The type as written in the ledger. */
  word: string
  /** The types of the statement that it can stand for. */
  types: readonly EntryType[]
  currency: Currency
  /** The amount in minor units, with the sign that the ledger writes. */
  written: bigint
  /** The same with the sign that the statement uses, as soon as the posting is known. */
  minor: bigint
  hasExcess: boolean
  /** The amount as written. */
  text: string
  /** The fee; null if the ledger has no fee column, or the cell is empty. */
  feeMinor: bigint | null
  /** The day, as `YYYY-MM-DD`. */
  day: string | null
  /** The day if the month comes first, in a file whose dates do not show the order of day and month. */
  monthFirstDay: string | null
  /** What the ledger says has become of the money. */
  state: BookState | null
}

export interface IntegratorLedger {
  entries: BookEntry[]
  /** The headers of the fields for which the ledger has a column. */
  columns: ReadonlyMap<BookColumn, string>
  /** The header of a column with dates, if no header is recognized as the date. */
  unreadDates: string | null
}

export const zoneOf = (name: string | undefined): TimeZone => {
  const zone = timeZone(name ?? statementTimeZone)
  if (zone === null) throw new UnreadableBooks(`The time zone ${quoted(name ?? '')} is not in the IANA database.`)
  return zone
}

type Cell = (column: BookColumn) => string

/** Reads the entries. `posted`: the currencies of the statement. Throws `UnreadableBooks` with the row and the reason. */
export function readBook(table: BookTable, options: BookOptions, posted: ReadonlySet<Currency>): IntegratorLedger {
  // JSON without entries has no columns.
  if (table.header.length === 0) return { entries: [], columns: new Map(), unreadDates: null }
  const found = columnsOf(table, options.columns ?? {}, posted)
  const cellOf = (cells: readonly string[], column: BookColumn): string => {
    const place = found.places.get(column)
    return place === undefined ? '' : (cells[place] ?? '').trim()
  }
  const rows = table.rows.filter(({ cells }) => !isTotal(cells, (column) => cellOf(cells, column)))
  const texts = function* (...columns: BookColumn[]) {
    for (const { cells } of rows) for (const column of columns) yield cellOf(cells, column)
  }
  const typesOf = wordReader(rows, (cells) => cellOf(cells, 'type'), options.types ?? {})
  const marks = { point: '.', comma: ',' } as const
  const amounts = ['amount', 'debit', 'credit', 'fee'] as const
  const mark = options.decimal === undefined ? commonMark(texts(...amounts)) : marks[options.decimal]
  const toEntry = entryReader(found, options, { mark, order: dayOrderOf(texts('date')), typesOf })
  return {
    entries: rows.map(({ line, cells }) => {
      try {
        return toEntry(line, (column) => cellOf(cells, column))
      } catch (error) {
        throw error instanceof UnreadableBooks ? new UnreadableBooks(`Row ${line}: ${error.message}`) : error
      }
    }),
    columns: new Map([...found.places].map(([column, place]) => [column, table.header[place] ?? ''])),
    unreadDates: found.places.has('date') ? null : headerOfDates(table.header, rows, zoneOf(options.time_zone)),
  }
}

const inspectedRows = 100

function headerOfDates(header: readonly string[], rows: BookTable['rows'], zone: TimeZone): string | null {
  const isOfDates = (_: string, place: number) => {
    const texts = rows.slice(0, inspectedRows).flatMap(({ cells }) => (cells[place] ?? '').trim() || [])
    return texts.length > 0 && texts.every((text) => isDateText(text, zone))
  }
  return header.find(isOfDates) ?? null
}

const identifying = ['type', 'date'] as const

/** Totals and balances have no id of a transaction; a bare sum below a column has nothing else either. */
function isTotal(cells: readonly string[], cell: Cell): boolean {
  const ids = [cell('transaction_id'), cell('external_id')].filter((id) => id !== '')
  if (ids.length > 0) return ids.every(isTotalWord)
  return cells.some(isTotalWord) || identifying.every((column) => cell(column) === '')
}

const shownWords = 20

/** Returns a function that gives the types of a word. Throws `UnreadableBooks` with all unknown words. */
function wordReader(
  rows: BookTable['rows'],
  wordOf: (cells: readonly string[]) => string,
  mapped: NonNullable<BookOptions['types']>,
): (word: string) => readonly EntryType[] {
  const own = new Map(Object.entries(mapped).map(([theirs, ours]) => [plainWord(theirs), [ours].flat()]))
  const known = new Map<string, readonly EntryType[]>()
  const unknown = new Map<string, number>()
  for (const { line, cells } of rows) {
    const word = wordOf(cells)
    if (known.has(word) || unknown.has(word)) continue
    const types = (own.get(plainWord(word)) ?? [word]).flatMap((one) => entryTypesOf(one) ?? [])
    if (types.length === 0) unknown.set(word, line)
    else known.set(word, types)
  }
  if (unknown.size > 0) {
    const listed = [...unknown].slice(0, shownWords).map(([word, line]) => `${quoted(word)} (row ${line})`)
    const more = unknown.size > shownWords ? ` and ${unknown.size - shownWords} more` : ''
    throw new UnreadableBooks(
      `These types are not known: ${listed.join(', ')}${more}. ${bookAnswers.types} TYPE is one of ${bookTypes.join(', ')}. Entries of type adjustment are not compared.`,
    )
  }
  return (word) => known.get(word) ?? []
}

interface Reading {
  mark: DecimalMark | null
  order: DayOrder | null
  typesOf(word: string): readonly EntryType[]
}

/** Returns a function that reads a row. The same words occur in every row, so each word is looked up once. */
function entryReader({ places, currency: only }: BookColumns, options: BookOptions, { mark, order, typesOf }: Reading) {
  const zone = zoneOf(options.time_zone)
  const currency = remembered((text) => {
    const found = text === '' ? only : currencyOf(text)
    if (found !== undefined) return found
    throw new UnreadableBooks(`currency ${quoted(text)} is not supported; use one of ${currencyNames.join(', ')}.`)
  })
  const parseDay = remembered((text) => {
    const found = text === '' ? null : readDay(text, order ?? 'day-first', zone)
    if (found !== null || text === '') return found
    throw new UnreadableBooks(`date ${quoted(text)} is not a date; use a form such as 2026-11-21.`)
  })
  const monthFirst = remembered((text) => (text === '' ? null : readDay(text, 'month-first', zone)))
  const scaleOf = (money: Currency) => (options.minor_units === true ? 0 : currencies[money].scale)
  return (line: number, cell: Cell): BookEntry => {
    const word = cell('type')
    const text = cell('amount') || cell('credit') || cell('debit')
    const money = cell('currency') === '' ? (currencyIn(text) ?? currency('')) : currency(cell('currency'))
    const amountOf = (column: BookColumn) => {
      const amount = readBookAmount(cell(column), scaleOf(money), mark)
      if (typeof amount === 'string') throw new UnreadableBooks(`${column} ${amount}.`)
      if (amount.hasExcess && options.minor_units === true)
        throw new UnreadableBooks(`${column} ${quoted(cell(column))} is not a whole number of minor units.`)
      return amount
    }
    const sided = (column: 'debit' | 'credit') =>
      cell(column) === '' ? { minor: 0n, hasExcess: false } : amountOf(column)
    const amount = (): WrittenAmount => {
      if (places.has('amount')) {
        const { minor, hasExcess } = amountOf('amount')
        return { minor: minor > 0n && outWords.has(plainWord(cell('direction'))) ? -minor : minor, hasExcess }
      }
      const [debit, credit] = [sided('debit'), sided('credit')]
      return { minor: credit.minor - magnitude(debit.minor), hasExcess: debit.hasExcess || credit.hasExcess }
    }
    const { minor, hasExcess } = amount()
    return {
      line,
      transactionId: cell('transaction_id') || null,
      externalId: cell('external_id') || null,
      word,
      types: typesOf(word),
      currency: money,
      ...{ written: minor, minor, hasExcess },
      text,
      feeMinor: cell('fee') === '' ? null : amountOf('fee').minor,
      day: parseDay(cell('date')),
      monthFirstDay: order === null ? monthFirst(cell('date')) : null,
      state: stateOf(cell('status')),
    }
  }
}

/** Caches the results of `find`. The cache is bounded, because every row can contain a different text. */
function remembered<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const cached = known.get(text)
    if (cached !== undefined) return cached
    const value = find(text)
    if (known.size < 10_000) known.set(text, value)
    return value
  }
}
