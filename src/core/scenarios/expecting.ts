/** Wakes the runs that wait for something to come true, inside the very unit that changed something: no step of time comes between. */
import { type Step, stepKey } from '../../protocol/scenario/file.js'
import type { Db } from '../../store/db.js'
import { selector } from '../../store/rows.js'
import type { RunState } from '../../store/run-state.js'
import { runs } from '../../store/schema.js'
import { schedule } from '../jobs/jobs.js'
import type { Change } from '../unit/bus.js'
import type { MemorySlot } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'

/** The objects that each waiting run looks at, by the id of the run; null: any change may be the one. */
type Expecting = Map<string, ReadonlySet<string> | null>

/** Runs whose current step waits for something to come true: looked at again after every change. */
export const expecting: MemorySlot<Expecting> = { begin: ({ db }) => readExpecting(db) }

const awaited: readonly Change['type'][] = ['transaction', 'dispute', 'wallet', 'webhook', 'account']

export function wakeExpecting(unit: Unit, change: Change): void {
  const runs = unit.memory.of(expecting)
  if (runs.size === 0 || !awaited.includes(change.type)) return
  const about = change.type === 'webhook' ? String(change.subject) : change.id
  for (const [id, objects] of runs)
    if (objects === null || objects.has(about)) schedule(unit, 'scenario', unit.atMs, id)
}

const running = selector(runs, `where status = 'running'`)

const readExpecting = (db: Db): Expecting =>
  new Map(
    running(db)
      .filter((run) => run.state.expecting)
      .map((run) => [run.id, objectsOf(run)]),
  )

/** A balance depends on everybody's doings, and an id may name an object that is not the run's own. */
export function objectsOf({ state, steps }: { state: RunState; steps: readonly Step[] }): ReadonlySet<string> | null {
  const step = steps[state.next]
  if (step === undefined || stepKey(step) !== 'expect') return null
  const { balance, id } = step.expect as { balance?: unknown; id?: unknown }
  return balance !== undefined || id !== undefined || state.objects.length === 0 ? null : new Set(state.objects)
}
