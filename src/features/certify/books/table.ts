/** Reads ledgers as tables of text: CSV in UTF-8, UTF-16 or Latin-1, or JSON entries. */
import { isJsonObject, JsonNumber } from '../../../inside/values.js'
import { decodeBooks } from './decode-books.js'
import { quoted } from './read-amount.js'

/** A ledger that cannot be read; the message is one sentence for the user. */
export class UnreadableBooks extends Error {
  constructor(
    message: string,
    /** For a program that shows the error. */
    readonly details: Readonly<Record<string, readonly string[]>> = {},
  ) {
    super(message)
  }
}

export interface BookTable {
  header: readonly string[]
  /** Rows with their line number in the file. */
  rows: readonly { line: number; cells: readonly string[] }[]
}

export const bookLimits = { rows: 300_000, columns: 200, cellChars: 2000 } as const

/** A header that is allowed is not longer. */
const mostHeaderChars = bookLimits.columns * (bookLimits.cellChars + 3)

/** Parses a CSV file. Throws `UnreadableBooks`. */
export async function tableOfCsv(bytes: Uint8Array): Promise<BookTable> {
  const text = decodeBooks(bytes)
  if (text.includes('\0')) throw new UnreadableBooks('The file has NUL characters; it is not a text file.')
  forbidLongQuotes(text)
  // Loaded on first use, because most sandboxes never read a ledger.
  const { default: papa } = await import('papaparse')
  if (text.length > mostHeaderChars) {
    const { data } = papa.parse<string[]>(text.slice(0, mostHeaderChars), { preview: 1 })
    if ((data[0]?.length ?? 0) > bookLimits.columns) throw tooManyColumns()
  }
  const { data, errors } = papa.parse<string[]>(text, { skipEmptyLines: 'greedy', preview: bookLimits.rows + 2 })
  const quoteError = errors.find(({ type }) => type === 'Quotes')
  if (quoteError !== undefined)
    throw new UnreadableBooks(`Row ${(quoteError.row ?? 0) + 1} has a quotation mark without a closing one.`)
  const [header, ...rows] = data
  if (header === undefined)
    throw new UnreadableBooks('The file is empty; it needs a header and one row for each entry.')
  return checked({
    header: header.map((name) => name.trim()),
    rows: rows.map((cells, at) => ({ line: at + 2, cells })),
  })
}

const separators: ReadonlySet<string | undefined> = new Set([undefined, ',', ';', '\t', '|', '\r', '\n'])

/** Throws `UnreadableBooks` for a quoted cell that is too long: the parser would read it once for each possible separator. */
function forbidLongQuotes(text: string): void {
  const longest = 2 * bookLimits.cellChars + 2
  let from = text.indexOf('"')
  while (from >= 0) {
    if (from > 0 && !separators.has(text[from - 1])) {
      from = text.indexOf('"', from + 1)
      continue
    }
    const next = endOfQuotes(text, from, longest)
    if (next === null)
      throw new UnreadableBooks(
        `Line ${text.slice(0, from).split('\n').length} has a cell of more than ${bookLimits.cellChars} characters, or a quotation mark without a closing one.`,
      )
    from = text.indexOf('"', next)
  }
}

/** Returns where the text continues after a quoted cell, or where the text ends; null if the cell is longer than that. */
function endOfQuotes(text: string, from: number, longest: number): number | null {
  let at = from + 1
  for (;;) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length - from > longest ? null : text.length
    if (at - from > longest) return null
    let after = at + 1
    while (text[after] === ' ') after++
    if (separators.has(text[after])) return after
    at += text[at + 1] === '"' ? 2 : 1
  }
}

/** Converts JSON entries to a table. Throws `UnreadableBooks`. */
export function tableOfEntries(entries: readonly unknown[]): BookTable {
  const columns = new Map<string, number>()
  const rows = entries.map((entry, at) => {
    if (!isJsonObject(entry)) throw new UnreadableBooks(`Entry ${at + 1} is not an object.`)
    const cells: string[] = []
    for (const [name, value] of Object.entries(entry)) {
      if (!columns.has(name)) columns.set(name, columns.size)
      if (columns.size > bookLimits.columns) throw tooManyColumns()
      cells[columns.get(name) ?? 0] = textOf(value, name, at)
    }
    return { line: at + 1, cells }
  })
  return checked({ header: [...columns.keys()], rows })
}

function textOf(value: unknown, name: string, at: number): string {
  if (value === null || value === undefined) return ''
  if (value instanceof JsonNumber) return value.text
  if (typeof value === 'object')
    throw new UnreadableBooks(`Entry ${at + 1}: ${quoted(name)} is neither a string nor a number.`)
  return String(value)
}

export const tooManyColumns = (count = `more than ${bookLimits.columns}`) =>
  new UnreadableBooks(`The ledger has ${count} columns; at most ${bookLimits.columns} are allowed.`)

function checked(table: BookTable): BookTable {
  const { header, rows } = table
  if (header.length > bookLimits.columns) throw tooManyColumns(String(header.length))
  if (rows.length > bookLimits.rows)
    throw new UnreadableBooks(`The ledger has more than ${bookLimits.rows} entries; send one month at a time.`)
  for (const { line, cells } of rows) {
    if (cells.length > header.length && cells.slice(header.length).some((cell) => cell.trim() !== ''))
      throw new UnreadableBooks(`Row ${line} has ${cells.length} cells; the header has ${header.length}.`)
    const long = cells.find((cell) => cell !== undefined && cell.length > bookLimits.cellChars)
    if (long !== undefined)
      throw new UnreadableBooks(
        `Row ${line} has a cell of ${long.length} characters; at most ${bookLimits.cellChars} are allowed.`,
      )
  }
  return table
}
