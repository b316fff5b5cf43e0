/** Certification of a ledger over HTTP: reads JSON or CSV, compares the entries with the statement, returns the report. */

import { parseDay } from '../../base/iso.js'
import { JsonError, readJson } from '../../base/json.js'
import { isJsonObject } from '../../base/unknown.js'
import { requireAccount } from '../../core/auth/account.js'
import { bodyText, receiveBody, requireContentType } from '../../http/bodies.js'
import { invalid, validateInput } from '../../http/control/check.js'
import type { ControlCall } from '../../http/control/routes.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { certifyBooks as compareBooks } from '../core/books/certify-books.js'
import { type BookOptions, readBook } from '../core/books/entries.js'
import type { Period } from '../core/books/platform.js'
import { type BookTable, bookLimits, tableOfCsv, tableOfEntries, UnreadableBooks } from '../core/books/table.js'
import { merchant } from '../core/test-events.js'
import { type BookColumn, bookColumnNames, maxBooksBytes } from '../protocol/books-columns.js'
import { booksBody, type booksRoutes } from '../protocol/books-routes.js'

type Call = ControlCall<typeof booksRoutes.certifyBooks>

interface Given extends BookOptions {
  table: BookTable
  account?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export async function certifyBooks(call: Call) {
  const { ws } = call
  try {
    const { table, account = merchant, from, to, ...options } = await readInput(call)
    const period: Period = { from: dayOf(from, 'from'), to: dayOf(to, 'to') }
    const { seq } = await ws.unit((unit) => requireAccount(unit.db, account))
    return await compareBooks(ws, seq, readBook(table, options), period)
  } catch (error) {
    throw error instanceof UnreadableBooks
      ? new ApiError('INVALID_VALUE', { field: 'entries', rule: error.message }, { message: error.message })
      : error
  }
}

async function readInput({ request, env, query }: Call): Promise<Given> {
  const { bytes, error } = await receiveBody(request, env.memoryShare, maxBooksBytes)
  if (error !== null) throw error
  const type = requireContentType(request.headers, ['application/json', 'text/csv'])
  const options = { ...query, columns: columnsOf(query.columns) }
  if (type === 'text/csv') return { ...options, table: await tableOfCsv(bytes) }
  const { entries, ...fields } = validateInput(booksBody(), jsonOf(bytes), 'field')
  return { ...options, ...fields, table: tableOfEntries(entries) }
}

/** Parses the body. An array is a ledger too. */
function jsonOf(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = readJson(bodyText(bytes), maxValues)
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('INVALID_JSON', { reason: error.message })
    throw error
  }
  if (Array.isArray(value)) return { entries: value }
  if (!isJsonObject(value)) throw new ApiError('INVALID_JSON', { reason: 'the body must be a JSON object' })
  return value
}

const maxValues = bookLimits.rows * 20

function columnsOf(text: string | undefined): Partial<Record<BookColumn, string>> | undefined {
  if (text === undefined) return undefined
  const pairs = text.split(',').map((pair) => {
    const [name = '', ...header] = pair.split('=')
    const column = bookColumnNames.find((one) => one === name.trim())
    if (column === undefined || header.length === 0)
      throw invalid(
        'columns',
        `must have the form field=header, such as amount=valor; the field must be one of ${bookColumnNames.join(', ')}`,
      )
    return [column, header.join('=')] as const
  })
  return Object.fromEntries(pairs)
}

function dayOf(text: string | undefined, field: 'from' | 'to'): string | null {
  if (text === undefined) return null
  if (parseDay(text) === null) throw invalid(field, 'must be a day such as 2026-11-21')
  return text
}
