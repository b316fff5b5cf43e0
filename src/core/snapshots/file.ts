/** Snapshots as files: a dump of all rows with a version and a hash, and back. */

import { sha256Hex } from '../../base/crypto.js'
import { fieldsIn, isFields } from '../../base/unknown.js'
import {
  type SnapshotContent,
  type SnapshotFile,
  type SnapshotTable,
  sealedText,
  snapshotFormat,
  snapshotVersion,
} from '../../protocol/control/shapes/snapshot-file.js'
import { type Db, UnusableDatabase } from '../../store/db.js'
import { dumpTables, fillTables } from '../../store/dump.js'
import { migrations } from '../../store/migrations.js'
import { requireWholeImage } from './image-check.js'

export function fileOf(db: Db): SnapshotFile {
  const content = { version: snapshotVersion, schema: migrations.length, tables: dumpTables(db) }
  return { format: snapshotFormat, ...content, sha256: sha256Hex(sealedText(content)) }
}

/** An image of what the file holds, looked through like any other. Throws `UnusableDatabase` with what is wrong. */
export function wholeImageOfFile(db: Db, text: string): Uint8Array {
  const image = imageOfFile(db, text)
  requireWholeImage(db, image)
  return image
}

function imageOfFile(db: Db, text: string): Uint8Array {
  const { schema, tables } = readFile(text)
  try {
    return db.imageOf((fresh) => fillTables(fresh, schema, tables))
  } catch (error) {
    if (error instanceof UnusableDatabase || db.isUnavailable(error)) throw error
    throw new UnusableDatabase(`its rows do not fit: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readFile(text: string): SnapshotContent {
  const { format, version, schema, tables, sha256 } = parsed(text)
  if (format !== snapshotFormat) throw new UnusableDatabase('the file is no snapshot of a payments sandbox')
  if (typeof version !== 'number' || typeof schema !== 'number' || !isWhole(schema) || !isTables(tables))
    throw new UnusableDatabase('the file is damaged: a part of it is missing')
  if (version > snapshotVersion || schema > migrations.length)
    throw new UnusableDatabase(
      `the file was written by a newer version of the sandbox (schema ${schema}, this one knows ${migrations.length})`,
    )
  const content = { version, schema, tables }
  if (sha256 !== sha256Hex(sealedText(content)))
    throw new UnusableDatabase('the file is damaged: its rows are not those that were exported')
  return content
}

const isWhole = (schema: number) => Number.isInteger(schema) && schema > 0

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch {
    // Told below.
  }
  throw new UnusableDatabase('the file is no snapshot of a payments sandbox: it is no object of JSON')
}

const isTables = (value: unknown): value is Record<string, SnapshotTable> =>
  typeof value === 'object' && value !== null && Object.values(value).every(isTable)

function isTable(value: unknown): boolean {
  const { columns, rows } = fieldsIn(value)
  return (
    Array.isArray(columns) &&
    columns.every((name) => typeof name === 'string') &&
    Array.isArray(rows) &&
    rows.every((row) => Array.isArray(row) && row.every(isValue))
  )
}

const isValue = (value: unknown) => value === null || typeof value === 'string' || Number.isSafeInteger(value)
