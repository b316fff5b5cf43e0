/** A snapshot as one file: every row of the workspace as text, whichever database it came from, so that it can live in a repository. */

export type SnapshotValue = string | number | null

export interface SnapshotTable {
  columns: string[]
  rows: SnapshotValue[][]
}

export const snapshotFormat = 'payments-sandbox snapshot'
/** Of the layout of the file; the version of its tables is `schema`. */
export const snapshotVersion = 1
