/** Control routes of snapshots: the complete workspace, by name. */
import * as z from 'zod'
import { momentUtc } from '../platform/fields.js'
import { clockState } from './clock.js'
import { listOf, namedPage } from './fields.js'
import { model, route } from './route.js'
import { snapshotFormat } from './shapes/snapshot-file.js'

const snapshot = model('Snapshot', () =>
  z.strictObject({ name: z.string(), size_bytes: z.int(), created_at: momentUtc() }),
)
const snapshotAndClock = model('SnapshotAndClock', () => snapshot().extend({ clock: clockState() }))

const table = () =>
  z.strictObject({
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.int(), z.null()]))),
  })
const snapshotFile = model('SnapshotFile', () =>
  z.strictObject({
    format: z.literal(snapshotFormat),
    version: z.int().describe('Of the form of the file'),
    schema: z.int().describe('Of the tables'),
    tables: z.record(z.string(), table()),
    sha256: z.string().describe('Of the JSON text of `[version, schema, tables]`'),
  }),
)

export const snapshotRoutes = {
  listSnapshots: route({
    method: 'GET',
    path: '/snapshots',
    summary: 'Snapshots, newest first',
    query: namedPage,
    answer: () => listOf(snapshot()),
  }),
  saveSnapshot: route({
    method: 'POST',
    path: '/snapshots',
    summary: 'Keep the whole workspace under a name, in the place of an earlier snapshot of that name',
    body: () => z.strictObject({ name: z.string('must be a string').optional() }),
    answer: snapshotAndClock,
    example: { name: 'before' },
  }),
  renameSnapshot: route({
    method: 'PATCH',
    path: '/snapshots/{name}',
    summary: 'Give a snapshot another name, in the place of an earlier snapshot of that name',
    body: () => z.strictObject({ name: z.string('must be a string') }),
    answer: snapshot,
    example: { name: 'before' },
  }),
  restoreSnapshot: route({
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Bring the whole workspace back, clock and queue included',
    answer: snapshotAndClock,
  }),
  exportSnapshot: route({
    method: 'GET',
    path: '/snapshots/{name}/export',
    summary: 'A snapshot as one file, versioned, which any sandbox can import: every row of the workspace',
    answer: snapshotFile,
    streamed: true,
  }),
  importSnapshot: route({
    method: 'POST',
    path: '/snapshots/{name}/import',
    summary: 'Keep what an exported file holds, under a name; a damaged, foreign or newer one changes nothing',
    body: snapshotFile,
    raw: ['application/json', 'application/octet-stream'],
    untyped: true,
    answer: snapshot,
  }),
  deleteSnapshot: route({ method: 'DELETE', path: '/snapshots/{name}', summary: 'Forget a snapshot' }),
} as const
