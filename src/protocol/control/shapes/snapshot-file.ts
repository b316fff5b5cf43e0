/** A snapshot as one file: every row of the workspace as text, whichever database it came from, so that it can live in a repository. */

export interface SnapshotTable {
  columns: string[]
  rows: (string | number | null)[][]
}

export interface SnapshotContent {
  /** Of the form of the file. */
  version: number
  /** Of the tables. */
  schema: number
  tables: Record<string, SnapshotTable>
}

export interface SnapshotFile extends SnapshotContent {
  format: typeof snapshotFormat
  /** Of `sealedText`, lower-case hex. */
  sha256: string
}

export const snapshotFormat = 'payments-sandbox snapshot'
export const snapshotVersion = 1

/** What the hash is made of: the content, however the file is laid out. */
export const sealedText = ({ version, schema, tables }: SnapshotContent): string =>
  JSON.stringify([version, schema, tables])

/** A row a line, so that what differs between two files can be read. */
export function snapshotText({ format, version, schema, tables, sha256 }: SnapshotFile): string {
  const head = { format, version, schema }
  const parts = Object.entries(tables).map(([name, { columns, rows }]) => {
    const lines = rows.map((row) => `      ${JSON.stringify(row)}`).join(',\n')
    return `    ${JSON.stringify(name)}: {\n      "columns": ${JSON.stringify(columns)},\n      "rows": [${lines === '' ? '' : `\n${lines}\n      `}]\n    }`
  })
  const top = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`)
  return `{\n${top.join('\n')}\n  "tables": {\n${parts.join(',\n')}\n  },\n  "sha256": ${JSON.stringify(sha256)}\n}\n`
}
