/** Control route of the activity: money in and out, and deliveries of webhooks, over business time. */
import * as z from 'zod'
import { currencyNames } from '../platform/currencies.js'
import { choice, dateTimeUtc, decimal, integerInQuery } from '../platform/fields.js'
import { model, route } from './route.js'

/** The sums: money over the rails, and delivery attempts. */
export const measures = ['in', 'out', 'delivered', 'failed'] as const
export type Measure = (typeof measures)[number]

/** Default number of time spans. */
export const usualSpans = 30

const amounts = () => z.partialRecord(z.enum(currencyNames), decimal())

const span = model('ActivitySpan', () =>
  z.strictObject({
    at: dateTimeUtc().describe('Start of the time span'),
    in: amounts().describe('Charges paid, deposits, withdrawals refunded'),
    out: amounts().describe('Withdrawals confirmed, charges refunded, disputes lost'),
    delivered: z.int().describe('Attempts that a receiver has acknowledged'),
    failed: z.int().describe('Failed attempts'),
  }),
)

export const activityRoutes = {
  readActivity: route({
    method: 'GET',
    path: '/activity',
    summary: 'Money in and out, and delivered and failed webhooks, for each hour or day up to now',
    query: () =>
      z.strictObject({
        by: choice(['hour', 'day']).optional().describe('Length of a time span (default: `day`, in UTC)'),
        spans: integerInQuery(1, 100)
          .optional()
          .describe(`Number of time spans, the current one last (default: ${usualSpans})`),
      }),
    answer: () => z.strictObject({ by: z.enum(['hour', 'day']), data: z.array(span()) }),
  }),
} as const
