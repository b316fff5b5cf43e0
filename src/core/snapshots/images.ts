/**
 * Images of a workspace: the interfaces through which they are stored by name, outside its database; the store in
 * memory; and the check of an image before it replaces a database: damaged, foreign and newer ones are rejected with
 * the reason.
 */

import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { ApiError } from '../../protocol/platform/errors.js'
import { findDamage } from '../../store/damage.js'
import { type Db, readMeta, requireSameSchema, schemaOf, UnusableDatabase, writeMeta } from '../../store/db.js'
import * as schema from '../../store/schema.js'
import { clearRowCache } from '../../store/unit-of-work.js'
import { replacePublishedSecrets } from '../auth/account.js'
import { startScheduler } from '../clock/scheduler.js'
import { deliveryState, releaseWaiters } from '../delivery/queue.js'
import { auditLedger } from '../ledger/ledger.js'
import { requestLog } from '../request-log/log.js'
import { waitingRuns } from '../scenarios/arms.js'
import { saveClock, savedClock } from '../unit/ports.js'
import { Memory, type Workspace, type WorkspaceSlot } from '../unit/unit.js'
import { addSeal, fileText, fillFromFile, removeSeal, textOf } from './file.js'

/** `savedWallMs` is real time, epoch milliseconds. */
export interface ImageInfo {
  name: string
  sizeBytes: number
  savedWallMs: number
}

/** A snapshot that is checked and ready to replace the database. */
export interface PreparedSnapshot {
  /** Replaces the database at once and durably. */
  swap(): void
  /** Called if it is not used. */
  discard(): void
}

/** A received file that is not checked yet. */
export interface ReceivedFile {
  /** Rejects with `UnusableDatabase` and stores nothing if the file is damaged, foreign or newer. */
  store(name: string): Promise<void>
  discard(): void
}

/**
 * Stores snapshots. Long work may run outside the event loop, so that calls continue. Rejects with the store's error if
 * it cannot be written.
 */
export interface SnapshotStore {
  list(): ImageInfo[]
  /** Returns whether there was one. */
  remove(name: string): boolean
  /** Replaces an earlier one of that name, atomically. */
  rename(from: string, to: string): void
  /** Saves the database as it is at the time of the call; replaces an earlier snapshot, atomically. */
  save(name: string): Promise<void>
  /** Rejects with `UnusableDatabase` if the snapshot is damaged. */
  prepare(name: string): Promise<PreparedSnapshot>
  /** Returns the text of the snapshot file in pieces. Rejects like `prepare` before the first one. */
  exportPieces(name: string): Promise<AsyncIterable<Uint8Array>>
  /** Receives a file as it arrives. Rejects with the error of the pieces if they break off. */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedFile>
  /** Aborts copies and imports that are still running. */
  abort(): void
}

/** Stores bytes by name, for implementations that keep snapshots as bytes. */
export interface Images {
  /** Replaces earlier bytes of that name, atomically. */
  put(name: string, bytes: Uint8Array): void
  get(name: string): Uint8Array | undefined
  list(): ImageInfo[]
  /** Returns whether there was one. */
  remove(name: string): boolean
}

/** Keeps the bytes as long as the workspace is open. */
export function createMemoryImages(wall: () => number): Images {
  const images = new Map<string, { bytes: Uint8Array; savedWallMs: number }>()
  return {
    put(name, bytes) {
      images.delete(name)
      images.set(name, { bytes, savedWallMs: wall() })
    },
    get: (name) => images.get(name)?.bytes,
    list: () => [...images].map(([name, { bytes, savedWallMs }]) => ({ name, sizeBytes: bytes.length, savedWallMs })),
    remove: (name) => images.delete(name),
  }
}

/** The store for the snapshots of a workspace (default: bytes in memory). */
export const snapshotStore: WorkspaceSlot<SnapshotStore> = {
  begin: ({ db, clock }) =>
    createByteSnapshotStore(
      db,
      createMemoryImages(() => clock.wall()),
    ),
}

/** The image that a reset restores; null if a reset creates a new database. */
export const resetImage: WorkspaceSlot<Uint8Array | null> = { begin: () => null }

export interface ImageWork {
  seal(image: Uint8Array): Promise<Uint8Array>
  /** Returns the image without its seal. Rejects with `UnusableDatabase` if it is damaged. */
  check(sealed: Uint8Array): Promise<Uint8Array>
  /** Returns the text of the snapshot file. Rejects as `check` does. */
  textOf(sealed: Uint8Array): Promise<Uint8Array[]>
  /** Returns the sealed image of a snapshot file. Rejects with `UnusableDatabase` if the file is damaged, foreign or newer. */
  imageOf(text: Uint8Array[]): Promise<Uint8Array>
}

/** `db` only opens the images. */
export const imageWorkOn = (db: Db): ImageWork => ({
  seal: async (image) => addSeal(image),
  async check(sealed) {
    const image = intactImage(sealed)
    db.inspect(image, requireValidDatabase)
    return image
  },
  textOf: async (sealed) =>
    db.inspect(intactImage(sealed), (candidate) => {
      requireValidDatabase(candidate)
      const utf8 = new TextEncoder()
      return Array.from(fileText(candidate), (piece) => utf8.encode(piece))
    }),
  imageOf: async (text) => addSeal(imageOfFile(db, textOf(text))),
})

