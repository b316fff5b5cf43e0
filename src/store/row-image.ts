/** Images of databases that nobody can copy as bytes: all their rows, and a look into an image by trying it on and taking it back. */
import type { SnapshotTable } from '../protocol/control/shapes/snapshot-file.js'
import { type Db, refuseNewerSchema, UnusableDatabase } from './db.js'
import { dumpTables, fillTables, tableNames } from './dump.js'
import { schemaNumber } from './tables.js'
import { forgetRows } from './unit-of-work.js'

type ByRows = Pick<Db, 'image' | 'inspect' | 'imageOf' | 'swap'>

interface RowImage {
  schema: number
  tables: Record<string, SnapshotTable>
}

/** What `db` lacks for want of a copy of itself. `isOfStore` tells errors of the database from those of the program. */
export function imagesByRows(db: () => Db, isOfStore: (error: unknown) => boolean): ByRows {
  const image = () => encoded({ schema: schemaNumber, tables: dumpTables(db()) })
  const replace = ({ schema, tables }: RowImage) => {
    refuseNewerSchema(schema)
    emptyDatabase(db())
    fillTables(db(), tables)
    forgetRows(db())
  }
  return {
    image,
    inspect: (bytes, look) =>
      tried(db(), () => {
        orUnusable(db(), isOfStore, () => replace(decoded(bytes)))
        return look(db())
      }),
    imageOf: (fill) =>
      tried(db(), () => {
        emptyDatabase(db())
        fill(db())
        return image()
      }),
    swap: (bytes) => db().transaction(() => replace(decoded(bytes))),
  }
}

/** What `work` answers; whatever it has done to the rows has not happened. */
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
    forgetRows(db)
  }
  if (found === undefined) throw new Error('an attempt ended without being made')
  return found.value
}

const takenBack = Symbol('taken back')

function orUnusable(db: Db, isOfStore: (error: unknown) => boolean, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!isOfStore(error) || db.isUnavailable(error)) throw error
    throw new UnusableDatabase(`its rows do not fit: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const emptyDatabase = (db: Db) => db.exec(tableNames.map((name) => `drop table if exists "${name}"`).join(';'))

const encoded = (image: RowImage): Uint8Array => new TextEncoder().encode(JSON.stringify(image))

/** Throws `UnusableDatabase`. */
function decoded(bytes: Uint8Array): RowImage {
  try {
    // Written by `encoded`, and sealed since.
    return JSON.parse(new TextDecoder().decode(bytes)) as RowImage
  } catch {
    throw new UnusableDatabase('the image cannot be read')
  }
}
