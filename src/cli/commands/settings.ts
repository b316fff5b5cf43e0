/** `payments-sandbox settings`: the values of the running sandbox, their defaults, and where each came from. */
import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { CommandUsages } from '../command.js'
import { addConnectionFlags, type ConnectionFlags, connect, print } from '../connection.js'
import { type Column, table } from '../terminal/table.js'

export const usages: CommandUsages = {
  settings: {
    jsonOutputs: [{ route: 'readSettings' }],
    examples: {
      'payments-sandbox settings': 'list the settings, their sources and defaults',
      'payments-sandbox settings --json': 'the same with the meaning of each setting',
    },
  },
}

export function define(command: Command): void {
  addConnectionFlags(command).action(async (flags: ConnectionFlags) =>
    print(flags, await connect(flags).call('GET /settings'), ({ data }) => table(columns, data, 'no settings')),
  )
}

type Row = RouteAnswer<'GET /settings'>['data'][number]

const columns: readonly Column<Row>[] = [
  { title: 'SETTING', of: ({ name }) => name },
  { title: 'SOURCE', of: ({ source }) => source },
  { title: 'VALUE', of: ({ value }) => valueText(value) },
  { title: 'DEFAULT', of: (row) => valueText(row.default) },
]

function valueText(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
