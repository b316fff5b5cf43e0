/** `payments-sandbox probe`: makes a fixed set of calls to the platform, records them, and compares them with the sandbox. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import {
  addJsonFlag,
  type CommandUsages,
  exitCodes,
  Failure,
  portNumber,
  prepareFolder,
  startProgress,
  stateFolder,
  UsageError,
  untilInterrupted,
  withProgress,
} from '../../../inside/commands.js'
import { defaultConfig, variablePrefix } from '../../../inside/control.js'
import { checkOutput, isStream, jobRunner, UnusableFile } from '../../../inside/node.js'
import { codeOf, isoUtc, keysOf, minuteMs, secondMs } from '../../../inside/values.js'
import type { DetailedComparison } from '../compare.js'
import type { ProbeNeed } from './probes.js'
import type { ProbeReceiver } from './receiver.js'
import type { ProbeRecording } from './recording.js'
import type { Planned, ProbeReport } from './report.js'
import type { RunEnd, RunOptions } from './run.js'
import type { ProbeTarget } from './send.js'

interface Flags {
  target: string
  clientId?: string
  clientSecret?: string
  signingKey?: string
  money: string
  withdrawals?: boolean
  webhooksPort?: string
  out?: string
  dryRun?: boolean
  resume?: boolean
  json?: boolean
}

export const usages: CommandUsages = {
  probe: {
    jsonOutputs: [
      { description: 'the result of each probe, the figures of each tier, and the comparison' },
      { when: '--dry-run', description: 'the probes, whether each of them runs, and what they cost' },
    ],
    examples: {
      'payments-sandbox probe --target http://127.0.0.1:4010 --money small --dry-run':
        'show what a run with small charges does and costs, without any call',
    },
  },
}

export function define(command: Command): void {
  addJsonFlag(
    command
      .description(
        'make a fixed set of calls to the platform, record them, and compare them with the sandbox; exit code 0: no difference, 1: differences, 2: cannot run, 3: nothing answers, 4: incomplete',
      )
      .requiredOption('--target <url>', 'base URL of the platform')
      .option('--client-id <id>', 'client id (default: PAYMENTS_SANDBOX_CLIENT_ID)')
      .option('--client-secret <text>', 'client secret (default: PAYMENTS_SANDBOX_CLIENT_SECRET)')
      .option('--signing-key <text>', 'for signed calls (default: PAYMENTS_SANDBOX_SIGNING_KEY)')
      .addOption(
        new Option(
          '--money <level>',
          'none, or small: also create small charges, which nobody has to pay, and fixed wallets',
        )
          .choices(['none', 'small'])
          .default('none'),
      )
      .option('--withdrawals', 'also make small withdrawals and a conversion; requires --money small')
      .option('--webhooks-port <number>', 'local port on which the webhooks of the platform arrive')
      .option('--out <file>', 'HAR file to write; an existing recording is replaced')
      .option(
        '--resume',
        'continue the interrupted run that --out has recorded; can pay an interrupted withdrawal twice',
      )
      .option('--dry-run', 'only print what a run does and costs'),
  ).action(probe)
}

async function probe(flags: Flags): Promise<void> {
  const base = baseOf(flags.target)
  const needs = needsOf(flags)
  const port = flags.webhooksPort === undefined ? null : portNumber('--webhooks-port', flags.webhooksPort)
  if (flags.resume === true && flags.out === undefined) throw new UsageError('--resume requires --out')
  const { planOf, reportOf } = await import('./report.js')
  const { ProbeRecording } = await import('./recording.js')
  const plan = planOf(needs)
  const recording = new ProbeRecording(base, flags.out ?? null, jobRunner(null))
  try {
    if (flags.dryRun === true) {
      if (flags.resume === true && flags.out !== undefined) recording.resume(flags.out)
      return await printPlan(recording, plan, flags.json === true)
    }
    const target = { base, ...credentialsOf(flags) }
    let end: RunEnd | undefined
    await untilInterrupted(new AbortController(), async (signal) => {
      await prepare(recording, plan, flags)
      const receiver = port === null ? null : await openReceiver(recording, port)
      end = await runPlan({ target, recording, receiver, plan, signal }).finally(() => receiver?.close())
    })
    if (end === undefined) throw new Failure('the run was interrupted before its first call')
    const compared = await withProgress('comparing', () => compareRun(recording))
    const { done, probeAt, file } = recording
    const ran = { target: base, file, plan, end, done, hasWebhooks: port !== null, compared, probeAt }
    await conclude(reportOf(ran), end, flags.json === true)
  } catch (error) {
    throw error instanceof UnusableFile ? new UsageError(error.message) : error
  } finally {
    await recording.end()
  }
}

/** Checks that the run can be made, and says what it does. */
async function prepare(recording: ProbeRecording, plan: readonly Planned[], { out, resume, json }: Flags) {
  const { probeOutput } = await import('./recording.js')
  if (out !== undefined) {
    if (isStream(out)) throw new UsageError(`--out must be a regular file, not ${out}`)
    checkOutput(probeOutput(out))
  }
  if (resume === true && out !== undefined) recording.resume(out)
  else requirePause(recording.target)
  prepareFolder()
  const text = await textOf(recording, plan)
  // The report is the only output with --json.
  ;(json === true ? process.stderr : process.stdout).write(text)
}

async function printPlan(recording: ProbeRecording, plan: readonly Planned[], isJson: boolean): Promise<void> {
  const { costsOf, leftOf } = await import('./report.js')
  const { probeOf } = await import('./probes.js')
  const left = leftOf(plan, recording.done)
  const probes = plan.map(({ id, missing }) => ({ id, ...probeOf(id), runs: left.includes(id), missing }))
  const json = { target: recording.target, costs: costsOf(left), probes }
  process.stdout.write(isJson ? `${JSON.stringify(json)}\n` : await textOf(recording, plan))
}

