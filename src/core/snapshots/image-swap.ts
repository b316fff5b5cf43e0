/** Replaces the database of a workspace: rows, queue, clock, and all state in memory. */
import { type Db, readMeta, schemaOf, writeMeta } from '../../store/db.js'
import { clearRowCache } from '../../store/unit-of-work.js'
import { replacePublishedSecrets } from '../auth/account.js'
import { startScheduler } from '../clock/scheduler.js'
import { deliveryState, releaseWaiters } from '../delivery/queue.js'
import { requestLog } from '../request-log/log.js'
import { waitingRuns } from '../scenarios/arms.js'
import { saveClock, savedClock } from '../unit/ports.js'
import { Memory, type Workspace } from '../unit/unit.js'

/** The business time of an image: it does not advance while the image is stored. */
const businessTimeKey = 'snapshot_now_ms'

/** Stores the business time, before an image is taken. */
export function saveBusinessTime({ db, clock }: Workspace): void {
  db.transaction(() => {
    saveClock(db, clock)
    writeMeta(db, businessTimeKey, String(clock.now()))
  })
}

/** Continues business time from the time of the image. */
function resumeClock(db: Db, wallMs: number): void {
  const atMs = Number(readMeta(db, businessTimeKey) ?? wallMs)
  const mode = savedClock(db)?.mode ?? 'realtime'
  writeMeta(db, 'clock', JSON.stringify({ mode, offsetMs: atMs - wallMs, frozenAtMs: mode === 'manual' ? atMs : null }))
}

/** Fills an empty database from an image. */
export function fillFromImage(db: Db, image: Uint8Array, wallMs: number): void {
  if (schemaOf(db) !== 0) return
  db.replaceWith(image)
  db.transaction(() => resumeClock(db, wallMs))
}

/**
 * `replaceWith` replaces the database. With a seed, a new epoch prevents repeated ids; `epoch` computes it from the epochs of
 * the old database and of the image.
 */
export function replaceDatabase(
  ws: Workspace,
  swap: () => void,
  epoch: (before: number, stored: number) => number,
): void {
  const { db, clock, config } = ws
  const before = epochOf(db)
  swap()
  const next = epoch(before, epochOf(db))
  releaseWaiters(ws.memory.of(deliveryState))
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

/** Replaces the state in memory, because all rows have changed. */
export function renewMemory(ws: Workspace, epoch: number): void {
  clearRowCache(ws.db)
  ws.memory.end()
  ws.memory = new Memory(ws.db, ws.config.seed, epoch)
  ws.memory.of(waitingRuns)
  ws.memory.of(requestLog)
}
