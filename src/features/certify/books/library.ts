/** `certifyBooks`: compares a ledger with the statement of an account, in one call. */

import type { BooksReport, ControlRoutes } from '../../../inside/client.js'
import { defaultUrl } from '../../../inside/control.js'
import { connectSandbox, requireKnown, type Sandbox } from '../../../inside/library.js'
import { isJsonObject, mapRows } from '../../../inside/values.js'
import { booksOptions, fieldsOf, libraryNames } from '../options.js'

interface BookFields {
  transaction_id?: string | null | undefined
  external_id?: string | null | undefined
  /** Transaction type as in the statement, or a common name for it such as `refund`, `fee` or `saque`. */
  type?: string | undefined
  currency?: string | undefined
  amount?: string | number | undefined
  /** Money out and money in, in place of `amount`. */
  debit?: string | number | null | undefined
  credit?: string | number | null | undefined
  /** Debit or credit, beside an amount without a sign. */
  direction?: string | null | undefined
  /** Date, or date and time with UTC offset. */
  date?: string | null | undefined
  fee?: string | number | null | undefined
  status?: string | null | undefined
}

/** An entry of your ledger. The fields have the names of `BookFields`, or your own names if `columns` maps them. */
export interface BookEntryRow extends BookFields {
  [more: string]: string | number | boolean | null | undefined
}

export interface CertifyBooksOptions {
  /** Username (default: `merchant`). */
  account?: string | undefined
  /** First day, `YYYY-MM-DD`. */
  from?: string | undefined
  /** Last day, inclusive. */
  to?: string | undefined
  /** Your names of the fields: `{ amount: 'valor' }`. */
  columns?: Partial<Record<keyof BookFields, string>> | undefined
  /** Types of the statement by your words: `{ gift: 'charge', move: 'transfer' }`. A list if a word means several. */
  types?: Exclude<ControlRoutes['POST /certify/books']['body'], string>['types']
  /** Decimal mark of amounts such as `1.234`. */
  decimal?: 'point' | 'comma' | undefined
  /** Whether amounts are whole minor units, such as `1999` for 19.99 BRL. */
  minorUnits?: boolean | undefined
  /** Time zone in which the days of the ledger begin (default: America/Sao_Paulo). */
  timeZone?: string | undefined
  /** A running sandbox (default: the one at `PAYMENTS_SANDBOX_URL`, else on the default port). */
  sandbox?: Sandbox | undefined
}

/** `rows` are entries, or the text of a CSV file. Rejects with `SandboxError` if they cannot be read. */
export async function certifyBooks(
  rows: readonly BookEntryRow[] | string,
  options: CertifyBooksOptions = {},
): Promise<BooksReport> {
  requireKnown('certifyBooks', options, [...libraryNames(booksOptions), 'sandbox'])
  const given = fieldsOf(booksOptions, options)
  const { sandbox: target } = options
  const sandbox = target ?? (await connectSandbox(process.env.PAYMENTS_SANDBOX_URL || defaultUrl))
  try {
    if (typeof rows !== 'string')
      return await sandbox.control.call('POST', '/certify/books', { ...given, entries: rows })
    const query = mapRows(given, parameterOf)
    return await sandbox.control.call('POST', '/certify/books', rows, { contentType: 'text/csv', query })
  } finally {
    if (target === undefined) await sandbox.close()
  }
}

/** Fields become `name=value,name=value`; each value of a list is a pair of its own. */
function parameterOf(value: unknown): string | undefined {
  if (!isJsonObject(value)) return value === undefined ? undefined : String(value)
  const pairs = Object.entries(value).flatMap(([name, given]) => [given].flat().map((one) => `${name}=${one}`))
  return pairs.length === 0 ? undefined : pairs.join(',')
}
