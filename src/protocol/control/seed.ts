/** Route of demonstrations: a workspace that looks used. */
import * as z from 'zod'
import { choice, momentUtc, whole } from '../platform/fields.js'
import { route } from './route.js'

/** Where nobody says how many. */
export const daysOfAMonth = 30

export const seedNames = ['demo'] as const

export const seedRoutes = {
  seed: route({
    method: 'POST',
    path: '/seed/{name}',
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Fill the workspace with a believable month: the clock advances through it, and stands at its end',
    params: () => z.strictObject({ name: choice(seedNames) }),
    body: () =>
      z.strictObject({
        days: whole(1, 90).optional().describe(`How many days; ${daysOfAMonth} where absent`),
        postback_url: z
          .string()
          .optional()
          .describe('Where webhooks go that have no address yet; an inbox of the sandbox where absent'),
      }),
    answer: () =>
      z.strictObject({
        name: z.enum(seedNames),
        from: momentUtc().describe('Business time when it began'),
        to: momentUtc().describe('Business time now'),
        happened: z.int().describe('How many things were done: charges made, paid, refunded, disputed, …'),
        refused: z.int().describe('How many the platform did not allow, for want of balance, say'),
      }),
    example: { days: 3 },
  }),
} as const