function intactImage(sealed: Uint8Array): Uint8Array {
  const { image, isIntact } = removeSeal(sealed)
  if (!isIntact) throw new UnusableDatabase('its content has changed since it was saved')
  return image
}

export function createByteSnapshotStore(db: Db, images: Images, work: ImageWork = imageWorkOn(db)): SnapshotStore {
  const stored = (name: string): Uint8Array => {
    const bytes = images.get(name)
    if (bytes === undefined) throw new UnusableDatabase('it no longer exists')
    return bytes
  }
  return {
    list: () => images.list(),
    remove: (name) => images.remove(name),
    rename(from, to) {
      const bytes = images.get(from)
      if (bytes === undefined) return
      images.put(to, bytes)
      images.remove(from)
    },
    async save(name) {
      images.put(name, await work.seal(db.image()))
    },
    async prepare(name) {
      const image = await work.check(stored(name))
      return { swap: () => db.replaceWith(image), discard: () => undefined }
    },
    exportPieces: async (name) => asyncPieces(await work.textOf(stored(name))),
    async receive(pieces) {
      const received: Uint8Array[] = []
      for await (const piece of pieces) received.push(piece)
      return {
        async store(name) {
          images.put(name, await work.imageOf(received))
        },
        discard: () => undefined,
      }
    },
    abort: () => undefined,
  }
}

/** Creates and checks an image from the text of a file. Throws `UnusableDatabase` with the reason. */
export function imageOfFile(db: Db, text: Iterable<string>): Uint8Array {
  const image = db.imageOf((fresh) => fillFromFile(fresh, text))
  db.inspect(image, requireValidDatabase)
  return image
}

async function* asyncPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

/** Throws `UnusableDatabase`. */
export function requireValidDatabase(candidate: Db): void {
  const schema = schemaOf(candidate)
  if (schema === 0) throw new UnusableDatabase('it contains no sandbox state')
  requireSameSchema(schema)
  requireValidRows(candidate)
  if (!auditLedger(candidate).balanced) throw new UnusableDatabase('its ledger does not balance')
}

/** Throws 422 INVALID_VALUE `{snapshot, rule}` instead of `UnusableDatabase`. */
export async function orInvalidValue<T>(
  snapshot: string,
  work: Promise<T>,
  what = `The snapshot ${snapshot}`,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error
    throw new ApiError(
      'INVALID_VALUE',
      { field: 'snapshot', snapshot, rule: error.message },
      `${what} cannot be used: ${error.message}. Nothing has changed.`,
    )
  }
}

/** Throws `UnusableDatabase`. */
function requireValidRows(db: Db): void {
  const odd = db.query("select 1 as one from sqlite_master where type in ('trigger', 'view') limit 1")
  if (odd([]).length > 0) throw new UnusableDatabase('the file is a database of another program', 'foreign')
  const damage = findDamage(db)
  if (damage !== undefined)
    throw new UnusableDatabase(`a row of ${damage.table} cannot be read: its ${damage.column} is damaged`)
  for (const reference of references) requireKnown(db, reference)
}

/** Columns that refer to rows of another table; 0 and null refer to none. */
const references: readonly (readonly [SQLiteColumn, SQLiteColumn])[] = [
  [schema.credentials.accountSeq, schema.accounts.seq],
  [schema.accountLimits.accountSeq, schema.accounts.seq],
  [schema.accountFees.accountSeq, schema.accounts.seq],
  [schema.balances.accountSeq, schema.accounts.seq],
  [schema.postings.accountSeq, schema.accounts.seq],
  [schema.tokens.credentialSeq, schema.credentials.seq],
  [schema.transactions.accountSeq, schema.accounts.seq],
  [schema.transactions.credentialSeq, schema.credentials.seq],
  [schema.wallets.accountSeq, schema.accounts.seq],
  [schema.disputes.accountSeq, schema.accounts.seq],
  [schema.disputes.transactionId, schema.transactions.id],
  [schema.replies.disputeId, schema.disputes.id],
  [schema.events.accountSeq, schema.accounts.seq],
  [schema.events.credentialSeq, schema.credentials.seq],
  [schema.attempts.eventSeq, schema.events.seq],
  [schema.runs.accountSeq, schema.accounts.seq],
]

function requireKnown(db: Db, [from, to]: (typeof references)[number]): void {
  const [holder, heldTable] = [getTableName(from.table), getTableName(to.table)]
  const find = db.query(
    `select 1 as one from ${holder} where ${from.name} <> 0 and ${from.name} not in (select ${to.name} from ${heldTable}) limit 1`,
  )
  if (find([]).length > 0)
    throw new UnusableDatabase(`a row of ${holder} refers to a row of ${heldTable} that does not exist`)
}

// Replaces the database of a workspace: rows, queue, clock, and all state in memory.

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
