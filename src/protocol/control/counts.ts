/** Control route of the counts: how many objects are in each status. */
import * as z from 'zod'
import { operations } from '../platform/limits.js'
import { statusesOf } from '../platform/transitions.js'
import { listOf } from './fields.js'
import { model, route } from './route.js'
import { deliveryStatuses } from './webhooks.js'

/** Objects of one status are counted up to this number, so that a count stays fast. */
export const maxCount = 500

const statusCount = model('StatusCount', () =>
  z.strictObject({
    type: z.enum([...operations, 'dispute', 'webhook']),
    status: z.enum([...new Set([...statusesOf(...operations, 'dispute'), ...deliveryStatuses])]),
    count: z.int().describe(`At most ${maxCount}`),
    more: z.boolean().describe('There are more than `count`'),
  }),
)

export type StatusCount = z.output<ReturnType<typeof statusCount>>

export const countRoutes = {
  readCounts: route({
    method: 'GET',
    path: '/counts',
    summary: 'Number of transactions, disputes and events in each status',
    answer: () => listOf(statusCount()),
  }),
} as const
