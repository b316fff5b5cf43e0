/** `payments-sandbox account statement`: every posting that changes the available balance of an account. */
import { once } from 'node:events'
import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { StatementEntry } from '../../client/types/control.js'
import { addConnectionFlags, type Connection, connect, print, queryOf } from '../connection/connection.js'
import { bold } from '../terminal/style.js'
import { type Column, table } from '../terminal/table.js'

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
      const sandbox = connect(flags)
      if (flags.csv !== true)
        return print(
          flags,
          await sandbox.call('GET /accounts/{username}/statement', { params: { username }, query }),
          statementText,
        )
      const search = new URLSearchParams({ ...query, format: 'csv' })
      const path = `/accounts/${encodeURIComponent(username)}/statement?${search}`
      for await (const piece of await sandbox.transfer('GET', path))
        if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
    })
}

type Statement = RouteAnswer<'GET /accounts/{username}/statement'>

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

const statementText = ({ opening, entries, closing }: Statement): string =>
  [sumLine('opening', opening), table(columns, entries, 'no postings'), sumLine('closing', closing)].join('')

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
