/**
 * Database images for runtimes that cannot copy a database file: all rows as JSON. An image is inspected by importing
 * it and rolling back.
 */
import type { SnapshotTable } from '../../protocol/control/shapes/snapshot-file.js'
import { type Db, requireSameSchema, UnusableDatabase } from '../../store/db.js'
import { dumpTables, fillTables, tableNames } from '../../store/dump.js'
import { schemaNumber } from '../../store/tables.js'
import { clearRowCache } from '../../store/unit-of-work.js'

type ByRows = Pick<Db, 'image' | 'inspect' | 'imageOf' | 'replaceWith'>

interface RowImage {
  schema: number
  tables: Record<string, SnapshotTable>
}

/** Adds to `db` the functions that need a copy of the database. `isOfStore` separates database errors from program errors. */
export function imagesByRows(db: () => Db, isOfStore: (error: unknown) => boolean): ByRows {
  const image = () => encoded({ schema: schemaNumber, tables: dumpTables(db()) })
  const replace = ({ schema, tables }: RowImage) => {
    requireSameSchema(schema)
    emptyDatabase(db())
    fillTables(db(), tables)
    clearRowCache(db())
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
    replaceWith: (bytes) => db().transaction(() => replace(decoded(bytes))),
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

function orUnusable(db: Db, isOfStore: (error: unknown) => boolean, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!isOfStore(error) || db.isUnavailable(error)) throw error
    throw new UnusableDatabase(
      `its rows do not match the schema: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

const emptyDatabase = (db: Db) => db.exec(tableNames.map((name) => `drop table if exists "${name}"`).join(';'))

const encoded = (image: RowImage): Uint8Array => new TextEncoder().encode(JSON.stringify(image))

/** Parses an image. Throws `UnusableDatabase`. */
function decoded(bytes: Uint8Array): RowImage {
  try {
    // `encoded` wrote it, and its checksum was verified.
    return JSON.parse(new TextDecoder().decode(bytes)) as RowImage
  } catch {
    throw new UnusableDatabase('the image cannot be read')
  }
}
