/** The statement of an account as JSON or CSV, written while it is read, so that its length costs no memory; or a page of it. */
import { parseMoment } from '../../base/iso.js'
import { type TimeZone, timeZone } from '../../base/time-zone.js'
import { requireAccount } from '../../core/auth/account.js'
import { formatMoney } from '../../core/ledger/pricing.js'
import {
  type CurrencySums,
  readStatement as openStatement,
  type StatementEntry as ReadEntry,
  readStatementPage,
  type Statement,
  type StatementPage,
} from '../../core/ledger/statement.js'
import {
  type accountRoutes,
  type StatementEntry,
  statementColumns,
  statementTimeZone,
} from '../../protocol/control/accounts.js'
import { byCurrency, type Currency } from '../../protocol/platform/currencies.js'
import { invalid } from '../../protocol/platform/errors.js'
import { streamOf } from '../messages.js'
import { type ControlCall, rangeOf } from './routes.js'

/** Lines of CSV (RFC 4180), with a line feed as the end of line. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\n`

function csvCell(value: string | number | null): string {
  if (value === null) return ''
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type Row = (typeof accountRoutes)['readStatement']

const types = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const

export async function readStatement({ ws, request, params, query }: ControlCall<Row>): Promise<Response> {
  const { currency = null, from, to, format = 'json', time_zone: zoneName = statementTimeZone, limit, after } = query
  if (after !== undefined && limit === undefined) throw invalid('after', 'requires `limit`')
  if (limit !== undefined && format === 'csv') throw invalid('limit', 'is not available for `format=csv`')
  const zone = requireZone(zoneName)
  const { seq } = await ws.unit((unit) => requireAccount(unit.db, params.username))
  const fromMs = boundOf(zone, from, 'from', ({ fromMs: ms }) => ms)
  const toMs = boundOf(zone, to, 'to', ({ toMs: ms }) => ms)
  if (fromMs !== null && toMs !== null && fromMs > toMs) throw invalid('to', 'must not be earlier than `from`')
  const headers = { 'Content-Type': types[format] }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const filter = { accountSeq: seq, currency, fromMs, toMs }
  if (limit !== undefined)
    return Response.json(pageOf(await readStatementPage(ws, filter, rangeOf(query)), zone, currency))
  const statement = await openStatement(ws, filter)
  const texts = format === 'csv' ? csvOf(statement, zone, query.time_zone) : jsonOf(statement, zone, currency)
  return new Response(streamOf(encoded(texts)), { headers })
}

function requireZone(name: string): TimeZone {
  const zone = timeZone(name)
  if (zone === null) throw invalid('time_zone', 'must be a time zone, such as Europe/Lisbon')
  return zone
}

/** A day means its start as `from` and its end as `to`; a moment means itself. */
function boundOf(
  zone: TimeZone,
  text: string | undefined,
  field: 'from' | 'to',
  ofDay: (day: { fromMs: number; toMs: number }) => number,
): number | null {
  if (text === undefined) return null
  const day = zone.parseDay(text)
  const ms = day === null ? parseMoment(text) : ofDay(day)
  if (ms === null) throw invalid(field, 'must be a day such as 2026-11-21, or ISO 8601 with an offset')
  return ms
}

function fieldsOf(row: ReadEntry, zone: TimeZone): StatementEntry {
  const [date, time] = zone.dayAndTime(row.atMs)
  return {
    date,
    time,
    entry_id: row.entry,
    transaction_id: row.transactionId,
    external_id: row.externalId,
    type: row.type,
    description: row.description,
    currency: row.currency,
    amount: formatMoney(row.amountMinor, row.currency),
    balance: formatMoney(row.balanceMinor, row.currency),
  }
}

/** A time zone that the caller chose stands in the header, where the test of a ledger reads it. */
async function* csvOf({ parts }: Statement, zone: TimeZone, chosen: string | undefined): AsyncGenerator<string> {
  const columns = statementColumns()
  const isInZone = (column: string) => chosen !== undefined && (column === 'date' || column === 'time')
  yield csvLine(columns.map((column) => (isInZone(column) ? `${column} (${chosen})` : column)))
  for await (const part of parts)
    yield part
      .map((row) => {
        const fields = fieldsOf(row, zone)
        return csvLine(columns.map((column) => fields[column]))
      })
      .join('')
}

async function* jsonOf(
  { opening, parts, closing }: Statement,
  zone: TimeZone,
  currency: Currency | null,
): AsyncGenerator<string> {
  yield `{"opening":${JSON.stringify(sumsOf(opening, currency))},"entries":[`
  let isFirst = true
  for await (const part of parts) {
    if (part.length === 0) continue
    yield `${isFirst ? '' : ','}\n${part.map((row) => JSON.stringify(fieldsOf(row, zone))).join(',\n')}`
    isFirst = false
  }
  yield `],"closing":${JSON.stringify(sumsOf(closing, currency))}}`
}

const pageOf = ({ opening, entries, closing, nextSeq }: StatementPage, zone: TimeZone, currency: Currency | null) => ({
  opening: sumsOf(opening, currency),
  entries: entries.map((row) => fieldsOf(row, zone)),
  closing: sumsOf(closing, currency),
  next: nextSeq === null ? null : String(nextSeq),
})

function sumsOf(sums: CurrencySums, currency: Currency | null): string | Record<Currency, string> {
  const sumOf = (name: Currency) => formatMoney(sums.get(name) ?? 0n, name)
  return currency === null ? byCurrency(sumOf) : sumOf(currency)
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) if (text !== '') yield encoder.encode(text)
}
