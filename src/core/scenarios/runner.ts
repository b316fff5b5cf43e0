/** Runs the steps of a scenario on the workspace's clock. The state of a run is stored in its row. */
import { ApiError } from '../../protocol/platform/errors.js'
import { type Step, stepKey } from '../../protocol/scenario/file.js'
import { cancelJobs, schedule } from '../jobs/jobs.js'
import { findTransaction } from '../operations/transactions.js'
import type { Unit } from '../unit/unit.js'
import { objectsOf, waitingRuns } from './arms.js'
import { findRun, type Run, type StepOutcome, saveRun } from './runs.js'
import { performStep } from './steps.js'

/** Steps in one transaction, so that calls run in between. */
const stepsPerTransaction = 25

/**
 * Runs every step that is possible now, the later ones of a long run in another job. Does nothing if the run has
 * finished or was deleted.
 */
export function continueRun(unit: Unit, id: string): void {
  const run = findRun(unit.db, id)
  if (run === undefined || run.status !== 'running') return
  cancelJobs(unit, 'scenario', id)
  const { state } = run
  const pauseAt = state.currentStep + stepsPerTransaction
  let waiting = false
  while (run.status === 'running' && !waiting && state.currentStep < pauseAt) {
    const step = run.steps[state.currentStep]
    if (step === undefined) finishRun(unit, run, 'passed')
    else waiting = runStep(unit, run, step)
  }
  if (run.status === 'running' && !waiting) schedule(unit, 'scenario', unit.atMs, id)
  updateWaitingRun(unit, run, waiting && state.expecting)
  saveRun(unit, run)
}

/** Returns true if the step has to wait. */
function runStep(unit: Unit, run: Run, step: Step): boolean {
  const { state } = run
  const outcome = tryStep(unit, run, step)
  const result = run.results[state.currentStep]
  if (result === undefined) throw new Error(`run ${run.id} has no step ${state.currentStep}`)
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
  state.currentStep++
  if (outcome.kind === 'failed') finishRun(unit, run, 'failed')
  return false
}

function tryStep(unit: Unit, run: Run, step: Step): StepOutcome {
  try {
    return unit.attempt(() => performStep(unit, run, stepKey(step), Object.values(step)[0]))
  } catch (error) {
    if (unit.db.isUnavailable(error)) throw error
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', detail: error instanceof ApiError ? `${error.code}: ${message}` : message }
  }
}

/**
 * Finishes a run. Withdrawals that it left pending settle by themselves again, unless the scenario or the settings say
 * otherwise.
 */
function finishRun(unit: Unit, run: Run, status: 'passed' | 'failed' | 'canceled'): void {
  run.status = status
  run.finishedAtMs = unit.atMs
  for (const result of run.results) {
    if (result.status !== 'pending' && result.status !== 'running') continue
    result.status = status === 'canceled' ? 'canceled' : 'skipped'
    result.atMs = unit.atMs
  }
  const { config } = unit
  if (run.state.settleAfterRun === 'manual' || config.cashoutSettle === 'manual') return
  for (const id of run.state.heldSettles)
    if (findTransaction(unit.db, id)?.status === 'pending')
      schedule(unit, 'settle', unit.atMs + config.cashoutSettleMs, id)
}

/** Throws 409 INVALID_TRANSITION if the run has finished. */
export function cancelRun(unit: Unit, run: Run): Run {
  if (run.status !== 'running')
    throw new ApiError(
      'INVALID_TRANSITION',
      { from: run.status, action: 'run.cancel', allowed: [] },
      { message: `Run ${run.id} has already finished (${run.status}).` },
    )
  cancelJobs(unit, 'scenario', run.id)
  finishRun(unit, run, 'canceled')
  updateWaitingRun(unit, run, false)
  saveRun(unit, run)
  return run
}

/** Registers the run at once, so that changes later in the same unit wake it too. */
function updateWaitingRun(unit: Unit, run: Run, isExpecting: boolean): void {
  const runs = unit.memory.of(waitingRuns)
  const before = runs.get(run.id)
  unit.undo(() => (before === undefined ? runs.delete(run.id) : runs.set(run.id, before)))
  if (isExpecting) runs.set(run.id, objectsOf(run))
  else runs.delete(run.id)
}
