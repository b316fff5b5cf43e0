/** Routes of the business clock. */

import * as z from 'zod'
import { exactDuration, minuteMs } from '../../base/duration.js'
import { choice, dateTimeUtc } from '../platform/fields.js'
import { controlDefaults } from '../platform/limits.js'
import { jobKinds } from '../platform/transitions.js'
import { durationMs, eventName, listOf, model, momentMs, pageOf, route } from './route.js'

const clockModes = ['realtime', 'manual'] as const

export const clockState = model('ClockState', () => z.strictObject({ now: dateTimeUtc(), mode: z.enum(clockModes) }))

const ranJob = () => ({ at: dateTimeUtc(), job: z.enum(jobKinds), id: z.string() })

export const dueJob = model('DueJob', () => z.strictObject({ job: z.enum(jobKinds), at: dateTimeUtc() }))

const ran = model('RanJob', () => z.strictObject(ranJob()))

const scheduled = model('ScheduledJob', () =>
  z.strictObject({
    ...ranJob(),
    id: z.string().describe('Id of its charge, withdrawal, dispute, run or event'),
    event: eventName().nullable().describe('Event that it delivers; null for other jobs'),
  }),
)

const inFlight = model('JobInFlight', () =>
  z.strictObject({
    ...ranJob(),
    job: z.literal('deliver'),
    event: eventName(),
    url: z.string().nullable().describe('Receiver whose response the clock waits for'),
  }),
)

const reading = model('ClockReading', () =>
  clockState().extend({
    next_due: dateTimeUtc().nullable().describe('Time of the next scheduled job'),
    due: z.int().describe('Number of scheduled jobs'),
    advancing: z
      .strictObject({ in_flight: z.array(inFlight()) })
      .nullable()
      .describe('The running advance, with the webhooks whose responses it waits for; null if none is running'),
  }),
)

const advanced = model('Advanced', () =>
  z.strictObject({
    now: dateTimeUtc(),
    ran: z.array(ran()).describe('Jobs in the order in which they ran, without those in flight'),
    next_due: dateTimeUtc().nullable(),
    complete: z
      .boolean()
      .describe('Whether all jobs due up to the target have run and all their webhooks have a response'),
    canceled: z
      .boolean()
      .describe(
        'Whether the advance was canceled. If neither `canceled` nor `complete` is true, the advance continues',
      ),
    in_flight: z.array(inFlight()).describe('Webhooks whose responses the clock waits for'),
  }),
)

const longestWaitMs = 10 * minuteMs

export const clockRoutes = {
  readClock: route('GET /clock', { summary: 'The time of the sandbox and the next scheduled job', answer: reading }),
  listJobs: route('GET /clock/jobs', {
    summary: 'Scheduled jobs in the order in which they run',
    query: () => pageOf({ to: momentMs().optional().describe('Latest time of the jobs (default: all)') }),
    answer: () =>
      listOf(scheduled()).extend({
        counts: z
          .partialRecord(z.enum(jobKinds), z.int())
          .describe('Number of scheduled jobs of each kind, on all pages'),
      }),
  }),
  setClock: route('PUT /clock', {
    summary: 'Freeze, resume or set the clock',
    body: () =>
      z.strictObject({
        mode: choice(clockModes).optional(),
        now: momentMs().optional().describe('Must not be earlier than the time of the clock'),
      }),
    answer: reading,
    example: { mode: 'manual' },
  }),
  advanceClock: route('POST /clock/advance', {
    summary: 'Advance the clock from job to job',
    body: () =>
      z
        .strictObject({
          by: durationMs().optional(),
          to: momentMs().optional(),
          until: choice(['idle'])
            .optional()
            .describe(
              '`idle`: until the jobs that exist now and the jobs they create have run; jobs that other calls create do not count',
            ),
          wait: durationMs(longestWaitMs, '10m')
            .optional()
            .describe(
              `Real time after which the call responds even if the advance is not complete; the advance continues (default: ${exactDuration(controlDefaults.advanceWaitMs)})`,
            ),
        })
        .refine(({ by, to, until }) => [by, to, until].filter((value) => value !== undefined).length === 1, {
          path: ['by, to, until'],
          message: 'exactly one of these fields is required',
        }),
    answer: advanced,
    example: { by: '10m' },
  }),
  cancelAdvance: route('DELETE /clock/advance', {
    summary: 'Cancel all running clock advances; jobs that have run are not undone',
    answer: () =>
      z.strictObject({
        canceled: z.int().describe('Number of canceled advances, including those that had not started'),
        now: dateTimeUtc(),
        next_due: dateTimeUtc().nullable(),
      }),
  }),
} as const
