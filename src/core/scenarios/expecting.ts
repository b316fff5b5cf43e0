/** Wakes the runs that wait for something to come true, inside the very unit that changed something: no step of time comes between. */
import { eq } from 'drizzle-orm'
import { runs } from '../../store/schema.js'
import type { Change } from '../bus.js'
import { schedule } from '../jobs.js'
import type { Unit, Workspace } from '../workspace.js'

const awaited: readonly Change['type'][] = ['transaction', 'dispute', 'wallet', 'webhook', 'account']

export function wakeExpecting(unit: Unit, change: Change): void {
  if (!awaited.includes(change.type)) return
  for (const id of unit.ws.expecting) schedule(unit, 'scenario', unit.atMs, id)
}

/** After a start, a reset or a restore. */
export function reloadExpecting(ws: Workspace): void {
  ws.expecting.clear()
  const running = ws.db.orm
    .select({ id: runs.id, state: runs.state })
    .from(runs)
    .where(eq(runs.status, 'running'))
    .all()
  for (const { id, state } of running) if (state.expecting) ws.expecting.add(id)
}
