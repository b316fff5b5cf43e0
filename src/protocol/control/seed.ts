/** Control route that creates sample data. */
import * as z from 'zod'
import { choice, dateTimeUtc, integerInJson } from '../platform/fields.js'
import { route } from './route.js'

/** Default number of days. */
export const defaultSeedDays = 30

export const seedNames = ['demo'] as const

export const seedRoutes = {
  seed: route({
    method: 'POST',
    path: '/seed/{name}',
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Create sample data for a month or another number of days, and advance the clock to its end',
    params: () => z.strictObject({ name: choice(seedNames) }),
    body: () =>
      z.strictObject({
        days: integerInJson(1, 90).optional().describe(`Number of days (default: ${defaultSeedDays})`),
        postback_url: z
          .string()
          .optional()
          .describe('Webhook URL for events without one (default: an inbox of the sandbox)'),
      }),
    answer: () =>
      z.strictObject({
        name: z.enum(seedNames),
        from: dateTimeUtc().describe('Time of the sandbox at the beginning'),
        to: dateTimeUtc().describe('Time of the sandbox now'),
        happened: z.int().describe('Number of charges created, paid, refunded, disputed, …'),
        refused: z.int().describe('Number of rejected actions, for example for insufficient balance'),
      }),
    example: { days: 3 },
  }),
} as const
