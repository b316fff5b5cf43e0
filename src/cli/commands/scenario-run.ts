/** `payments-sandbox scenario run`: runs scenarios one after the other, prints each step, and writes a JUnit report. */

import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { suggestion } from '../../base/text.js'
import { SandboxError } from '../../client/errors.js'
import type { ClockReading, Run, Scenario } from '../../client/types/control.js'
import { altersWebhooks } from '../../protocol/scenario/problems.js'
import { UnusableFile } from '../../runtime/node/files/input.js'
import { checkOutput, type Output, writeOutput } from '../../runtime/node/files/output.js'
import { type ConnectionFlags, connect, repeatableFlag, type Sandbox } from '../command.js'
import { exitCodes, Failure, UsageError } from '../errors.js'
import { untilInterrupted } from '../lists.js'
import { startProgress } from '../terminal/progress.js'
import { type JunitCase, junit } from '../terminal/report-writer.js'
import { bold, dim, paint, paintState, replaceControls } from '../terminal/style.js'

interface Flags extends ConnectionFlags {
  id?: string
  account?: string
  fastForward?: boolean
  wait?: boolean
  param: string[]
  junit?: string
}

export function defineScenarioRun(command: Command): void {
  command
    .argument('<name|file...>', 'scenario names, or YAML and JSON files')
    .option('--id <id>', 'object to use, if the scenario does not create one')
    .option('--account <username>', 'account that owns the created objects (default: the first account)')
    .option('--fast-forward', 'advance the clock instead of waiting')
    .option('--wait', 'wait until the run ends, even if a manual clock stands still')
    .addOption(repeatableFlag('--param <key=value>', 'override a parameter'))
    .option('--junit <file>', 'write the results as JUnit XML')
    .action(runAll)
}

async function runAll(targets: string[], flags: Flags): Promise<void> {
  const report: Output | null = flags.junit === undefined ? null : { file: flags.junit, kind: 'junit', flag: '--junit' }
  if (report !== null) checkOutput(report)
  const sandbox = connect(flags)
  const done: TimedRun[] = []
  const stop = new AbortController()
  await untilInterrupted(stop, async (signal) => {
    for (const [at, target] of targets.entries()) {
      const finishedRun = await runOne(sandbox, target, flags, { at, of: targets.length }, signal)
      done.push(finishedRun)
      if (flags.json !== true && targets.length > 1) process.stdout.write(runLine(finishedRun))
      if (signal.aborted) break
    }
  })
  if (report !== null) await writeOutput(report, junit('scenarios', done.map(junitCase)))
  const [first] = done
  if (flags.json === true) {
    const answer =
      targets.length === 1 && first !== undefined ? first.run : { data: done.map(({ run }) => run), next: null }
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  } else if (done.length > 1) process.stdout.write(summary(done))
  if (flags.json !== true && flags.fastForward === true)
    process.stdout.write(dim(`the clock of the sandbox is now at ${(await sandbox.call('GET /clock')).now}\n`))
  if (done.some(({ run }) => run.status !== 'passed') || done.length < targets.length)
    process.exitCode = exitCodes.failed
}

async function runOne(
  sandbox: Sandbox,
  target: string,
  flags: Flags,
  position: RunPosition,
  signal: AbortSignal,
): Promise<TimedRun> {
  const startedMs = performance.now()
  const { name, isNew, restorePrevious } = isFile(target)
    ? await uploadFile(sandbox, target)
    : { name: target, isNew: false, restorePrevious: async () => {} }
  try {
    const body = {
      id: flags.id,
      account: flags.account,
      fast_forward: flags.fastForward,
      params: flags.param.length === 0 ? undefined : await parameters(sandbox, name, flags.param),
    }
    const startedRun = await sandbox.call('POST /scenarios/{name}/run', { params: { name }, body })
    const write = flags.json === true || position.of > 1 ? () => {} : (line: string) => process.stdout.write(line)
    const run = await watch(sandbox, startedRun, write, signal, position, flags.wait === true)
    if (isFile(target))
      write(
        dim(
          isNew
            ? `  ${name} was deleted after the run; scenario arm ${target} stores it\n`
            : `  ${name} was already stored in the sandbox and is unchanged\n`,
        ),
      )
    return { run, tookMs: performance.now() - startedMs }
  } finally {
    await restorePrevious()
  }
}

