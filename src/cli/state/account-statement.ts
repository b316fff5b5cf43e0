/** `payments-sandbox account statement`: every posting that changes the available balance of an account, printed while it arrives. */
import { once } from 'node:events'
import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { StatementEntry } from '../../client/types/control.js'
import { addConnectionFlags, type Connection, connect, queryOf } from '../connection/connection.js'
import { bold } from '../terminal/style.js'
import { type Column, GrowingTable, table } from '../terminal/table.js'

interface Flags extends Connection {
  csv?: boolean
}

const filters = ['currency', 'from', 'to', 'time_zone'] as const

export function defineAccountStatement(command: Command): void {
  addConnectionFlags(command)
    .argument('<username>')
    .option('--currency <code>', 'currency (default: all)')
    .option('--from <date>', 'first day, or a time such as 2026-11-21T12:00:00Z (default: the first posting)')
    .option('--to <date>', 'last day, inclusive, or a time (default: the last posting)')
    .option('--time-zone <name>', 'time zone of days and times (default: America/Sao_Paulo)')
    .option('--csv', 'stream the statement as CSV')
    .action(async (username: string, flags: Flags) => {
      const query = queryOf({ ...flags }, filters)
      const search = new URLSearchParams({ ...query, format: flags.csv === true ? 'csv' : 'json' })
      const path = `/accounts/${encodeURIComponent(username)}/statement?${search}`
      const pieces = await connect(flags).transfer('GET', path)
      const texts = flags.csv === true ? pieces : flags.json === true ? onOneLine(pieces) : tableOf(linesOf(pieces))
      for await (const text of texts) if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    })
}

type Pieces = AsyncIterable<Uint8Array>

const lineBreak = 10

/** Line breaks occur only between the entries, as the values of JSON contain none. */
async function* onOneLine(pieces: Pieces): AsyncGenerator<Uint8Array | string> {
  for await (const piece of pieces) yield piece.filter((byte) => byte !== lineBreak)
  yield '\n'
}

async function* linesOf(pieces: Pieces): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  yield [rest]
}

type Statement = RouteAnswer<'GET /accounts/{username}/statement'>

/** Prints the entries while they arrive, so that their number costs no memory. */
async function* tableOf(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  const growing = new GrowingTable(columns)
  let isEmpty = true
  for await (const lines of batches) {
    const parts = lines.map(partOf)
    for (const { opening } of parts) if (opening !== undefined) yield sumLine('opening', opening)
    const entries = parts.flatMap((part) => part.entries)
    if (entries.length > 0) yield growing.add(entries)
    isEmpty &&= entries.length === 0
    for (const { closing } of parts)
      if (closing !== undefined)
        yield `${isEmpty ? table(columns, [], 'no postings') : ''}${sumLine('closing', closing)}`
  }
}

/** The sandbox writes each entry on a line: the first line ends before the entries, the last one has the closing sums. */
function partOf(line: string): Partial<Statement> & Pick<Statement, 'entries'> {
  if (line.startsWith('{"opening"')) return JSON.parse(line.endsWith('[') ? `${line}]}` : line)
  return JSON.parse(line.endsWith(',') ? `{"entries":[${line.slice(0, -1)}]}` : `{"entries":[${line}`)
}

const columns: readonly Column<StatementEntry>[] = [
  { title: 'DATE', of: (row) => row.date },
  { title: 'TIME', of: (row) => row.time },
  { title: 'TRANSACTION', of: (row) => row.transaction_id },
  { title: 'EXTERNAL ID', of: (row) => row.external_id },
  { title: 'TYPE', of: (row) => row.type },
  { title: 'AMOUNT', of: (row) => row.amount, align: 'right' },
  { title: 'BALANCE', of: (row) => row.balance, align: 'right' },
  { title: 'CURRENCY', of: (row) => row.currency },
]

function sumLine(name: string, sums: Statement['opening']): string {
  const text =
    typeof sums === 'string'
      ? sums
      : Object.entries(sums)
          .filter(([, amount]) => Number(amount) !== 0)
          .map(([currency, amount]) => `${amount} ${currency}`)
          .join(', ')
  return `${bold(name)}  ${text === '' ? 'zero' : text}\n`
}
