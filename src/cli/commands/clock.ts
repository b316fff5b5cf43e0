/** `payments-sandbox clock`: reads, advances, freezes and resumes the clock. */

import type { Command } from 'commander'
import { exactDuration, formatDuration, parseDuration } from '../../base/duration.js'
import type { Advanced, ClockReading, ControlRoutes, JobInFlight } from '../../client/types/control.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import {
  addConnectionFlags,
  addDefaultAction,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  print,
  type Sandbox,
  subcommand,
} from '../command.js'
import { exitCodes, Failure, UsageError } from '../errors.js'
import { untilInterrupted } from '../lists.js'
import { backwards } from '../terminal/advice.js'
import { withClockProgress } from '../terminal/progress.js'
import { bold, type Column, dim, formatFields, table } from '../terminal/style.js'

export const usages: CommandUsages = {
  clock: {
    jsonOutputs: [{ route: 'readClock' }],
    examples: { 'payments-sandbox clock': 'show the time of the sandbox (the same as clock now)' },
  },
  'clock now': {
    jsonOutputs: [{ route: 'readClock' }],
    examples: { 'payments-sandbox clock now': 'show the time of the sandbox' },
  },
  'clock advance': {
    jsonOutputs: [{ route: 'advanceClock' }],
    examples: {
      'payments-sandbox clock advance 10m': 'advance by ten minutes and run everything that is due',
      'payments-sandbox clock advance --until idle':
        'run all scheduled jobs (expiries, retries, settlements) and the jobs that they cause',
      'payments-sandbox clock advance 1d --wait 2m':
        'advance by a day; wait at most two minutes of real time for the result',
      'payments-sandbox clock advance --to 2099-01-01T00:00:00Z': 'advance to a time',
    },
  },
  'clock cancel': {
    jsonOutputs: [{ route: 'cancelAdvance' }],
    examples: { 'payments-sandbox clock cancel': 'cancel an advance that continues in the background' },
  },
  'clock freeze': {
    jsonOutputs: [{ route: 'setClock' }],
    examples: { 'payments-sandbox clock freeze': 'stop the clock; it moves only with clock advance' },
  },
  'clock resume': {
    jsonOutputs: [{ route: 'setClock' }],
    examples: { 'payments-sandbox clock resume': 'let the clock run in real time' },
  },
}

export function define(command: Command): void {
  const read = async (flags: ConnectionFlags) => print(flags, await connect(flags).call('GET /clock'), formatClock)
  subcommand(command, 'now', 'show the time and the next scheduled job (same as clock without a subcommand)').action(
    read,
  )
  subcommand(command, 'advance', 'advance the clock; everything that becomes due runs in order')
    .argument('[duration]', 'how far to advance: 90s, 10m, 2h, 7d')
    .option('--until <moment>', 'only value: idle. Runs all scheduled jobs and the jobs that they create')
    .option('--to <time>', 'time to advance to, such as 2026-11-21T12:00:00Z')
    .option(
      '--wait <duration>',
      `how long to wait in real time; afterwards the advance continues in the background (default: ${exactDuration(controlDefaults.advanceWaitMs)})`,
    )
    .addHelpText('after', ['', 'Ctrl-C cancels the advance. Exits with 1 if the advance is not complete.'].join('\n'))
    .action(advance)
  subcommand(command, 'cancel', 'cancel all running clock advances; jobs that have run are not undone').action(cancel)
  const setMode = (mode: ClockReading['mode']) => async (flags: ConnectionFlags) =>
    print(flags, await connect(flags).call('PUT /clock', { body: { mode } }), formatClock)
  subcommand(command, 'freeze', 'stop the clock until you advance or resume it').action(setMode('manual'))
  subcommand(command, 'resume', 'resume the clock in real time').action(setMode('realtime'))
  addDefaultAction<ConnectionFlags>(addConnectionFlags(command), 0, async (_word, flags) => read(flags))
}

interface AdvanceFlags extends ConnectionFlags {
  until?: string
  to?: string
  wait?: string
}

async function advance(duration: string | undefined, flags: AdvanceFlags): Promise<void> {
  const target = targetOf(duration, flags)
  const sandbox = connect(flags)
  const stop = new AbortController()
  let advanced: Advanced | undefined
  await untilInterrupted(stop, async (signal) => {
    // A connection that closes cancels the advance.
    advanced = await withClockProgress(sandbox, 'advancing the clock', endOf(target), () =>
      sandbox.call('POST /clock/advance', { body: target, signal }),
    )
  })
  if (advanced === undefined) {
    const { now } = await sandbox.call('GET /clock')
    throw new Failure(`the advance was canceled at ${now}; jobs that have run are not undone`)
  }
  const events = flags.json === true ? '' : await eventsCausedBy(sandbox, advanced)
  print(flags, advanced, (value) => formatAdvanced(value, events))
  if (!advanced.complete) process.exitCode = exitCodes.failed
}

