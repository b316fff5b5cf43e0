/** `payments-sandbox clock`: read it, walk it, freeze it, let it run. */

import type { Command } from 'commander'
import { formatDuration, parseDuration } from '../../base/duration.js'
import type { Advanced, ClockReading, ControlRoutes } from '../../client/types/control.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, talks } from '../connection/connection.js'
import { UsageError } from '../errors.js'
import { byItself } from '../terminal/group.js'
import { withClockProgress } from '../terminal/progress.js'
import { bold, dim } from '../terminal/style.js'
import { facts, table } from '../terminal/table.js'

export const words: Words = {
  clock: {
    prints: [{ route: 'readClock' }],
    examples: [
      { run: 'payments-sandbox clock', says: 'what time it is' },
      { run: 'payments-sandbox clock advance 10m', says: 'ten minutes pass, with everything that is due in them' },
    ],
  },
  'clock now': {
    prints: [{ route: 'readClock' }],
    examples: [{ run: 'payments-sandbox clock now', says: 'the same' }],
  },
  'clock advance': {
    prints: [{ route: 'advanceClock' }],
    examples: [
      { run: 'payments-sandbox clock advance 10m', says: 'ten minutes' },
      { run: 'payments-sandbox clock advance --until idle', says: 'until nothing is due any more' },
      { run: 'payments-sandbox clock advance --to 2099-01-01T00:00:00Z', says: 'to a moment' },
    ],
  },
  'clock freeze': {
    prints: [{ route: 'setClock' }],
    examples: [{ run: 'payments-sandbox clock freeze', says: 'from now on time passes only by advance' }],
  },
  'clock resume': {
    prints: [{ route: 'setClock' }],
    examples: [{ run: 'payments-sandbox clock resume', says: 'from here on it runs by itself' }],
  },
}

export function define(command: Command): void {
  const read = async (flags: Connection) => print(flags, await connect(flags).call('GET /clock'), reading)
  talks(command.command('now').description('what time it is, and what is due (also without the word)')).action(read)
  talks(command.command('advance').description('walk the clock forward, from job to job, until everything due has run'))
    .argument('[duration]', 'by how much: 90s, 10m, 2h, 7d')
    .option('--until <moment>', 'idle: until nothing is due any more')
    .option('--to <time>', 'to a moment, such as 2026-11-21T12:00:00Z')
    .action(advance)
  const setMode = (mode: ClockReading['mode']) => async (flags: Connection) =>
    print(flags, await connect(flags).call('PUT /clock', { body: { mode } }), reading)
  talks(command.command('freeze').description('time stands still until it is told to move')).action(setMode('manual'))
  talks(command.command('resume').description('time passes by itself again')).action(setMode('realtime'))
  byItself<Connection>(talks(command), 0, async (_word, flags) => read(flags))
}

async function advance(
  duration: string | undefined,
  flags: Connection & { until?: string; to?: string },
): Promise<void> {
  const target = targetOf(duration, flags)
  const sandbox = connect(flags)
  const advanced = await withClockProgress(sandbox, 'walking the clock', endOf(target), () =>
    sandbox.call('POST /clock/advance', { body: target }),
  )
  print(flags, advanced, told)
}

type Target = ControlRoutes['POST /clock/advance']['body']

function targetOf(by: string | undefined, { until, to }: { until?: string; to?: string }): Target {
  const given = Object.entries({ by, until, to }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (given.length !== 1)
    throw new UsageError('clock advance takes one of: a duration such as 10m, --until idle, --to TIME')
  if (by !== undefined && parseDuration(by) === null)
    throw new UsageError(`${by} is no duration: it looks like 90s, 10m, 2h or 7d`)
  if (until !== undefined && until !== 'idle') throw new UsageError(`--until takes idle, not ${until}`)
  return { by, to, until }
}

/** Where the way ends that begins at `startMs`; null where only the walk itself finds out. */
const endOf =
  ({ by, to }: Target) =>
  (startMs: number): number | null => {
    if (to !== undefined) return Date.parse(String(to))
    return by === undefined ? null : startMs + (parseDuration(String(by)) ?? 0)
  }

function reading({ now, mode, next_due, due }: ClockReading): string {
  const next =
    next_due === null
      ? 'nothing is due'
      : `${next_due} (in ${formatDuration(Math.max(0, Date.parse(next_due) - Date.parse(now)))})`
  return facts([
    ['now', now],
    ['mode', mode === 'manual' ? 'manual: time stands still until it is told to move' : mode],
    ['next', next],
    ['due', due],
  ])
}

function told({ now, ran, next_due }: Advanced): string {
  const columns = [
    { title: 'AT', of: (row: Advanced['ran'][number]) => row.at, paint: (_value: string, shown: string) => dim(shown) },
    { title: 'JOB', of: (row: Advanced['ran'][number]) => row.job },
    { title: 'ID', of: (row: Advanced['ran'][number]) => row.id },
  ]
  return `${table(columns, ran, 'nothing was due')}\n${bold(now)}${next_due === null ? dim('  nothing is due') : dim(`  next at ${next_due}`)}\n`
}
