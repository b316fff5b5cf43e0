/** Follows a run to its end and prints it: step by step if it is the only one, one line if it is one of several. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Run } from '../../client/types/control.js'
import type { Sandbox } from '../connection/connection.js'
import type { JunitCase } from '../terminal/junit.js'
import { startProgress } from '../terminal/progress.js'
import { bold, dim, paint, paintState, replaceControls } from '../terminal/style.js'

/** A finished run and how long it took, in real milliseconds. */
export interface TimedRun {
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
  let stuckSinceMs = performance.now()
  let lastState = ''
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, longestPauseMs)) {
    const finishedSteps = run.steps.filter(isOver)
    for (const step of finishedSteps.slice(printed)) print(stepLine(step))
    printed = Math.max(printed, finishedSteps.length)
    if (run.status !== 'running') break
    const next = run.steps[printed]
    if (next !== undefined) progress.setText(...positionOf(place, `${run.scenario}: ${next.step}`))
    await pause(waitMs, undefined, { signal }).catch(() => undefined)
    if (waitMs === longestPauseMs && !waitsForClock && !signal.aborted) {
      const { mode, now } = await sandbox.call('GET /clock')
      const state = mode === 'manual' ? `${now} ${printed}` : ''
      if (state === '' || state !== lastState) stuckSinceMs = performance.now()
      lastState = state
      if (performance.now() - stuckSinceMs > maxStandstillMs) {
        progress.clear()
        process.stderr.write(`payments-sandbox: ${standstillMessage(run, next?.step)}\n`)
        run = await sandbox.call('DELETE /runs/{id}', { params })
        continue
      }
    }
    run = await sandbox.call(signal.aborted ? 'DELETE /runs/{id}' : 'GET /runs/{id}', { params })
  }
  progress.stop()
  print(`  ${paintState(run.status)}\n`)
  return run
}

/** Position among the runs, from 0. */
export interface RunPosition {
  at: number
  of: number
}

const positionOf = ({ at, of }: RunPosition, text: string): [text: string, share?: number] =>
  of === 1 ? [text] : [`${at + 1} of ${of}, ${text}`, at / of]

const longestPauseMs = 250

/** Cancels a run after this long without a finished step or a change of the clock: it can wait forever on a manual clock. */
const maxStandstillMs = 3000

const standstillMessage = ({ scenario }: Run, step: string | undefined) =>
  `${scenario} waits at ${step ?? 'its end'}, and the manual clock stands still; run it with --fast-forward, or with --wait while you advance the clock elsewhere`

function statusSign(status: string): string {
  if (status === 'passed') return paint('green', '✓')
  return status === 'failed' ? paint('red', '✗') : paint('dim', '-')
}

function stepLine({ step, status, detail }: Run['steps'][number]): string {
  const more = replaceControls(detailText(detail))
  return `  ${statusSign(status)} ${replaceControls(step)}${more === '' ? '' : `  ${status === 'failed' ? more : dim(more)}`}\n`
}

/** Returns the line of one run of several, with its steps if the run did not pass. */
export function runLine({ run, tookMs }: TimedRun): string {
  const head = `${statusSign(run.status)} ${replaceControls(run.scenario)} ${dim(`${(tookMs / 1000).toFixed(2)} s`)}\n`
  return run.status === 'passed' ? head : head + run.steps.map((step) => `  ${stepLine(step)}`).join('')
}

const detailText = (detail: unknown): string =>
  detail === null || detail === undefined ? '' : typeof detail === 'string' ? detail : JSON.stringify(detail)

export function junitCase({ run, tookMs }: TimedRun): JunitCase {
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
