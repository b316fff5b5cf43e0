/** Follows a run to its end, and tells it: step by step where it is the only one, in a line where it is one of many. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Run } from '../../client/types/control.js'
import type { Sandbox } from '../connection/connection.js'
import type { JunitCase } from '../terminal/junit.js'
import { startProgress } from '../terminal/progress.js'
import { bold, dim, harmless, paint, paintState } from '../terminal/style.js'

/** A finished run and how long it took, in real milliseconds. */
export interface Ran {
  run: Run
  tookMs: number
}

const isOver = ({ status }: Run['steps'][number]) => status !== 'pending' && status !== 'running'

/** Asks until it is over, and tells each step once it is done. A signal cancels the run. */
export async function watch(
  sandbox: Sandbox,
  begun: Run,
  tell: (line: string) => void,
  signal: AbortSignal,
  place: Place,
  isPatient: boolean,
): Promise<Run> {
  const progress = startProgress(begun.scenario)
  const say = (line: string) => {
    progress.clear()
    tell(line)
  }
  const params = { id: begun.id }
  say(`${bold(begun.scenario)} ${dim(begun.id)}\n`)
  let run = begun
  let told = 0
  let stuckSinceMs = performance.now()
  let seen = ''
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, longestPauseMs)) {
    const over = run.steps.filter(isOver)
    for (const step of over.slice(told)) say(stepLine(step))
    told = Math.max(told, over.length)
    if (run.status !== 'running') break
    const next = run.steps[told]
    if (next !== undefined) progress.say(...whereItIs(place, `${run.scenario}: ${next.step}`))
    await pause(waitMs, undefined, { signal }).catch(() => undefined)
    if (waitMs === longestPauseMs && !isPatient && !signal.aborted) {
      const { mode, now } = await sandbox.call('GET /clock')
      const sight = mode === 'manual' ? `${now} ${told}` : ''
      if (sight === '' || sight !== seen) stuckSinceMs = performance.now()
      seen = sight
      if (performance.now() - stuckSinceMs > longestStandstillMs) {
        progress.clear()
        process.stderr.write(`payments-sandbox: ${noWayForward(run, next?.step)}\n`)
        run = await sandbox.call('DELETE /runs/{id}', { params })
        continue
      }
    }
    run = await sandbox.call(signal.aborted ? 'DELETE /runs/{id}' : 'GET /runs/{id}', { params })
  }
  progress.stop()
  say(`  ${paintState(run.status)}\n`)
  return run
}

/** The how manieth of how many, from 0. */
export interface Place {
  at: number
  of: number
}

const whereItIs = ({ at, of }: Place, text: string): [text: string, share?: number] =>
  of === 1 ? [text] : [`${at + 1} of ${of}, ${text}`, at / of]

const longestPauseMs = 250

/** On a manual clock a run that waits waits for ever, unless somebody moves time: so long with no step done and no time moved. */
const longestStandstillMs = 3000

const noWayForward = ({ scenario }: Run, step: string | undefined) =>
  `${scenario} waits at ${step ?? 'its end'}, and the clock is manual, so time stands still: run it with --fast-forward, or with --wait while you advance the clock elsewhere`

function sign(status: string): string {
  if (status === 'passed') return paint('green', '✓')
  return status === 'failed' ? paint('red', '✗') : paint('dim', '-')
}

function stepLine({ step, status, detail }: Run['steps'][number]): string {
  const more = harmless(inWords(detail))
  return `  ${sign(status)} ${harmless(step)}${more === '' ? '' : `  ${status === 'failed' ? more : dim(more)}`}\n`
}

/** One of many: its steps are told only where it did not pass. */
export function ranLine({ run, tookMs }: Ran): string {
  const head = `${sign(run.status)} ${harmless(run.scenario)} ${dim(`${(tookMs / 1000).toFixed(2)} s`)}\n`
  return run.status === 'passed' ? head : head + run.steps.map((step) => `  ${stepLine(step)}`).join('')
}

export const inWords = (detail: unknown): string =>
  detail === null || detail === undefined ? '' : typeof detail === 'string' ? detail : JSON.stringify(detail)

export function junitCase({ run, tookMs }: Ran): JunitCase {
  const passed = { className: 'payments-sandbox', name: run.scenario, tookMs }
  if (run.status === 'passed') return passed
  const failed = run.steps.find(({ status }) => status === 'failed')
  const message = failed === undefined ? `the run was ${run.status}` : `${failed.step}: ${inWords(failed.detail)}`
  const lines = run.steps.map(({ step, status, detail }) => `${status}  ${step}  ${inWords(detail)}`.trim())
  return { ...passed, failure: { message, text: lines.join('\n') } }
}

export function summary(done: readonly Ran[]): string {
  const failed = done.filter(({ run }) => run.status !== 'passed').length
  const seconds = (done.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1000).toFixed(1)
  const head =
    failed === 0
      ? paint('green', `all ${done.length} passed`)
      : paint('red', `${failed} of ${done.length} did not pass`)
  return `\n${head} ${dim(`in ${seconds} s`)}\n`
}
