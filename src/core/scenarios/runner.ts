/** Takes a run from step to step on the workspace's clock; everything it must remember lies in its row. */
import { ApiError } from '../../protocol/platform/errors.js'
import { type Step, stepKey } from '../../protocol/scenario/file.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import { findTransaction } from '../operations/transactions.js'
import type { Unit } from '../unit/unit.js'
import { expecting, objectsOf } from './arms.js'
import { findRun, type Run, type StepOutcome, saveRun } from './runs.js'
import { doStep } from './steps.js'

/** So many steps in one transaction; then others get their turn. */
const stepsAtOnce = 25

/** Does every step that can be done now, the later ones of a long run in jobs of their own. A run that is over, or gone, is left alone. */
export function continueRun(unit: Unit, id: string): void {
  const run = findRun(unit.db, id)
  if (run === undefined || run.status !== 'running') return
  cancelJobs(unit, 'scenario', id)
  const { state } = run
  const pauseAt = state.next + stepsAtOnce
  let waiting = false
  while (run.status === 'running' && !waiting && state.next < pauseAt) {
    const step = run.steps[state.next]
    if (step === undefined) finishRun(unit, run, 'passed')
    else waiting = advance(unit, run, step)
  }
  if (run.status === 'running' && !waiting) schedule(unit, 'scenario', unit.atMs, id)
  watch(unit, run, waiting && state.expecting)
  saveRun(unit, run)
}

/** True where the step has to wait. */
function advance(unit: Unit, run: Run, step: Step): boolean {
  const { state } = run
  const outcome = tryStep(unit, run, step)
  const result = run.results[state.next]
  if (result === undefined) throw new Error(`run ${run.id} has no step ${state.next}`)
  result.detail = outcome.detail
  if (outcome.kind === 'waiting') {
    result.status = 'running'
    state.untilMs = outcome.untilMs
    state.expecting = outcome.expecting
    schedule(unit, 'scenario', outcome.untilMs, run.id)
    return true
  }
  result.status = outcome.kind
  result.atMs = unit.atMs
  state.untilMs = null
  state.expecting = false
  state.next++
  if (outcome.kind === 'failed') finishRun(unit, run, 'failed')
  return false
}

function tryStep(unit: Unit, run: Run, step: Step): StepOutcome {
  try {
    return unit.attempt(() => doStep(unit, run, stepKey(step), Object.values(step)[0]))
  } catch (error) {
    if (unit.db.isUnavailable(error)) throw error
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', detail: error instanceof ApiError ? `${error.code}: ${message}` : message }
  }
}

/** Ends a run; a withdrawal that it left pending settles by itself again, unless the scenario says otherwise. */
function finishRun(unit: Unit, run: Run, status: 'passed' | 'failed' | 'canceled'): void {
  run.status = status
  run.finishedAtMs = unit.atMs
  for (const result of run.results) {
    if (result.status !== 'pending' && result.status !== 'running') continue
    result.status = status === 'canceled' ? 'canceled' : 'skipped'
    result.atMs = unit.atMs
  }
  const { config } = unit
  if (run.state.settle === 'manual' || config.cashoutSettle === 'manual') return
  for (const id of run.state.heldSettles)
    if (findTransaction(unit.db, id)?.status === 'pending')
      schedule(unit, 'settle', unit.atMs + config.cashoutSettleMs, id)
}

/** 409 INVALID_TRANSITION where it is over. */
export function cancelRun(unit: Unit, run: Run): Run {
  if (run.status !== 'running')
    throw new ApiError(
      'INVALID_TRANSITION',
      { from: run.status, action: 'run.cancel', allowed: [] },
      { message: `The run ${run.id} is over: it has ${run.status === 'canceled' ? 'been canceled' : run.status}.` },
    )
  cancelJobs(unit, 'scenario', run.id)
  finishRun(unit, run, 'canceled')
  watch(unit, run, false)
  saveRun(unit, run)
  return run
}

/** Changes of this very unit are looked at too. */
function watch(unit: Unit, run: Run, isExpecting: boolean): void {
  const runs = unit.memory.of(expecting)
  const before = runs.get(run.id)
  unit.undo(() => (before === undefined ? runs.delete(run.id) : runs.set(run.id, before)))
  if (isExpecting) runs.set(run.id, objectsOf(run))
  else runs.delete(run.id)
}
