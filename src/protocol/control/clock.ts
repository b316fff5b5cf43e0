/** Routes of the business clock. */
import * as z from 'zod'
import { minuteMs, secondMs } from '../../base/duration.js'
import { choice, momentUtc } from '../platform/fields.js'
import { durationMs, eventName, momentMs } from './fields.js'
import { model, route } from './route.js'

export const clockModes = ['realtime', 'manual'] as const
const jobKinds = ['expire', 'settle', 'deliver', 'deadline', 'scenario'] as const
export type JobKind = (typeof jobKinds)[number]

export const clockState = model('ClockState', () => z.strictObject({ now: momentUtc(), mode: z.enum(clockModes) }))

const ranJob = () => ({ at: momentUtc(), job: z.enum(jobKinds), id: z.string() })

const ran = model('RanJob', () => z.strictObject(ranJob()))

const inFlight = model('JobInFlight', () =>
  z.strictObject({
    ...ranJob(),
    job: z.literal('deliver'),
    event: eventName(),
    url: z.string().nullable().describe('Whose answer the clock waits for'),
  }),
)

const reading = model('ClockReading', () =>
  clockState().extend({
    next_due: momentUtc().nullable().describe('When the next job is due'),
    due: z.int().describe('How many jobs wait'),
    advancing: z
      .strictObject({ in_flight: z.array(inFlight()) })
      .nullable()
      .describe('An advance that is under way, with the webhooks whose answers it waits for; null: none'),
  }),
)

const advanced = model('Advanced', () =>
  z.strictObject({
    now: momentUtc(),
    ran: z.array(ran()).describe('In order, without what is in flight'),
    next_due: momentUtc().nullable(),
    complete: z
      .boolean()
      .describe('Everything due up to the target has run, and every webhook of it has been answered'),
    canceled: z.boolean().describe('It ended before that. Where neither this nor `complete` is true, it continues'),
    in_flight: z.array(inFlight()).describe('Webhooks whose answers the clock waits for'),
  }),
)

/** Real time that a caller waits for an advance (default and maximum). */
export const advanceWaitMs = 30 * secondMs
const longestWaitMs = 10 * minuteMs

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
    summary: 'Advance the clock from job to job',
    body: () =>
      z
        .strictObject({
          by: durationMs().optional(),
          to: momentMs().optional(),
          until: choice(['idle'])
            .optional()
            .describe(
              '`idle`: until the jobs that exist now, and what they cause, have run; jobs of others do not count',
            ),
          wait: durationMs(longestWaitMs, '10m')
            .optional()
            .describe('Real time after which the call answers in any case, and the advance continues (default: 30s)'),
        })
        .refine(({ by, to, until }) => [by, to, until].filter((value) => value !== undefined).length === 1, {
          path: ['by, to, until'],
          message: 'exactly one of them must be given',
        }),
    answer: advanced,
    example: { by: '10m' },
  }),
  cancelAdvance: route({
    method: 'DELETE',
    path: '/clock/advance',
    summary: 'Cancel every advance of the clock; what has run is kept',
    answer: () =>
      z.strictObject({
        canceled: z.int().describe('How many there were, those that waited for their turn included'),
        now: momentUtc(),
        next_due: momentUtc().nullable(),
      }),
  }),
} as const
