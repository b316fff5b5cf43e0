/** `payments-sandbox seed demo`: creates sample data. */

import type { Command } from 'commander'
import { dayMs } from '../../base/duration.js'
import type { RouteAnswer } from '../../client/control.js'
import { defaultSeedDays } from '../../protocol/control/state.js'
import type { CommandUsages } from '../command.js'
import { type ConnectionFlags, connect, print, subcommand, wholeNumber } from '../connection.js'
import { withClockProgress } from '../terminal/progress.js'
import { bold, paintState } from '../terminal/style.js'
import { formatFields } from '../terminal/table.js'

export const usages: CommandUsages = {
  'seed demo': {
    jsonOutputs: [{ route: 'seed' }],
    examples: { 'payments-sandbox seed demo': 'create sample data for a month' },
  },
}

export function define(command: Command): void {
  subcommand(command, 'demo', 'create sample data for a month: charges of all rails, withdrawals, disputes, failures')
    .option('--days <number>', `number of days (default: ${defaultSeedDays})`)
    .action(async (flags: ConnectionFlags & { days?: string }) => {
      const sandbox = connect(flags)
      const days = flags.days === undefined ? undefined : wholeNumber('--days', flags.days, 1, 90)
      const request = { params: { name: 'demo' }, body: { days } }
      const seeded = await withClockProgress(
        sandbox,
        'creating sample data',
        (startMs) => startMs + (days ?? defaultSeedDays) * dayMs,
        () => sandbox.call('POST /seed/{name}', request),
      )
      print(flags, seeded, formatSeeded)
    })
}

const formatSeeded = ({ from, to, happened, refused }: RouteAnswer<'POST /seed/{name}'>) =>
  `${paintState('ok', '✓')} ${bold('demo')}\n${formatFields(
    [
      ['from', from],
      ['to', `${to} (the clock is here now)`],
      ['actions', happened],
      ['rejected', refused === 0 ? null : refused],
    ],
    '  ',
  )}`