/** Parses `key=value` arguments; a value gets the type of the parameter's default. */
async function parameters(sandbox: Sandbox, name: string, pairs: readonly string[]): Promise<Values> {
  const { params } = await sandbox.call('GET /scenarios/{name}', { params: { name } })
  const known = Object.keys(params)
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
      if (key === '') throw new UsageError(`--param must be key=value, not ${JSON.stringify(pair)}`)
      if (known.includes(key)) return [key, parseLike(params[key], value)]
      const rule = suggestion(key, known, ', which has no parameters')
      throw new UsageError(`${key} is not a parameter of ${name}${rule}`)
    }),
  )
}

type Values = Record<string, string | number | boolean>

function parseLike(example: unknown, value: string): string | number | boolean {
  if (typeof example === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  if (typeof example === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}

/** A finished run and how long it took, in real milliseconds. */
interface TimedRun {
  run: Run
  tookMs: number
}

const isOver = ({ status }: Run['steps'][number]) => status !== 'pending' && status !== 'running'

/** Polls the run until it ends, and prints each finished step. A signal cancels the run. */
export async function watch(
  sandbox: Sandbox,
  begun: Run,
  write: (line: string) => void,
  signal: AbortSignal,
  place: RunPosition,
  waitsForClock: boolean,
): Promise<Run> {
  const progress = startProgress(begun.scenario)
  const print = (line: string) => {
    progress.clear()
    write(line)
  }
  const params = { id: begun.id }
  print(`${bold(begun.scenario)} ${dim(begun.id)}\n`)
  let run = begun
  let printed = 0
  const standstill = new Standstill(waitsForClock)
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, longestPauseMs)) {
    const finishedSteps = run.steps.filter(isOver)
    for (const step of finishedSteps.slice(printed)) print(stepLine(step))
    printed = Math.max(printed, finishedSteps.length)
    if (run.status !== 'running') break
    const next = run.steps[printed]
    if (next !== undefined) progress.setText(...positionOf(place, `${run.scenario}: ${inProgress(next)}`))
    await pause(waitMs, undefined, { signal }).catch(() => undefined)
    let isStuck = false
    if (waitMs === longestPauseMs && !signal.aborted) {
      const found = standstill.check(run, printed, await sandbox.call('GET /clock'))
      if (found !== null) {
        progress.clear()
        process.stderr.write(`payments-sandbox: ${found.message}\n`)
        isStuck = found.isStuck
      }
    }
    run = await sandbox.call(signal.aborted || isStuck ? 'DELETE /runs/{id}' : 'GET /runs/{id}', { params })
  }
  progress.stop()
  print(`  ${paintState(run.status === 'passed' && altersWebhooks(run) ? 'applied' : run.status)}\n`)
  return run
}

/** A running `wait` has its end as its detail. */
const inProgress = ({ step, detail }: Run['steps'][number]) =>
  step === 'wait' && detail !== null ? `${step} ${detail}` : step

/** Position among the runs, from 0. */
interface RunPosition {
  at: number
  of: number
}

const positionOf = ({ at, of }: RunPosition, text: string): [text: string, share?: number] =>
  of === 1 ? [text] : [`${at + 1} of ${of}, ${text}`, at / of]

const longestPauseMs = 250

/** Real time without a finished step after which the wait is explained, or the run is canceled on a clock that stands still. */
const maxStandstillMs = 3000

/** Notices that a run waits long: forever on a manual clock that nobody advances. */
class Standstill {
  #sinceMs = performance.now()
  #state = ''
  #explained = ''

  constructor(readonly waitsForClock: boolean) {}

