/** `payments-sandbox clock`: read it, advance it, freeze it, let it run. */

import type { Command } from 'commander'
import { formatDuration, parseDuration } from '../../base/duration.js'
import type { Advanced, ClockReading, ControlRoutes, JobInFlight } from '../../client/types/control.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, talks } from '../connection/connection.js'
import { exitCodes, Failure, UsageError } from '../errors.js'
import { byItself } from '../terminal/group.js'
import { withClockProgress } from '../terminal/progress.js'
import { bold, dim } from '../terminal/style.js'
import { type Column, facts, table } from '../terminal/table.js'
import { untilTold } from '../watch/lists.js'

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
      {
        run: 'payments-sandbox clock advance --until idle',
        says: 'until what is due now, and what it causes, has run',
      },
      { run: 'payments-sandbox clock advance 1d --wait 2m', says: 'wait for two minutes at most' },
      { run: 'payments-sandbox clock advance --to 2099-01-01T00:00:00Z', says: 'to a moment' },
    ],
  },
  'clock cancel': {
    prints: [{ route: 'cancelAdvance' }],
    examples: [{ run: 'payments-sandbox clock cancel', says: 'end an advance that continues in the background' }],
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
  talks(command.command('advance').description('advance the clock from job to job, until everything due has run'))
    .argument('[duration]', 'by how much: 90s, 10m, 2h, 7d')
    .option('--until <moment>', 'idle: until the jobs that exist now, and what they cause, have run')
    .option('--to <time>', 'to a moment, such as 2026-11-21T12:00:00Z')
    .option('--wait <duration>', 'how long to wait for it in real time; then it continues by itself (default: 30s)')
    .addHelpText('after', ['', 'Ctrl-C cancels the advance. Exit code 1 when it is not complete.'].join('\n'))
    .action(advance)
  talks(command.command('cancel').description('cancel every advance of the clock; what has run is kept')).action(cancel)
  const setMode = (mode: ClockReading['mode']) => async (flags: Connection) =>
    print(flags, await connect(flags).call('PUT /clock', { body: { mode } }), reading)
  talks(command.command('freeze').description('time stands still until it is told to move')).action(setMode('manual'))
  talks(command.command('resume').description('time passes by itself again')).action(setMode('realtime'))
  byItself<Connection>(talks(command), 0, async (_word, flags) => read(flags))
}

interface AdvanceFlags extends Connection {
  until?: string
  to?: string
  wait?: string
}

async function advance(duration: string | undefined, flags: AdvanceFlags): Promise<void> {
  const target = targetOf(duration, flags)
  const sandbox = connect(flags)
  const stop = new AbortController()
  let advanced: Advanced | undefined
  await untilTold(stop, async (signal) => {
    // A connection that closes cancels the advance.
    advanced = await withClockProgress(sandbox, 'advancing the clock', endOf(target), () =>
      sandbox.call('POST /clock/advance', { body: target, signal }),
    )
  })
  if (advanced === undefined) {
    const { now } = await sandbox.call('GET /clock')
    throw new Failure(`the advance was canceled: what has run is kept, and the clock is at ${now}`)
  }
  print(flags, advanced, told)
  if (!advanced.complete) process.exitCode = exitCodes.refused
}

const cancel = async (flags: Connection) =>
  print(flags, await connect(flags).call('DELETE /clock/advance'), ({ canceled, now }) =>
    canceled === 0 ? 'no advance is under way\n' : `${bold(now)}${dim('  canceled: what has run is kept')}\n`,
  )

type Target = ControlRoutes['POST /clock/advance']['body']

function targetOf(by: string | undefined, { until, to, wait }: AdvanceFlags): Target {
  const given = Object.entries({ by, until, to }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (given.length !== 1)
    throw new UsageError('clock advance takes one of: a duration such as 10m, --until idle, --to TIME')
  if (by !== undefined && parseDuration(by) === null)
    throw new UsageError(`${by} is no duration: it looks like 90s, 10m, 2h or 7d`)
  if (until !== undefined && until !== 'idle') throw new UsageError(`--until takes idle, not ${until}`)
  if (wait !== undefined && parseDuration(wait) === null)
    throw new UsageError(`--wait takes a duration such as 90s or 2m, not ${wait}`)
  return { by, to, until, wait }
}

/** Where an advance ends that begins at `startMs`; null where only the advance itself finds out. */
const endOf =
  ({ by, to }: Target) =>
  (startMs: number): number | null => {
    if (to !== undefined) return Date.parse(String(to))
    return by === undefined ? null : startMs + (parseDuration(String(by)) ?? 0)
  }

function reading({ now, mode, next_due, due, advancing }: ClockReading): string {
  const next =
    next_due === null
      ? 'nothing is due'
      : `${next_due} (in ${formatDuration(Math.max(0, Date.parse(next_due) - Date.parse(now)))})`
  return facts([
    ['now', now],
    ['mode', mode === 'manual' ? 'manual: time stands still until it is told to move' : mode],
    ['next', next],
    ['due', due],
    ...(advancing === null
      ? []
      : [['advancing', `waits for ${webhooks(advancing.in_flight.length)} to be answered`] as const]),
  ])
}

const webhooks = (count: number) => `${count} ${count === 1 ? 'webhook' : 'webhooks'}`

type Ran = Advanced['ran'][number]

const at: Column<Ran> = { title: 'AT', of: (row) => row.at, paint: (_value, shown) => dim(shown) }
const ranColumns: Column<Ran>[] = [at, { title: 'JOB', of: (row) => row.job }, { title: 'ID', of: (row) => row.id }]
const inFlightColumns: Column<JobInFlight>[] = [
  { title: 'AT', of: (row) => row.at, paint: (_value, shown) => dim(shown) },
  { title: 'IN FLIGHT', of: (row) => row.event },
  { title: 'ID', of: (row) => row.id },
  { title: 'URL', of: (row) => row.url ?? '' },
]

function told({ now, ran, next_due, complete, canceled, in_flight }: Advanced): string {
  const next = complete ? (next_due === null ? 'nothing is due' : `next at ${next_due}`) : unfinished(canceled)
  return [
    table(ranColumns, ran, complete ? 'nothing was due' : 'nothing has run yet'),
    in_flight.length === 0 ? '' : table(inFlightColumns, in_flight, ''),
    `${bold(now)}${dim(`  ${next}`)}\n`,
  ].join('')
}

const unfinished = (canceled: boolean) =>
  canceled
    ? 'canceled: what has run is kept'
    : 'not complete: the advance continues; wait for it with clock advance 0s --wait 2m, or end it with clock cancel'
