/** Route of the activity: what came in and went out, and what became of webhooks, over the sandbox's own time. */
import * as z from 'zod'
import { currencyNames } from '../platform/currencies.js'
import { choice, decimal, momentUtc, wholeInQuery } from '../platform/fields.js'
import { model, route } from './route.js'

/** What is summed: money over the rails, and attempts to deliver an event. */
export const measures = ['in', 'out', 'delivered', 'failed'] as const
export type Measure = (typeof measures)[number]

/** Where nobody says how many. */
export const usualSpans = 30

const amounts = () => z.partialRecord(z.enum(currencyNames), decimal())

const span = model('ActivitySpan', () =>
  z.strictObject({
    at: momentUtc().describe('When it begins'),
    in: amounts().describe('Charges paid, deposits, withdrawals that came back'),
    out: amounts().describe('Withdrawals settled, charges returned'),
    delivered: z.int().describe('Attempts that a receiver acknowledged'),
    failed: z.int().describe('Attempts that failed'),
  }),
)

export const activityRoutes = {
  readActivity: route({
    method: 'GET',
    path: '/activity',
    summary: 'Money in and out, webhooks delivered and not, hour by hour or day by day up to now',
    query: () =>
      z.strictObject({
        by: choice(['hour', 'day']).optional().describe('How long a span is; `day` (UTC) where absent'),
        spans: wholeInQuery(1, 100).optional().describe(`How many, the present one last; ${usualSpans} where absent`),
      }),
    answer: () => z.strictObject({ by: z.enum(['hour', 'day']), data: z.array(span()) }),
  }),
} as const
