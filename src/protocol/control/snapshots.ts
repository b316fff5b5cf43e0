/** Routes of snapshots: the whole workspace by name. */
import * as z from 'zod'
import { momentUtc } from '../api/fields.js'
import { clockState } from './clock.js'
import { listOf } from './fields.js'
import { model, route } from './route.js'

const snapshot = model('Snapshot', () =>
  z.strictObject({ name: z.string(), size_bytes: z.int(), created_at: momentUtc() }),
)
export type Snapshot = z.output<ReturnType<typeof snapshot>>
const snapshotAndClock = model('SnapshotAndClock', () => snapshot().extend({ clock: clockState() }))

export const snapshotRoutes = {
  listSnapshots: route({
    method: 'GET',
    path: '/snapshots',
    summary: 'Snapshots, newest first',
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
  restoreSnapshot: route({
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Bring the whole workspace back, clock and queue included',
    answer: snapshotAndClock,
  }),
  deleteSnapshot: route({ method: 'DELETE', path: '/snapshots/{name}', summary: 'Forget a snapshot' }),
} as const
