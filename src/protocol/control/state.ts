/** Control routes of the whole sandbox: health, ledger, reset. */
import * as z from 'zod'
import { keysOf, tableOf } from '../../base/keys.js'
import { dateTimeUtc } from '../platform/fields.js'
import { account } from './accounts.js'
import { clockState } from './clock.js'
import { balance, currency } from './fields.js'
import { model, route } from './route.js'
import { databaseHolders } from './shapes/drivers.js'

/** Limits of a hosted workspace that are counts, with their defaults. */
export const hostedLimits = {
  calls_per_second: 50,
  /** Limit of each address without authentication. */
  stranger_calls_per_minute: 120,
  webhooks_per_minute: 300,
  /** Each sends some hundred webhooks in addition to the limit above. */
  certifications_per_hour: 20,
  snapshots: 5,
} as const
export const hostedLimitNames = keysOf(hostedLimits)

const hosted = model('Hosted', () =>
  z
    .strictObject({
      deleted_at: dateTimeUtc().describe('Time when it is deleted if nobody uses it before'),
      limits: z.strictObject({
        ...tableOf(hostedLimitNames, () => z.int()),
        stranger_calls_per_minute: z.int().describe('Limit of each address without authentication'),
        storage_bytes: z.int(),
      }),
      storage_bytes: z.int().describe('Storage in use'),
    })
    .describe('Limits of a hosted workspace, and the time when it is deleted'),
)
export type Hosted = z.output<ReturnType<typeof hosted>>

const health = model('Health', () =>
  z
    .strictObject({
      status: z.literal('ok'),
      version: z.string().optional().describe('Version of the sandbox'),
      interface: z
        .strictObject({
          version: z.string(),
          date: z.iso.date().describe('Day on which the documentation was read'),
        })
        .optional()
        .describe('Version of the platform API that the sandbox emulates'),
      workspace: z.string().optional(),
      clock: clockState().optional(),
      database_driver: z.enum(databaseHolders).optional(),
      process: z
        .strictObject({ pid: z.int(), started_at: dateTimeUtc() })
        .optional()
        .describe('Process of the sandbox; missing in a Durable Object'),
      hosted: hosted().optional(),
    })
    .describe('Only the status if an admin token is required and the caller does not send it'),
)

const ledger = model('Ledger', () =>
  z.strictObject({
    balanced: z.boolean(),
    accounts: z.array(z.strictObject({ username: z.string(), currency: currency(), ...balance().shape })),
  }),
)

export const stateRoutes = {
  readHealth: route({
    method: 'GET',
    path: '/health',
    summary: 'Whether the sandbox works and its database is writable',
    answer: health,
  }),
  readLedger: route({
    method: 'GET',
    path: '/ledger',
    summary: 'Recompute every balance from its postings',
    answer: ledger,
  }),
  rotateAdminToken: route({
    method: 'POST',
    path: '/admin-token',
    summary: 'Rotate the admin token: the old one becomes invalid immediately, the new one is shown only once',
    answer: () => z.strictObject({ admin_token: z.string() }),
  }),
  reset: route({
    method: 'POST',
    path: '/reset',
    summary: 'Return to the state right after start',
    answer: () =>
      z.strictObject({
        status: z.literal('ok'),
        workspace: z.string(),
        clock: clockState(),
        accounts: z.array(account()),
      }),
  }),
} as const
