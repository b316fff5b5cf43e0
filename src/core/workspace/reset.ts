/** Brings a workspace back to the state right after start. */
import { isoUtc } from '../../base/iso.js'
import { writeMeta } from '../../store/db.js'
import { tableNames } from '../../store/dump.js'
import { armAtStart } from '../scenarios/arms.js'
import { nextDueMs } from '../scheduler/jobs.js'
import { replaceBy } from '../snapshots/image-swap.js'
import { inTurn } from '../snapshots/in-turn.js'
import { abandon } from '../webhooks/dispatch-state.js'
import { betweenUnits } from './between-units.js'
import { saveClock } from './clock-rows.js'
import { renewMemory } from './lifecycle.js'
import { keepMemory } from './memory.js'
import { silentUnit } from './opening.js'
import { seedAccounts, seededSecrets } from './seed.js'
import type { Unit } from './unit.js'
import type { Workspace } from './workspace.js'

/** Rows, clock, queue, lockouts, rate windows, request log. A seed starts over, chance does not. */
export const reset = (ws: Workspace): Promise<void> =>
  ws.origin === null ? beginAnew(ws) : backToOrigin(ws, ws.origin)

/** As it was opened with the image: with the same mode of the clock, and the same ids to come. */
function backToOrigin(ws: Workspace, origin: Uint8Array): Promise<void> {
  const replace = () => {
    replaceBy(
      ws,
      () => ws.db.swap(origin),
      (_before, kept) => kept + 1,
    )
    if (ws.config.clock !== null) ws.clock.setMode(ws.config.clock)
    ws.db.transaction(() => {
      armAtStart(silentUnit(ws))
      saveClock(ws.db, ws.clock)
    })
    ws.bus.publish({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
    ws.bus.publish({ type: 'workspace', id: ws.name, status: 'reset' })
  }
  return inTurn(ws, () => betweenUnits(ws, replace))
}

async function beginAnew(ws: Workspace): Promise<void> {
  await ws.unit((unit) => {
    const { dispatch } = ws.memory
    unit.undo(keepMemory(ws))
    const secrets = seededSecrets(unit)
    emptyTables(unit)
    ws.clock.restore({ mode: ws.config.clock ?? 'realtime', offsetMs: 0, frozenAtMs: null })
    renewMemory(ws, 0)
    writeMeta(unit.db, 'epoch', '0')
    seedAccounts(silentUnit(ws), secrets)
    armAtStart(silentUnit(ws))
    saveClock(unit.db, ws.clock)
    unit.change({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
    unit.change({ type: 'workspace', id: ws.name, status: 'reset' })
    unit.after(() => {
      abandon(dispatch)
      ws.scheduler.arm(nextDueMs(ws.db))
    })
  })
}

function emptyTables(unit: Unit): void {
  unit.db.exec(emptying)
}

const emptying = [
  ...tableNames.filter((name) => name !== 'meta').map((name) => `delete from "${name}"`),
  `delete from meta where key <> 'schema'`,
].join(';')