  /** Returns what to print now, if anything. */
  check(
    { scenario, steps }: Run,
    step: number,
    { mode, now }: ClockReading,
  ): { message: string; isStuck: boolean } | null {
    const canStandStill = mode === 'manual' && !this.waitsForClock
    const state = `${step} ${canStandStill ? now : ''}`
    if (state !== this.#state) this.#sinceMs = performance.now()
    this.#state = state
    if (performance.now() - this.#sinceMs < maxStandstillMs || this.#explained === state) return null
    this.#explained = state
    const next = steps[step]
    if (canStandStill)
      return {
        message: `${scenario} waits at ${next?.step ?? 'its end'}, and the manual clock stands still; run it with --fast-forward, or with --wait while you advance the clock elsewhere`,
        isStuck: true,
      }
    if (next?.step !== 'wait') return null
    const message = `${scenario}: ${inProgress(next)}, and the clock shows ${now}; run it with --fast-forward to advance the clock instead`
    return { message, isStuck: false }
  }
}

function statusSign(status: string): string {
  if (status === 'passed') return paint('green', '✓')
  return status === 'failed' ? paint('red', '✗') : paint('dim', '-')
}

function stepLine({ step, status, detail }: Run['steps'][number]): string {
  const more = replaceControls(detailText(detail))
  return `  ${statusSign(status)} ${replaceControls(step)}${more === '' ? '' : `  ${status === 'failed' ? more : dim(more)}`}\n`
}

/** Returns the line of one run of several, with its steps if the run did not pass. */
function runLine({ run, tookMs }: TimedRun): string {
  const head = `${statusSign(run.status)} ${replaceControls(run.scenario)} ${dim(`${(tookMs / 1000).toFixed(2)} s`)}\n`
  return run.status === 'passed' ? head : head + run.steps.map((step) => `  ${stepLine(step)}`).join('')
}

const detailText = (detail: unknown): string =>
  detail === null || detail === undefined ? '' : typeof detail === 'string' ? detail : JSON.stringify(detail)

function junitCase({ run, tookMs }: TimedRun): JunitCase {
  const passed = { className: 'payments-sandbox', name: run.scenario, tookMs }
  if (run.status === 'passed') return passed
  const failed = run.steps.find(({ status }) => status === 'failed')
  const message = failed === undefined ? `the run was ${run.status}` : `${failed.step}: ${detailText(failed.detail)}`
  const lines = run.steps.map(({ step, status, detail }) => `${status}  ${step}  ${detailText(detail)}`.trim())
  return { ...passed, failure: { message, text: lines.join('\n') } }
}

export function summary(done: readonly TimedRun[]): string {
  const failed = done.filter(({ run }) => run.status !== 'passed').length
  const seconds = (done.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1000).toFixed(1)
  const head =
    failed === 0
      ? paint('green', `all ${done.length} passed`)
      : paint('red', `${failed} of ${done.length} did not pass`)
  return `\n${head} ${dim(`in ${seconds} s`)}\n`
}

/** Whether the argument is a file: names are words joined by hyphens. */
export const isFile = (target: string): boolean => /\.(ya?ml|json)$/i.test(target) || target.includes('/')

interface Uploaded {
  name: string
  /** Whether the upload is new; false if the sandbox already had an upload of that name or an equal scenario. */
  isNew: boolean
  /** Deletes the upload, so that a built-in scenario of that name is used again. */
  restorePrevious(): Promise<void>
}

/** Uploads the file, unless the sandbox already has an equal scenario. Throws a `Failure` with every mistake of the file. */
export async function uploadFile(sandbox: Sandbox, file: string): Promise<Uploaded> {
  const { readScenarioFile, mistakeLines } = await import('../../runtime/node/scenario-files.js')
  let read: ReturnType<typeof readScenarioFile>
  try {
    read = readScenarioFile(file)
  } catch (error) {
    throw error instanceof UnusableFile ? new UsageError(error.message) : error
  }
  if (read.mistakes !== null) throw new Failure(mistakeLines(read).join('\n'))
  const { scenario } = read
  const known = await findScenario(sandbox, scenario.name)
  if (known !== undefined && hasSameEffect(known, { ...scenario }))
    return { name: scenario.name, isNew: false, restorePrevious: async () => {} }
  await sandbox.call('POST /scenarios', { body: { ...scenario } })
  const putBack = async () => {
    if (known?.origin !== 'uploaded')
      await sandbox.call('DELETE /scenarios/{name}', { params: { name: scenario.name } }).catch(() => undefined)
  }
  return { name: scenario.name, isNew: known?.origin !== 'uploaded', restorePrevious: putBack }
}

async function findScenario(sandbox: Sandbox, name: string): Promise<Scenario | undefined> {
  try {
    return await sandbox.call('GET /scenarios/{name}', { params: { name } })
  } catch (error) {
    if (error instanceof SandboxError && error.status === 404) return undefined
    throw error
  }
}

const comparedFields = ['on', 'times', 'params', 'settle', 'steps', 'outcomes'] as const
const defaults: Record<string, unknown> = { params: {}, settle: 'auto' }

const hasSameEffect = (known: Scenario, scenario: Record<string, unknown>): boolean =>
  comparedFields.every((field) => isDeepStrictEqual(known[field] ?? null, scenario[field] ?? defaults[field] ?? null))
