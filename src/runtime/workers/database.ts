/** The database port over the SQLite of a Durable Object: transactions with the runtime's own call. It cannot copy a database file, so an image is the text of a snapshot file. */

import { joinChunks } from '../../base/bytes.js'
import { messageOf } from '../../base/unknown.js'
import { authState, rateSpanMs } from '../../core/auth/authenticate.js'
import { saveLog } from '../../core/request-log/log.js'
import { fileText, fillFromFile, textOf } from '../../core/snapshots/file.js'
import type { Memory, Workspace } from '../../core/unit/unit.js'
import { currentOpeningHash, type SleepState } from '../../core/workspace/workspace.js'
import type { Db } from '../../store/db.js'
import { tableNames } from '../../store/dump.js'
import { clearRowCache } from '../../store/unit-of-work.js'
import type { Cursor, ObjectStorage } from './runtime.js'

interface AlsoStored {
  save(): void
  noteRollback(): void
}

/** `along` saves further state in the transaction of each group of changes. */
export function databaseOf(storage: ObjectStorage, along: AlsoStored = { save() {}, noteRollback() {} }): Db {
  const run = (sqlText: string, params: readonly unknown[]): Cursor =>
    storage.sql.exec(sqlText, ...params.map(sqlValue))
  const handle = {}
  const db: Db = {
    handle,
    opened: handle,
    driver: 'durable-object',
    isPersistent: true,
    statement: (sqlText) => (params) => void run(sqlText, params),
    query: (sqlText) => (params) => run(sqlText, params).toArray(),
    exec: (sqlText) => void run(sqlText, []),
    transaction: (work) => storage.transactionSync(work),
    // The runtime sends nothing out of the object before its writes are durable.
    group(work) {
      try {
        return storage.transactionSync(() => {
          const result = work()
          along.save()
          return result
        })
      } catch (error) {
        along.noteRollback()
        throw error
      }
    },
    changedRows: () => Number(run('select total_changes() as written', []).toArray()[0]?.written),
    afterTurn: (work) => {
      setImmediate(work)
    },
    isUnavailable: (error) => unavailable.test(messageOf(error)),
    ...imagesByRows(() => db),
    // The database lives as long as its object.
    close: () => undefined,
  }
  return db
}

/** The runtime does not accept bigint and boolean parameters. */
function sqlValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'boolean' ? Number(value) : value
}

/** Its error messages end with SQLite's error code. */
const unavailable = /: SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|LOCKED)$/

type ByRows = Pick<Db, 'image' | 'inspect' | 'imageOf' | 'replaceWith'>

/** The functions of `db` that need a copy of the database. */
function imagesByRows(db: () => Db): ByRows {
  const utf8 = new TextEncoder()
  const image = () => joinChunks(Array.from(fileText(db()), (piece) => utf8.encode(piece)))
  const replace = (bytes: Uint8Array) => {
    emptyDatabase(db())
    fillFromFile(db(), textOf([bytes]))
    clearRowCache(db())
  }
  return {
    image,
    inspect: (bytes, look) =>
      tried(db(), () => {
        replace(bytes)
        return look(db())
      }),
    imageOf: (fill) =>
      tried(db(), () => {
        emptyDatabase(db())
        fill(db())
        return image()
      }),
    replaceWith: (bytes) => db().transaction(() => replace(bytes)),
  }
}

/** Returns the result of `work` and rolls back its writes. */
function tried<T>(db: Db, work: () => T): T {
  let found: { value: T } | undefined
  try {
    db.transaction(() => {
      found = { value: work() }
      throw takenBack
    })
  } catch (error) {
    if (error !== takenBack) throw error
  } finally {
    clearRowCache(db)
  }
  if (found === undefined) throw new Error('the database transaction ended before its work began')
  return found.value
}

const takenBack = Symbol('taken back')

const emptyDatabase = (db: Db) => db.exec(tableNames.map((name) => `drop table if exists "${name}"`).join(';'))

// Saves the part of a workspace's memory that must survive eviction, in the same transactions as its tables.

const mainKey = 'memory'
const guardKey = 'guard '

type Main = Omit<SleepState, 'guards'>

export class StoredMemory {
  /** The memory whose state is stored, so that only changes have to be written. */
  #memory: Memory | undefined
  #opened = ''
  #main = ''

  constructor(readonly storage: ObjectStorage) {}

  /** Returns null if nothing was stored. */
  load(): SleepState | null {
    // Only this class writes it, so the cast is safe.
    const main = this.storage.kv.get(mainKey) as Main | undefined
    return main === undefined ? null : { ...main, guards: this.#guards() }
  }

  /** Deletes stored state that no longer belongs to the workspace. Must be called once the workspace is open. */
  begin(ws: Workspace, sleepState: SleepState | null): void {
    const isOld = ([, guard]: SleepState['guards'][number]) =>
      'moments' in guard && guard.moments.every(([atMs]) => atMs <= ws.clock.now() - rateSpanMs)
    this.#opened = currentOpeningHash(ws)
    if (sleepState?.opened === this.#opened) {
      this.#memory = ws.memory
      this.#main = JSON.stringify({ opened: sleepState.opened, ids: sleepState.ids } satisfies Main)
    }
    const oldGuards = this.#memory === undefined ? [] : (sleepState?.guards.filter(isOld) ?? [])
    for (const [name] of oldGuards) this.storage.kv.delete(guardKey + name)
    this.save(ws)
  }

  /** Runs before a response leaves the object: the runtime delays responses until the writes are durable. */
  save(ws: Workspace): void {
    const { kv } = this.storage
    const { ids } = ws.memory
    const auth = ws.memory.of(authState)
    if (ws.memory !== this.#memory) {
      for (const [name] of this.#guards()) kv.delete(guardKey + name)
      this.#memory = ws.memory
      this.#opened = currentOpeningHash(ws)
    }
    for (const [name, guard] of auth.changes()) {
      if (guard === null) kv.delete(guardKey + name)
      else kv.put(guardKey + name, guard)
    }
    const main: Main = { opened: this.#opened, ids: ids.progress() }
    const text = JSON.stringify(main)
    if (text !== this.#main) kv.put(mainKey, main)
    this.#main = text
  }

  /** Saves the memory together with the request log, which is otherwise written later. */
  saveWithLog(ws: Workspace): void {
    this.storage.transactionSync(() => {
      saveLog(ws)
      this.save(ws)
    })
  }

  /** Must be called after a rollback, so that the next save writes the memory again. */
  noteRollback(): void {
    this.#main = ''
  }

  #guards(): SleepState['guards'] {
    // Only this class writes them, so the cast is safe.
    const entries = [...this.storage.kv.list({ prefix: guardKey })] as [string, SleepState['guards'][number][1]][]
    return entries.map(([key, guard]) => [key.slice(guardKey.length), guard])
  }
}
