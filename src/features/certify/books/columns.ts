/** Finds the columns of a ledger by their headers. */
import type { Currency } from '../../../inside/platform.js'
import {
  type BookColumn,
  bookColumnNames,
  bookColumns,
  currencyIn,
  headerParts,
  howToMap,
  zoneNamed,
} from './column-names.js'
import { quoted } from './read-amount.js'
import { type BookTable, UnreadableBooks } from './table.js'
import { plainWord } from './words.js'

export interface BookColumns {
  /** The place of each column in a row. */
  places: ReadonlyMap<BookColumn, number>
  /** The currency of a ledger without a column for it. */
  currency: Currency | undefined
}

type Names = Readonly<Partial<Record<BookColumn, string>>>

/** `names`: the headers of columns that the caller mapped. `posted`: the currencies of the statement. Throws `UnreadableBooks`. */
export function columnsOf({ header, rows }: BookTable, names: Names, posted: ReadonlySet<Currency>): BookColumns {
  const places = placesOf(header, names)
  const amountPlace = places.get('amount') ?? places.get('credit') ?? places.get('debit') ?? -1
  const named = headerParts(header[amountPlace] ?? '').currency
  const [only, ...others] = posted
  const currency = named ?? (others.length === 0 ? only : undefined)
  const hasCurrencies = rows.some(({ cells }) => currencyIn(cells[amountPlace] ?? '') !== undefined)
  requireColumns(header, places, hasCurrencies || currency !== undefined)
  for (const place of places.values()) forbidNamesakes(header, plainWord(header[place] ?? ''))
  return { places, currency }
}

const zoneColumns: ReadonlySet<string> = new Set(['time_zone', 'timezone', 'tz', 'fuso_horario', 'zona_horaria'])

/** The time zone that the header of the dates names, or the first cell of a column for it. */
export function zoneOfTable({ header, rows }: BookTable, names: Names): string | undefined {
  const place = placesOf(header, names).get('date') ?? -1
  const beside = header.findIndex((name) => zoneColumns.has(plainWord(name)))
  return headerParts(header[place] ?? '').zone ?? zoneNamed(rows[0]?.cells[beside] ?? '')
}

function placesOf(header: readonly string[], names: Names): Map<BookColumn, number> {
  const places = mappedColumns(header, names)
  const parts = header.map(headerParts)
  for (const column of bookColumnNames) {
    if (places.has(column) || isReplaced(column, places)) continue
    const usedColumns = new Set(places.values())
    const words: readonly string[] = [column, ...bookColumns[column]]
    // The first matching word decides, not the first column, and a whole header comes before a part of it.
    const wanted = [0, 1, 2].flatMap((part) => words.map((word) => [part, word] as const))
    for (const [part, word] of wanted) {
      const place = parts.findIndex((one, at) => !usedColumns.has(at) && one.words[part] === word)
      if (place < 0) continue
      places.set(column, place)
      break
    }
  }
  return places
}

function mappedColumns(header: readonly string[], names: Names) {
  const places = new Map<BookColumn, number>()
  for (const column of bookColumnNames) {
    const name = names[column]
    const place = name === undefined ? -1 : header.findIndex((one) => plainWord(one) === plainWord(name))
    if (place >= 0) places.set(column, place)
    else if (name !== undefined)
      throw new UnreadableBooks(`There is no column ${quoted(name)}; the columns are ${format(header)}.`)
  }
  return places
}

/** Columns for debits and credits are read only without a column for amounts. */
const isReplaced = (column: BookColumn, places: ReadonlyMap<BookColumn, number>) =>
  (column === 'debit' || column === 'credit') && places.has('amount')

function forbidNamesakes(header: readonly string[], word: string): void {
  const names = header.filter((name) => plainWord(name) === word)
  if (names.length > 1)
    throw new UnreadableBooks(`The columns ${format(names)} have the same name; rename one of them.`)
}

/** A ledger needs one column of each row; the first is the one to name. */
const requiredColumns: readonly (readonly BookColumn[])[] = [
  ['transaction_id', 'external_id'],
  ['type'],
  ['currency'],
  ['amount', 'debit', 'credit'],
]

function requireColumns(
  header: readonly string[],
  places: ReadonlyMap<BookColumn, number>,
  hasCurrency: boolean,
): void {
  const has = (column: BookColumn) => places.has(column) || (column === 'currency' && hasCurrency)
  const missing = requiredColumns.filter((columns) => !columns.some(has)).flatMap(([first]) => first ?? [])
  const [first] = missing
  if (first === undefined) return
  throw new UnreadableBooks(
    `No column is recognized as ${missing.join(', ')}. The columns are ${format(header)}. ${howToMap(first)}`,
    { missing, columns: shownNames(header) },
  )
}

const format = (header: readonly string[]): string => shownNames(header).join(', ')

function shownNames(header: readonly string[]): string[] {
  const names = header.slice(0, 20).map((name) => (name === '' ? '(empty)' : name.slice(0, 40)))
  return names.length < header.length ? [...names, '…'] : names
}
