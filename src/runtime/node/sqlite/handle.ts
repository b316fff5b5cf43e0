/**
 * An open SQLite database with the sandbox's settings. A file survives the process and is locked exclusively; other
 * programs' databases are left unchanged.
 */
import type { Durability } from '../../../protocol/settings/process.js'
import { refuseNewerSchema, UnusableDatabase } from '../../../store/db.js'
import type { Connection } from './driver.js'

export interface Handle {
  readonly connection: Connection
  /** The outermost transaction is immediate, inner ones are savepoints. */
  transaction<T>(work: () => T): T
  /** Number of rows that were changed over this connection. */
  written(): number
}

/** Where a database is stored, and its open handle. */
export interface DatabaseLocation {
  /** Whether the data survives the process. */
  readonly lasts: boolean
  /** Returns the open handle; opens the database if it was closed. */
  handle(): Handle
  opened(): Handle | null
  swap(image: Uint8Array): void
  close(): void
}

/** `scratch` does not survive the process. A checked file is known to be complete. */
type Kind = 'scratch' | { durability: Durability; isChecked: boolean }

/** Prepares a connection, and closes it if this throws. `beforeCommit` runs in every outermost transaction that changes something. */
export function handleOn(connection: Connection, kind: Kind, beforeCommit: () => void): Handle {
  try {
    if (kind !== 'scratch') setUpFile(connection, kind)
    else connection.exec('pragma journal_mode = MEMORY; pragma synchronous = OFF')
    if (applicationOf(connection) === 0) connection.exec(`pragma application_id = ${applicationId}`)
    // Pages changed within savepoints are stored in memory, not in a temporary file.
    connection.exec('pragma temp_store = MEMORY; pragma cache_size = -65536')
    const written = connection.scalar('select total_changes()') as () => number
    return { connection, transaction: transactions(connection, written, beforeCommit), written }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Number of pages in the log from which on a commit moves them into the file. */
export const autocheckpointPages = 4000

function setUpFile(connection: Connection, { durability, isChecked }: Exclude<Kind, 'scratch'>): void {
  // Exclusive before the first read: SQLite then creates no shared-memory file, and rejects a second sandbox on the
  // same file at once.
  connection.exec('pragma locking_mode = EXCLUSIVE')
  rejectForeignFile(connection)
  if (!isChecked && Number(connection.scalar('pragma page_count')()) <= quickCheckPages)
    rejectDamagedFile(connection, 'quick_check')
  connection.exec(`pragma journal_mode = WAL; pragma synchronous = ${durability}; pragma wal_autocheckpoint = ${autocheckpointPages};
    begin immediate; commit`)
}

/** Largest file that is checked, because reading the whole file would delay the start. */
const quickCheckPages = 8192

/** Distinguishes our files from those of other programs that use SQLite: `PAYS`. */
const applicationId = 0x50415953

const applicationOf = (connection: Connection) => connection.scalar('pragma application_id')()

/** Runs before anything is written: the database of another program or of a newer version stays unchanged. */
export function rejectForeignFile(connection: Connection): void {
  const id = applicationOf(connection)
  const has = (condition: string) =>
    connection.scalar(`select 1 from sqlite_master where type = 'table' and ${condition} limit 1`)() !== undefined
  const isMade = has('1')
  if (isMade ? id !== applicationId || !has("name = 'meta'") : id !== 0 && id !== applicationId)
    throw new UnusableDatabase('the file is a database of another program', 'foreign')
  if (isMade) refuseNewerSchema(Number(connection.scalar("select value from meta where key = 'schema'")() ?? 0))
}

export function rejectDamagedFile(connection: Connection, check: 'quick_check' | 'integrity_check'): void {
  const verdict = connection.scalar(`pragma ${check}(1)`)()
  if (verdict !== 'ok')
    throw new UnusableDatabase(`the database is damaged: ${String(verdict).replace(/^\*\*\*.*\n/, '')}`)
}

/** Returns a function that runs transactions. It prepares its statements once: the helper of better-sqlite3 creates four wrappers at each call. */
function transactions(connection: Connection, written: () => number, beforeCommit: () => void): Handle['transaction'] {
  const outer = ['begin immediate', 'commit', 'rollback'].map((text) => connection.statement(text))
  const inner = ['savepoint unit', 'release unit', 'rollback to unit'].map((text) => connection.statement(text))
  return (work) => {
    const nested = connection.inTransaction
    const [begin, end, undo] = nested ? inner : outer
    begin?.([])
    const before = nested ? 0 : written()
    try {
      const value = work()
      if (!nested && written() !== before) beforeCommit()
      end?.([])
      return value
    } catch (error) {
      // SQLite rolls back by itself when the disk is full.
      if (connection.inTransaction) {
        undo?.([])
        if (nested) end?.([])
      }
      throw error
    }
  }
}
