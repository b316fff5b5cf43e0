/** A snapshot as one file: all rows of the workspace as text, independent of the database, so that it can live in a repository. */

export type SnapshotValue = string | number | null

export interface SnapshotTable {
  columns: string[]
  rows: SnapshotValue[][]
}

export const snapshotFormat = 'payments-sandbox snapshot'
/** The version of the file's layout; `schema` is the version of its tables. */
export const snapshotVersion = 1
