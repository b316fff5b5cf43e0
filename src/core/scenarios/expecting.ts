/** Wakes the runs that wait for something to come true, inside the very unit that changed something: no step of time comes between. */
import { type Step, stepKey } from '../../protocol/scenario/file.js'
import type { Db } from '../../store/db.js'
import { selector } from '../../store/rows.js'
import type { RunState } from '../../store/run-state.js'
import { runs } from '../../store/schema.js'
import { schedule } from '../jobs/jobs.js'
import type { Change } from '../unit/bus.js'
import type { Expecting, Unit } from '../unit/unit.js'

const awaited: readonly Change['type'][] = ['transaction', 'dispute', 'wallet', 'webhook', 'account']

export function wakeExpecting(unit: Unit, change: Change): void {
  if (!awaited.includes(change.type)) return
  const about = change.type === 'webhook' ? String(change.subject) : change.id
  for (const [id, objects] of unit.expecting)
    if (objects === null || objects.has(about)) schedule(unit, 'scenario', unit.atMs, id)
}

const running = selector(runs, `where status = 'running'`)

/** After a start, a reset or a restore. */
export function reloadExpecting(db: Db, expecting: Expecting): void {
  expecting.clear()
  for (const run of running(db)) if (run.state.expecting) expecting.set(run.id, objectsOf(run))
}

/** A balance depends on everybody's doings, and an id may name an object that is not the run's own. */
export function objectsOf({ state, steps }: { state: RunState; steps: readonly Step[] }): ReadonlySet<string> | null {
  const step = steps[state.next]
  if (step === undefined || stepKey(step) !== 'expect') return null
  const { balance, id } = step.expect as { balance?: unknown; id?: unknown }
  return balance !== undefined || id !== undefined || state.objects.length === 0 ? null : new Set(state.objects)
}
