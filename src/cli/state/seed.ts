/** `payments-sandbox seed demo`: a workspace that looks used. */

import type { Command } from 'commander'
import { dayMs } from '../../base/duration.js'
import type { RouteAnswer } from '../../client/control.js'
import { daysOfAMonth } from '../../protocol/control/seed.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, talks } from '../connection/connection.js'
import { UsageError } from '../errors.js'
import { withClockProgress } from '../terminal/progress.js'
import { bold, paintState } from '../terminal/style.js'
import { facts } from '../terminal/table.js'

export const words: Words = {
  'seed demo': {
    prints: [{ route: 'seed' }],
    examples: [{ run: 'payments-sandbox seed demo', says: 'a month to look at in the dashboard' }],
  },
}

export function define(command: Command): void {
  talks(
    command.command('demo').description('a believable month: charges of all rails, withdrawals, disputes, failures'),
  )
    .option('--days <number>', `how many days (default ${daysOfAMonth})`)
    .action(async (flags: Connection & { days?: string }) => {
      const sandbox = connect(flags)
      const days = daysOf(flags.days)
      const wish = { params: { name: 'demo' }, body: { days } }
      const seeded = await withClockProgress(
        sandbox,
        'a month goes by',
        (startMs) => startMs + (days ?? daysOfAMonth) * dayMs,
        () => sandbox.call('POST /seed/{name}', wish),
      )
      print(flags, seeded, told)
    })
}

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d?$/.test(text)) throw new UsageError(`--days takes a whole number from 1 to 90, not ${text}`)
  return Number(text)
}

const told = ({ from, to, happened, refused }: RouteAnswer<'POST /seed/{name}'>) =>
  `${paintState('ok', '✓')} ${bold('demo')}\n${facts(
    [
      ['from', from],
      ['to', `${to} (business time now)`],
      ['happened', happened],
      ['refused', refused === 0 ? null : refused],
    ],
    '  ',
  )}`
