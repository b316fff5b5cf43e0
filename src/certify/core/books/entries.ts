/**
 * Reads the entries of a ledger: finds columns by their names, and converts amounts to minor units, and types and days
 * to those of the statement.
 */
import { type Currency, currencies, currencyNames } from '../../../protocol/platform/currencies.js'
import type { EntryType } from '../../../protocol/platform/entry-types.js'
import {
  type BookColumn,
  bookColumnNames,
  bookColumns,
  confirmedWords,
  currencyOf,
  entryTypesOf,
  howToMap,
  plainWord,
} from '../../protocol/books-columns.js'
import { commonMark, type DecimalMark, quoted, readBookAmount } from './read-amount.js'
import { type DayOrder, dayOrderOf, readDay } from './read-day.js'
import { type BookTable, UnreadableBooks } from './table.js'

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
  minor: bigint
  hasExcess: boolean
  /** The fee; null if the ledger has no fee column, or the cell is empty. */
  feeMinor: bigint | null
  /** The day, as `YYYY-MM-DD`. */
  day: string | null
  /** Whether the ledger marks the money as received. */
  isConfirmed: boolean
}

export interface BookOptions {
  /** The headers of the columns by field name; missing ones are guessed. */
  columns?: Readonly<Partial<Record<BookColumn, string>>> | undefined
  decimal?: 'point' | 'comma' | undefined
}

export interface IntegratorLedger {
  entries: BookEntry[]
  /** The fields for which the ledger has a column. */
  columns: ReadonlySet<BookColumn>
}

const required = ['type', 'currency', 'amount'] as const

/** Reads the entries. Throws `UnreadableBooks` with the row and the reason. */
export function readBook(table: BookTable, options: BookOptions = {}): IntegratorLedger {
  // JSON without entries has no columns.
  if (table.header.length === 0) return { entries: [], columns: new Set() }
  const places = columnsOf(table.header, options.columns ?? {})
  const cellOf = (cells: readonly string[], column: BookColumn): string => {
    const place = places.get(column)
    return place === undefined ? '' : (cells[place] ?? '').trim()
  }
  const texts = function* (...columns: BookColumn[]) {
    for (const { cells } of table.rows) for (const column of columns) yield cellOf(cells, column)
  }
  const marks = { point: '.', comma: ',' } as const
  const mark = options.decimal === undefined ? commonMark(texts('amount', 'fee')) : marks[options.decimal]
  const order = dayOrderOf(texts('date'))
  const toEntry = entryReader(mark, order)
  return {
    entries: table.rows.map(({ line, cells }) => {
      try {
        return toEntry(line, (column) => cellOf(cells, column))
      } catch (error) {
        throw error instanceof UnreadableBooks ? new UnreadableBooks(`Row ${line}: ${error.message}`) : error
      }
    }),
    columns: new Set(places.keys()),
  }
}

/** Returns a function that reads a row. The same words occur in every row, so each word is looked up once. */
function entryReader(mark: DecimalMark | null, order: DayOrder) {
  const types = remembered((word) => {
    const found = entryTypesOf(word)
    if (found !== undefined) return found
    throw new UnreadableBooks(
      `type ${quoted(word)} is not known; use the types of the statement, such as charge, refund and withdrawal.`,
    )
  })
  const currency = remembered((text) => {
    const found = currencyOf(text)
    if (found !== undefined) return found
    throw new UnreadableBooks(`currency ${quoted(text)} is not supported; use one of ${currencyNames.join(', ')}.`)
  })
  const day = remembered((text) => {
    const found = text === '' ? null : readDay(text, order)
    if (found !== null || text === '') return found
    throw new UnreadableBooks(`date ${quoted(text)} is not a date; use a form such as 2026-11-21.`)
  })
  return (line: number, cell: (column: BookColumn) => string): BookEntry => {
    const word = cell('type')
    const money = currency(cell('currency'))
    const amountOf = (column: 'amount' | 'fee') => {
      const amount = readBookAmount(cell(column), currencies[money].scale, mark)
      if (typeof amount === 'string') throw new UnreadableBooks(`${column} ${amount}.`)
      return amount
    }
    return {
      line,
      transactionId: cell('transaction_id') || null,
      externalId: cell('external_id') || null,
      word,
      types: types(word),
      currency: money,
      ...amountOf('amount'),
      feeMinor: cell('fee') === '' ? null : amountOf('fee').minor,
      day: day(cell('date')),
      isConfirmed: confirmedWords.has(plainWord(cell('status'))),
    }
  }
}

/** Caches the results of `find`. The cache is bounded, because every row can contain a different text. */
function remembered<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const value = find(text)
    if (known.size < 10_000) known.set(text, value)
    return value
  }
}

function columnsOf(header: readonly string[], columnNames: Readonly<Record<string, string>>): Map<BookColumn, number> {
  const places = new Map<BookColumn, number>()
  for (const column of bookColumnNames) {
    const name = columnNames[column]
    const place = name === undefined ? -1 : header.findIndex((one) => plainWord(one) === plainWord(name))
    if (place >= 0) places.set(column, place)
    else if (name !== undefined)
      throw new UnreadableBooks(`There is no column ${quoted(name)}; the columns are ${format(header)}.`)
  }
  for (const column of bookColumnNames) {
    if (places.has(column)) continue
    const usedColumns = new Set(places.values())
    const words: readonly string[] = [column, ...bookColumns[column]]
    // The first matching word decides, not the first column.
    for (const word of words) {
      const place = header.findIndex((one, at) => !usedColumns.has(at) && plainWord(one) === word)
      if (place < 0) continue
      places.set(column, place)
      break
    }
  }
  requireColumns(header, places)
  for (const place of places.values()) forbidNamesakes(header, plainWord(header[place] ?? ''))
  return places
}

function forbidNamesakes(header: readonly string[], word: string): void {
  const names = header.filter((name) => plainWord(name) === word)
  if (names.length > 1)
    throw new UnreadableBooks(`The columns ${format(names)} have the same name; rename one of them.`)
}

function requireColumns(header: readonly string[], places: ReadonlyMap<BookColumn, number>): void {
  const missing: BookColumn[] = required.filter((column) => !places.has(column))
  if (!places.has('transaction_id') && !places.has('external_id')) missing.unshift('transaction_id')
  const [first] = missing
  if (first === undefined) return
  throw new UnreadableBooks(
    `No column is recognized as ${first}. The columns are ${format(header)}. ${howToMap(first)}`,
  )
}

const format = (header: readonly string[]): string => {
  const names = header.slice(0, 20).map((name) => (name === '' ? '(empty)' : name.slice(0, 40)))
  return names.length < header.length ? `${names.join(', ')}, …` : names.join(', ')
}
