/** Resets a workspace to its state right after start. */

import { isoUtc } from '../../base/iso.js'
import { writeMeta } from '../../store/db.js'
import { tableNames } from '../../store/dump.js'
import { deliveryState, releaseWaiters } from '../delivery/queue.js'
import { nextDueMs, schedulerState } from '../jobs/jobs.js'
import { armAtStart } from '../scenarios/arms.js'
import { resetImage } from '../snapshots/byte-snapshot-store.js'
import { renewMemory, replaceDatabase } from '../snapshots/image-swap.js'
import { runInSequence } from '../snapshots/run-in-sequence.js'
import { betweenUnits } from '../unit/between-units.js'
import { saveClock } from '../unit/clock-rows.js'
import { checkpointMemory } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { chaosAtStart } from '../webhooks/faults.js'
import { silentUnit } from './opening.js'
import { seedAccounts, seededSecrets } from './seed.js'

/** Resets rows, clock, queue, lockouts, rate windows and request log. With a seed the ids repeat; without one they are random. */
export function reset(ws: Workspace): Promise<void> {
  const origin = ws.state.of(resetImage)
  return origin === null ? resetToEmpty(ws) : resetToImage(ws, origin)
}

/** Restores the image it was opened with, with the same clock mode, and the same ids as then. */
function resetToImage(ws: Workspace, origin: Uint8Array): Promise<void> {
  const replace = () => {
    replaceDatabase(
      ws,
      () => ws.db.replaceWith(origin),
      (_before, stored) => stored + 1,
    )
    if (ws.config.clock !== null) ws.clock.setMode(ws.config.clock)
    ws.db.transaction(() => {
      armAtStart(silentUnit(ws))
      chaosAtStart(silentUnit(ws))
      saveClock(ws.db, ws.clock)
    })
    ws.bus.publish({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
    ws.bus.publish({ type: 'workspace', id: ws.name, status: 'reset' })
  }
  return runInSequence(ws, () => betweenUnits(ws, replace))
}

async function resetToEmpty(ws: Workspace): Promise<void> {
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
    chaosAtStart(silentUnit(ws))
    saveClock(unit.db, ws.clock)
    unit.publishChange({ type: 'clock', id: ws.name, now: isoUtc(ws.clock.now()), mode: ws.clock.state().mode })
    unit.publishChange({ type: 'workspace', id: ws.name, status: 'reset' })
    unit.after(() => {
      releaseWaiters(dispatch)
      ws.state.of(schedulerState).arm(nextDueMs(ws.db))
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
