/** Routes of the sandbox as a whole: health, ledger, reset. */
import * as z from 'zod'
import { account } from './accounts.js'
import { clockState } from './clock.js'
import { databaseHolders } from './drivers.js'
import { balance, currency } from './fields.js'
import { model, route } from './route.js'

const health = model('Health', () =>
  z
    .strictObject({
      status: z.literal('ok'),
      version: z.string().optional(),
      workspace: z.string().optional(),
      clock: clockState().optional(),
      database_driver: z.enum(databaseHolders).optional(),
    })
    .describe('The status alone for callers without the admin token, where one is asked for'),
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
    summary: 'Whether the sandbox works and its store can be written',
    answer: health,
  }),
  readLedger: route({
    method: 'GET',
    path: '/ledger',
    summary: 'Recompute every balance from its postings',
    answer: ledger,
  }),
  reset: route({
    method: 'POST',
    path: '/reset',
    summary: 'Back to the state right after start',
    answer: () =>
      z.strictObject({
        status: z.literal('ok'),
        workspace: z.string(),
        clock: clockState(),
        accounts: z.array(account()),
      }),
  }),
} as const
