/** Routes of the business clock. */
import * as z from 'zod'
import { choice, momentUtc } from '../api/fields.js'
import { durationMs, momentMs } from './fields.js'
import { model, route } from './route.js'

export const clockModes = ['realtime', 'manual'] as const
const jobKinds = ['expire', 'settle', 'deliver', 'deadline', 'scenario'] as const
export type JobKind = (typeof jobKinds)[number]

export const clockState = model('ClockState', () => z.strictObject({ now: momentUtc(), mode: z.enum(clockModes) }))

const reading = model('ClockReading', () =>
  clockState().extend({
    next_due: momentUtc().nullable().describe('When the next job is due'),
    due: z.int().describe('How many jobs wait'),
  }),
)

const advanced = model('Advanced', () =>
  z.strictObject({
    now: momentUtc(),
    ran: z.array(z.strictObject({ at: momentUtc(), job: z.enum(jobKinds), id: z.string() })).describe('In order'),
    next_due: momentUtc().nullable(),
  }),
)

export const clockRoutes = {
  readClock: route({ method: 'GET', path: '/clock', summary: 'The business clock and what is due', answer: reading }),
  setClock: route({
    method: 'PUT',
    path: '/clock',
    summary: 'Freeze, resume or set the clock',
    body: () =>
      z.strictObject({
        mode: choice(clockModes).optional(),
        now: momentMs().optional().describe('May only lie ahead'),
      }),
    answer: reading,
    example: { mode: 'manual' },
  }),
  advanceClock: route({
    method: 'POST',
    path: '/clock/advance',
    summary: 'Walk the clock forward from job to job',
    body: () =>
      z
        .strictObject({
          by: durationMs().optional(),
          to: momentMs().optional(),
          until: choice(['idle']).optional(),
        })
        .refine((wish) => Object.values(wish).filter((value) => value !== undefined).length === 1, {
          path: ['by, to, until'],
          message: 'exactly one of them must be given',
        }),
    answer: advanced,
    example: { by: '10m' },
  }),
} as const
