/** Another database takes the place of a workspace's own: rows, queue, clock, and all that is kept in memory about them. */
import { type Db, readMeta, schemaOf, writeMeta } from '../../store/db.js'
import { forgetRows } from '../../store/unit-of-work.js'
import { replacePublishedSecrets } from '../auth/demo-secrets.js'
import { startScheduler } from '../clock/scheduler.js'
import { abandon, deliveryState } from '../delivery/dispatch-state.js'
import { requestLog } from '../request-log/log.js'
import { expecting } from '../scenarios/arms.js'
import { saveClock, savedClock } from '../unit/clock-rows.js'
import { Memory } from '../unit/memory.js'
import type { Workspace } from '../unit/workspace.js'

/** The business moment of an image: real time runs on while it lies there, business time does not. */
const momentKey = 'snapshot_now_ms'

/** Before an image is taken. */
export function markMoment({ db, clock }: Workspace): void {
  db.transaction(() => {
    saveClock(db, clock)
    writeMeta(db, momentKey, String(clock.now()))
  })
}

/** Business time goes on from the moment of the image. */
function resumeClock(db: Db, wallMs: number): void {
  const atMs = Number(readMeta(db, momentKey) ?? wallMs)
  const mode = savedClock(db)?.mode ?? 'realtime'
  writeMeta(db, 'clock', JSON.stringify({ mode, offsetMs: atMs - wallMs, frozenAtMs: mode === 'manual' ? atMs : null }))
}

/** An empty database begins as the image has it. */
export function beginAs(db: Db, image: Uint8Array, wallMs: number): void {
  if (schemaOf(db) !== 0) return
  db.swap(image)
  db.transaction(() => resumeClock(db, wallMs))
}

/** `swap` puts the other database in. With a seed, a new epoch keeps ids from being given out again: `epoch` says which, from the one before and the one in the image. */
export function replaceBy(ws: Workspace, swap: () => void, epoch: (before: number, kept: number) => number): void {
  const { db, clock, config } = ws
  const before = epochOf(db)
  swap()
  const next = epoch(before, epochOf(db))
  abandon(ws.memory.of(deliveryState))
  db.transaction(() => {
    resumeClock(db, clock.wall())
    writeMeta(db, 'epoch', String(next))
    replacePublishedSecrets({ db, config, ids: ws.memory.ids })
  })
  const resumed = savedClock(db)
  if (resumed !== undefined) clock.restore(resumed)
  renewMemory(ws, next)
  startScheduler(ws)
}

const epochOf = (db: Db) => Number(readMeta(db, 'epoch') ?? 0)

/** The rows are others from here on, and so is all that is kept in memory beside them. */
export function renewMemory(ws: Workspace, epoch: number): void {
  forgetRows(ws.db)
  ws.memory.end()
  ws.memory = new Memory(ws.db, ws.config.seed, epoch)
  ws.memory.of(expecting)
  ws.memory.of(requestLog)
}
