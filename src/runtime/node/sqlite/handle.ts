/** An open SQLite database, set up as the sandbox needs it: a file durable and exclusive, another program's left as it is. */
import { type Orm, refuseNewerSchema, UnusableDatabase } from '../../../store/db.js'
import { ormOver } from '../../../store/orm.js'
import type { Connection } from './driver.js'

export interface Handle {
  readonly connection: Connection
  readonly orm: Orm
  /** The outermost is an immediate transaction, an inner one a savepoint. */
  transaction<T>(work: () => T): T
  /** How many rows have ever been changed over this connection. */
  written(): number
}

/** Where a database lies, and the handle that is open on it. */
export interface Place {
  /** Outlives the process. */
  readonly lasts: boolean
  /** Opens it where it rests. */
  handle(): Handle
  opened(): Handle | null
  group<T>(work: () => T): T
  whenDurable(): Promise<void> | null
  swap(image: Uint8Array): void
  close(): void
}

/** `scratch` lasts no longer than the process; a `checked file` is known to be whole. */
type Kind = 'file' | 'checked file' | 'scratch'

/** Closes the connection where it throws. `beforeCommit` runs in every outermost transaction that changes something. */
export function handleOn(connection: Connection, kind: Kind, beforeCommit: () => void): Handle {
  try {
    if (kind !== 'scratch') setUpFile(connection, kind === 'checked file')
    else connection.exec('pragma journal_mode = MEMORY; pragma synchronous = OFF')
    if (applicationOf(connection) === 0) connection.exec(`pragma application_id = ${applicationId}`)
    // Savepoints keep the pages that they change: in memory, not in a temporary file.
    connection.exec('pragma temp_store = MEMORY; pragma cache_size = -65536')
    const written = connection.scalar('select total_changes()') as () => number
    return {
      connection,
      orm: ormOver(connection),
      transaction: transactions(connection, written, beforeCommit),
      written,
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Pages in the log from which on a commit brings them into the file. */
export const autocheckpointPages = 4000

function setUpFile(connection: Connection, isChecked: boolean): void {
  // Exclusive before anything is read: then no shared-memory file is made, and a second sandbox on the file is refused at once.
  connection.exec('pragma locking_mode = EXCLUSIVE')
  refuseForeign(connection)
  if (!isChecked && Number(connection.scalar('pragma page_count')()) <= quickCheckPages)
    refuseDamaged(connection, 'quick_check')
  connection.exec(`pragma journal_mode = WAL; pragma synchronous = FULL; pragma wal_autocheckpoint = ${autocheckpointPages};
    begin immediate; commit`)
}

/** A larger file is believed: reading all of it would hold up the start. */
const quickCheckPages = 8192

/** Tells our files from those of other programs that use SQLite: `PAYS`. */
const applicationId = 0x50415953

const applicationOf = (connection: Connection) => connection.scalar('pragma application_id')()

/** Before anything is written: another program's database, or a newer version's, is left as it is. */
export function refuseForeign(connection: Connection): void {
  const id = applicationOf(connection)
  const has = (condition: string) =>
    connection.scalar(`select 1 from sqlite_master where type = 'table' and ${condition} limit 1`)() !== undefined
  const isMade = has('1')
  if (isMade ? id !== applicationId || !has("name = 'meta'") : id !== 0 && id !== applicationId)
    throw new UnusableDatabase('the file is a database of some other program', 'foreign')
  if (isMade) refuseNewerSchema(Number(connection.scalar("select value from meta where key = 'schema'")() ?? 0))
}

export function refuseDamaged(connection: Connection, check: 'quick_check' | 'integrity_check'): void {
  const verdict = connection.scalar(`pragma ${check}(1)`)()
  if (verdict !== 'ok')
    throw new UnusableDatabase(`the database is damaged: ${String(verdict).replace(/^\*\*\*.*\n/, '')}`)
}

/** Prepared once: better-sqlite3's own helper makes four wrappers at every call. */
function transactions(connection: Connection, written: () => number, beforeCommit: () => void): Handle['transaction'] {
  const outer = ['begin immediate', 'commit', 'rollback'].map((text) => connection.prepare(text))
  const inner = ['savepoint unit', 'release unit', 'rollback to unit'].map((text) => connection.prepare(text))
  return (work) => {
    const nested = connection.inTransaction
    const [begin, end, undo] = nested ? inner : outer
    begin?.run()
    const before = nested ? 0 : written()
    try {
      const value = work()
      if (!nested && written() !== before) beforeCommit()
      end?.run()
      return value
    } catch (error) {
      // A full disk makes SQLite roll back by itself.
      if (connection.inTransaction) {
        undo?.run()
        if (nested) end?.run()
      }
      throw error
    }
  }
}
