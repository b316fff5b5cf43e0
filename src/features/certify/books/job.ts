/** Certification of a ledger over HTTP: reads JSON or CSV, compares the entries with the statement, returns the report. */

import {
  type Ask,
  bodyText,
  type ControlCall,
  invalid,
  isLargeBody,
  receiveBody,
  requireContentType,
  validateInput,
} from '../../../inside/handlers.js'
import { ApiError } from '../../../inside/platform.js'
import { isJsonObject, JsonError, parseDay, readJson, TooManyKeys } from '../../../inside/values.js'
import { merchant } from '../receiver/test-events.js'
import { certifyBooks as compareBooks } from './certify-books.js'
import { bookColumnNames, maxBooksBytes } from './column-names.js'
import { zoneOfTable } from './columns.js'
import { zoneOf } from './entries.js'
import { type BooksSource, booksSourceOf, type Period, sizeOf } from './platform.js'
import { type BookOptions, type BooksReport, booksBody, type booksRoutes, type ReceivedBooks } from './routes.js'
import { type BookTable, bookLimits, tableOfCsv, tableOfEntries, tooManyColumns, UnreadableBooks } from './table.js'
import { bookTypes } from './words.js'

type Call = ControlCall<typeof booksRoutes.certifyBooks>

export async function certifyBooks({ host, ws, request, env, query }: Call): Promise<BooksReport> {
  const { bytes, error } = await receiveBody(request, env.memoryShare, maxBooksBytes)
  if (error !== null) throw error
  const type = requireContentType(request.headers, ['application/json', 'text/csv'])
  const received = { type, bytes, query }
  const source = booksSourceOf(ws)
  const { runJob } = host
  if (runJob === undefined || (!isLargeBody(bytes) && (await sizeOf(ws)) <= largeStatement))
    return certifyReceived(source, received)
  const answer = ({ ids, account }: Question) =>
    ids === undefined ? source.nextPage(account) : source.transactionsOf(ids)
  // The questions and the value are those of `booksJob`.
  return (await runJob('books', received, bytes, (question) => answer(question as Question))) as BooksReport
}

/** A larger statement takes longer than a turn of the event loop. */
const largeStatement = 5000

type Question = { account: string; ids?: never } | { account?: never; ids: readonly string[] }

/** Certifies in another thread, which asks the sandbox for the pages of the statement. */
export function booksJob(received: ReceivedBooks, ask: Ask): Promise<BooksReport> {
  // `certifyBooks` answers.
  const put = <T>(question: Question) => ask(question) as Promise<T>
  const nextPage: BooksSource['nextPage'] = (account) => put({ account })
  const transactionsOf: BooksSource['transactionsOf'] = (ids) => put({ ids })
  return certifyReceived({ nextPage, transactionsOf, pause: async () => {} }, received)
}

/** Reads the ledger and compares it. */
async function certifyReceived(source: BooksSource, received: ReceivedBooks): Promise<BooksReport> {
  try {
    const { table, account = merchant, from, to, ...given } = await readInput(received)
    const options = { ...given, time_zone: given.time_zone ?? zoneOfTable(table, given.columns ?? {}) }
    const zone = zoneOf(options.time_zone)
    const period: Period = { zone, from: dayOf(from, 'from'), to: dayOf(to, 'to') }
    return await compareBooks(source, { table, options, account }, period)
  } catch (error) {
    throw error instanceof UnreadableBooks
      ? new ApiError('INVALID_VALUE', { field: 'entries', rule: error.message, ...error.details }, error.message)
      : error
  }
}

async function readInput({ type, bytes, query }: ReceivedBooks): Promise<BookOptions & { table: BookTable }> {
  const { columns, types, minor_units: minorUnits, ...given } = query
  const options = {
    ...given,
    columns: pairsIn('columns', columns),
    types: pairsIn('types', types),
    minor_units: minorUnits === 'true',
  }
  if (type === 'text/csv') return { ...options, table: await tableOfCsv(bytes) }
  const { entries, ...fields } = validateInput(booksBody(), jsonOf(bytes), 'field')
  return { ...options, ...fields, table: tableOfEntries(entries) }
}

/** Parses the body. An array is a ledger too. */
function jsonOf(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = readJson(bodyText(bytes), maxValues, bookLimits.columns)
  } catch (error) {
    if (error instanceof TooManyKeys) throw tooManyColumns()
    if (error instanceof JsonError) throw new ApiError('INVALID_JSON', { reason: error.message })
    throw error
  }
  if (Array.isArray(value)) return { entries: value }
  if (!isJsonObject(value)) throw new ApiError('INVALID_JSON', { reason: 'the body must be a JSON object' })
  return value
}

const maxValues = bookLimits.rows * 20

const pairForms = {
  columns: `field=header, such as amount=valor; the field must be one of ${bookColumnNames.join(', ')}`,
  types: `word=type, such as gift=charge; the type must be one of ${bookTypes.join(', ')}`,
}

/** The pairs of a parameter as the field of a body. A word that occurs in several pairs means several types. */
function pairsIn<Name extends keyof typeof pairForms>(name: Name, text: string | undefined): BookOptions[Name] {
  if (text === undefined) return undefined
  const wrong = () => invalid(name, `must have the form ${pairForms[name]}`)
  const values = new Map<string, string[]>()
  for (const pair of text.split(',')) {
    const [word, ...rest] = pair.split('=').map((part) => part.trim())
    if (word === undefined || rest.length === 0) throw wrong()
    values.set(word, [...(values.get(word) ?? []), rest.join('=')])
  }
  const field = Object.fromEntries([...values].map(([word, all]) => [word, name === 'types' ? all : all.at(-1)]))
  const { success, data } = booksBody().shape[name].safeParse(field)
  if (!success) throw wrong()
  // That is the schema of the field.
  return data as BookOptions[Name]
}

function dayOf(text: string | undefined, field: 'from' | 'to'): string | null {
  if (text === undefined) return null
  if (parseDay(text) === null) throw invalid(field, 'must be a day such as 2026-11-21')
  return text
}
