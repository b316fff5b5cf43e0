/** Brings a workspace back to the state right after start. */

import { isoUtc } from '../../base/iso.js'
import { writeMeta } from '../../store/db.js'
import { tableNames } from '../../store/dump.js'
import { abandon, deliveryState } from '../delivery/dispatch-state.js'
import { nextDueMs, scheduler } from '../jobs/jobs.js'
import { armAtStart } from '../scenarios/arms.js'
import { renewMemory, replaceBy } from '../snapshots/image-swap.js'
import { originImage } from '../snapshots/in-bytes.js'
import { inTurn } from '../snapshots/in-turn.js'
import { betweenUnits } from '../unit/between-units.js'
import { saveClock } from '../unit/clock-rows.js'
import { checkpointMemory } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { silentUnit } from './opening.js'
import { seedAccounts, seededSecrets } from './seed.js'

/** Rows, clock, queue, lockouts, rate windows, request log. A seed starts over, chance does not. */
export function reset(ws: Workspace): Promise<void> {
  const origin = ws.rooms.of(originImage)
  return origin === null ? beginAnew(ws) : backToOrigin(ws, origin)
}

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
    const dispatch = ws.memory.of(deliveryState)
    unit.undo(checkpointMemory(ws))
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
      ws.rooms.of(scheduler).arm(nextDueMs(ws.db))
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