async function textOf({ target, done, interrupted: ids }: ProbeRecording, plan: readonly Planned[]): Promise<string> {
  const { planText } = await import('./report.js')
  const again = `again   ${ids.join(', ')}: interrupted, so a withdrawal can be made a second time\n`
  return `${planText(target, plan, done)}\n${ids.length === 0 ? '' : again}`
}

type Running = Omit<RunOptions, 'onProbe'> & { plan: readonly Planned[] }

async function runPlan({ plan, ...running }: Running): Promise<RunEnd> {
  const { runProbes } = await import('./run.js')
  const { leftOf } = await import('./report.js')
  const left = leftOf(plan, running.recording.done)
  const progress = startProgress('probing')
  const onProbe = (at: number) => {
    noteRun(running.target.base)
    progress.setText(`probing: ${left[at] ?? ''}`, at / left.length)
  }
  const onWait = (text: string) => {
    progress.clear()
    process.stderr.write(`${text}\n`)
  }
  return await runProbes(left, { ...running, onProbe, onWait }).finally(() => progress.stop())
}

/** null if nothing was recorded that can be compared. */
async function compareRun(recording: ProbeRecording): Promise<DetailedComparison | null> {
  const { compareInDetailHere } = await import('../node.js')
  const { NotHar } = await import('../har/exchange.js')
  try {
    return await compareInDetailHere([recording.text()], defaultConfig)
  } catch (error) {
    if (error instanceof NotHar) return null
    throw error
  }
}

async function conclude(report: ProbeReport, end: RunEnd, isJson: boolean): Promise<void> {
  const { reportText } = await import('./report.js')
  const { terminalText } = await import('../report/text.js')
  const { isPassed } = await import('../judge/accept.js')
  const { comparison } = report
  const text = () => `${reportText(report)}${comparison === null ? '' : `\n${terminalText(comparison, [])}`}`
  process.stdout.write(isJson ? `${JSON.stringify(report)}\n` : text())
  const isAgreed = comparison !== null && isPassed(comparison, [])
  process.exitCode = exitCodeOf(report, end, isAgreed)
}

function exitCodeOf({ status }: ProbeReport, { isUnreachable, isRejected }: RunEnd, isAgreed: boolean): number {
  if (isUnreachable) return exitCodes.unreachable
  if (isRejected) return exitCodes.usage
  if (status === 'incomplete') return exitCodes.incomplete
  return isAgreed ? exitCodes.done : exitCodes.failed
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--target must be an http:// or https:// URL, not ${text}`)
  // The URL is not printed, because it contains a password.
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--target must not contain a user name or password')
  if (url.search !== '' || url.hash !== '') throw new UsageError('--target must not have a query or a fragment')
  return url.href.replace(/\/$/, '')
}

function needsOf({ money, withdrawals, webhooksPort, ...flags }: Flags): Set<ProbeNeed> {
  const isSmall = money === 'small'
  if (withdrawals === true && !isSmall) throw new UsageError('--withdrawals requires --money small')
  const has: Record<Exclude<ProbeNeed, 'dispute'>, boolean> = {
    key: signingKeyOf(flags) !== null,
    money: isSmall,
    withdrawals: withdrawals === true,
    webhooks: webhooksPort !== undefined,
  }
  return new Set(keysOf(has).filter((need) => has[need]))
}

const variable = (name: string) => process.env[`${variablePrefix}${name}`] || null
const signingKeyOf = ({ signingKey }: Pick<Flags, 'signingKey'>) => signingKey ?? variable('SIGNING_KEY')

function credentialsOf(flags: Flags): Omit<ProbeTarget, 'base'> {
  const clientId = flags.clientId ?? variable('CLIENT_ID')
  const clientSecret = flags.clientSecret ?? variable('CLIENT_SECRET')
  if (clientId === null) throw new UsageError('--client-id is required')
  if (clientSecret === null) throw new UsageError('--client-secret is required')
  return { clientId, clientSecret, signingKey: signingKeyOf(flags) }
}

async function openReceiver(recording: ProbeRecording, port: number): Promise<ProbeReceiver> {
  const { ProbeReceiver } = await import('./receiver.js')
  const receiver = new ProbeReceiver(recording)
  try {
    await receiver.listen(port)
  } catch (error) {
    throw new Failure(`cannot listen (${codeOf(error)}); choose another --webhooks-port`)
  }
  return receiver
}

const fileOf = (base: string) =>
  join(stateFolder(), `probe-${createHash('sha256').update(base).digest('hex').slice(0, 12)}`)

/** The platform counts calls by the minute. Throws `UsageError` if the last run is too recent. */
function requirePause(base: string): void {
  const sinceMs = Date.now() - lastRunMs(base)
  if (sinceMs >= 0 && sinceMs < minuteMs) {
    const [since, left] = [sinceMs, minuteMs - sinceMs].map((ms) => Math.ceil(ms / secondMs))
    throw new UsageError(
      `the last run against ${base} was ${since} s ago; try again in ${left} s, or continue it with --resume`,
    )
  }
}

function lastRunMs(base: string): number {
  try {
    return Date.parse(readFileSync(fileOf(base), 'utf8'))
  } catch {
    return Number.NaN
  }
}

const noteRun = (base: string) => writeFileSync(fileOf(base), isoUtc(Date.now()), { mode: 0o600 })