const maxEventsRead = 500

/** Returns the events since the first job of an advance, counted by name and delivery; empty if there are none. */
async function eventsCausedBy(sandbox: Sandbox, { ran: [first] }: Advanced): Promise<string> {
  if (first === undefined) return ''
  const { data } = await sandbox.call('GET /webhooks', { query: { limit: maxEventsRead } })
  const counts = new Map<string, number>()
  const caused = data.filter(({ created_at }) => created_at >= first.at)
  for (const { event, status, outcome } of caused.reverse()) {
    const text = `${event} ${outcome === 'no_url' ? 'without a webhook URL' : status}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const texts = [...counts].map(([text, count]) => `${count} ${text}`)
  return (caused.length < maxEventsRead ? texts : [...texts, 'and earlier ones']).join(', ')
}

const cancel = async (flags: ConnectionFlags) =>
  print(flags, await connect(flags).call('DELETE /clock/advance'), ({ canceled, now }) =>
    canceled === 0
      ? 'no advance is running\n'
      : `${bold(now)}${dim('  canceled; jobs that have run are not undone')}\n`,
  )

type Target = ControlRoutes['POST /clock/advance']['body']

function targetOf(by: string | undefined, { until, to, wait }: AdvanceFlags): Target {
  const targets = Object.entries({ by, until, to }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (targets.length !== 1)
    throw new UsageError('clock advance requires exactly one of: a duration such as 10m, --until idle, --to TIME')
  if (by?.startsWith('-')) throw new UsageError(backwards(by))
  if (by !== undefined && /^[\d.]+$/.test(by))
    throw new UsageError(`${by} has no unit; use ${by}s, ${by}m, ${by}h or ${by}d for seconds, minutes, hours or days`)
  if (by !== undefined && parseDuration(by) === null)
    throw new UsageError(`${by} is not a duration; use a form such as 90s, 10m, 2h or 7d`)
  if (until !== undefined && until !== 'idle') throw new UsageError(`--until accepts only "idle", not ${until}`)
  if (wait !== undefined && parseDuration(wait) === null)
    throw new UsageError(`--wait must be a duration such as 90s or 2m, not ${wait}`)
  return { by, to, until, wait }
}

/** Returns the end of an advance that starts at `startMs`; null if it is not known in advance. */
const endOf =
  ({ by, to }: Target) =>
  (startMs: number): number | null => {
    if (to !== undefined) return Date.parse(String(to))
    return by === undefined ? null : startMs + (parseDuration(String(by)) ?? 0)
  }

function formatClock({ now, mode, next_due, due, advancing }: ClockReading): string {
  return formatFields([
    ['now', now],
    ['mode', mode === 'manual' ? 'manual: the clock is frozen until you advance it' : mode],
    ['next', nextJob(now, next_due)],
    ['due', due],
    ...(advancing === null
      ? []
      : [['advancing', `waiting for ${webhooks(advancing.in_flight.length)} in flight`] as const]),
  ])
}

const webhooks = (count: number) => `${count} ${count === 1 ? 'webhook' : 'webhooks'}`

type RanJob = Advanced['ran'][number]

const timeColumn: Column<RanJob> = { title: 'AT', of: (row) => row.at, paint: (_value, text) => dim(text) }
const ranColumns: Column<RanJob>[] = [
  timeColumn,
  { title: 'JOB', of: (row) => row.job },
  { title: 'ID', of: (row) => row.id },
]
const inFlightColumns: Column<JobInFlight>[] = [
  { title: 'AT', of: (row) => row.at, paint: (_value, text) => dim(text) },
  { title: 'IN FLIGHT', of: (row) => row.event },
  { title: 'ID', of: (row) => row.id },
  { title: 'URL', of: (row) => row.url ?? '' },
]

function formatAdvanced({ now, ran, next_due, complete, canceled, in_flight }: Advanced, events: string): string {
  const next = complete ? nextJob(now, next_due) : unfinished(canceled)
  return [
    table(ranColumns, ran, complete ? 'nothing was due' : 'nothing has run yet'),
    in_flight.length === 0 ? '' : table(inFlightColumns, in_flight, ''),
    ran.length + in_flight.length === 0 ? '' : '\n',
    formatFields([
      ['now', now],
      ['next', next],
      ['events', events],
    ]),
  ].join('')
}

const nextJob = (now: string, due: string | null): string =>
  due === null ? 'no scheduled jobs' : `${due} (in ${formatDuration(Math.max(0, Date.parse(due) - Date.parse(now)))})`

const unfinished = (canceled: boolean) =>
  canceled
    ? 'canceled; jobs that have run are not undone'
    : 'not complete: the advance continues. Wait for it with clock advance 0s --wait 2m, or cancel it with clock cancel'
