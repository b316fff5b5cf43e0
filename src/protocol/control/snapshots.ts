/** Control routes of snapshots: the complete workspace, by name and as a file. */
import * as z from 'zod'
import { dateTimeUtc } from '../platform/fields.js'
import { clockState } from './clock.js'
import { listOf, model, pageByNameQuery, route } from './route.js'

export const snapshotFormat = 'payments-sandbox snapshot'
/** The version of the file's layout; `schema` is the version of its tables. */
export const snapshotVersion = 1

const snapshot = model('Snapshot', () =>
  z.strictObject({ name: z.string(), size_bytes: z.int(), created_at: dateTimeUtc() }),
)
const snapshotAndClock = model('SnapshotAndClock', () => snapshot().extend({ clock: clockState() }))

const table = () =>
  z.strictObject({
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.int(), z.null()]))),
  })
export type SnapshotValue = z.output<ReturnType<typeof table>>['rows'][number][number]
const snapshotFile = model('SnapshotFile', () =>
  z.strictObject({
    format: z.literal(snapshotFormat),
    version: z.int().describe('Version of the file format'),
    schema: z.int().describe('Version of the tables'),
    tables: z.record(z.string(), table()),
    sha256: z.string().describe('SHA-256 of the JSON text of `[version, schema, tables]`'),
  }),
)

export const snapshotRoutes = {
  listSnapshots: route('GET /snapshots', {
    summary: 'Snapshots, newest first',
    query: pageByNameQuery,
    answer: () => listOf(snapshot()),
  }),
  saveSnapshot: route('POST /snapshots', {
    summary: 'Save the whole workspace under a name; replaces an earlier snapshot of that name',
    body: () => z.strictObject({ name: z.string('must be a string').optional() }),
    answer: snapshotAndClock,
    example: { name: 'before' },
  }),
  renameSnapshot: route('PATCH /snapshots/{name}', {
    summary: 'Rename a snapshot; replaces an earlier snapshot of that name',
    body: () => z.strictObject({ name: z.string('must be a string') }),
    answer: snapshot,
    example: { name: 'before' },
  }),
  restoreSnapshot: route('POST /snapshots/{name}/restore', {
    summary: 'Restore the whole workspace, including clock and queue',
    answer: snapshotAndClock,
  }),
  exportSnapshot: route('GET /snapshots/{name}/export', {
    summary: 'Export a snapshot as one versioned file, with every row of the workspace, that any sandbox can import',
    answer: snapshotFile,
    streamed: true,
  }),
  importSnapshot: route('POST /snapshots/{name}/import', {
    summary: 'Import an exported file as a snapshot; a damaged, foreign or newer file changes nothing',
    body: snapshotFile,
    rawBodyTypes: ['application/json', 'application/octet-stream'],
    acceptsNoMediaType: true,
    answer: snapshot,
  }),
  deleteSnapshot: route('DELETE /snapshots/{name}', { summary: 'Delete a snapshot' }),
} as const
