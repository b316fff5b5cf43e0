/** The load test of a receiver in the control API: request fields and report. */
import * as z from 'zod'
import { durationMs, model } from '../../../inside/control.js'
import { advisedResponseMs, choice, minutes, webhookTimeouts } from '../../../inside/platform.js'
import { JsonNumber, keysOf, secondMs } from '../../../inside/values.js'
import { describeOption } from '../options.js'
import { loadOptions } from '../program-options.js'
import { inSeconds } from '../receiver/timing.js'
import { defaultLoadMs, loadLimits, loadProfileNames, parseRate, stopWords } from './profiles.js'

const asText = (value: unknown) => (value instanceof JsonNumber ? value.text : String(value))

const rate = () =>
  z
    .custom<JsonNumber | number | string>(
      (value) => !(value instanceof Object && !(value instanceof JsonNumber)) && parseRate(asText(value)) !== null,
      'must be a number of events a second, such as 20/s',
    )
    .transform((value) => parseRate(asText(value)) ?? 0)
    .refine(
      (value) => value >= loadLimits.leastRate && value <= loadLimits.rate,
      `must be from ${loadLimits.leastRate}/s to ${loadLimits.rate}/s`,
    )
    .meta({ type: ['number', 'string'], examples: ['20/s'] })

const isRate = (value: unknown) => typeof value === 'string' || typeof value === 'number' || value instanceof JsonNumber

/** Accepts `"20/s"` as short for `{"rate": "20/s"}`. */
export const loadField = () =>
  z.preprocess(
    (value) => (isRate(value) ? { rate: value } : value),
    z.strictObject(
      {
        rate: rate().describe(`Highest number of events a second, at most ${loadLimits.rate}`),
        for: durationMs(loadLimits.durationMs, minutes(loadLimits.durationMs))
          .refine((ms) => ms >= secondMs, `must be at least ${inSeconds(secondMs)}`)
          .optional()
          .describe(describeOption(loadOptions.for)),
        profile: choice(loadProfileNames).optional().describe(describeOption(loadOptions.profile)),
        find_limit: z
          .boolean('must be true or false')
          .optional()
          .describe(
            `Then also finds the highest rate at which 95 of 100 events are acknowledged within ${inSeconds(advisedResponseMs)}`,
          ),
      },
      {
        error: ({ code }) =>
          code === 'invalid_type' ? 'must be a rate such as 20/s, or an object with rate' : undefined,
      },
    ),
  )

const count = () => z.int().min(0)
const ms = () => z.int().nullable()

export const loadReport = model('LoadReport', () =>
  z.strictObject({
    rate: z.number().describe('Highest events a second'),
    for_ms: count(),
    profile: z.enum(loadProfileNames),
    events: count().describe('Different events that were sent'),
    acknowledged: count().describe('Events that the receiver answered with 2xx at least once'),
    attempts: count(),
    retries: count(),
    duplicates: count().describe('Acknowledged events that were sent once more on purpose'),
    late_ms: count().describe('By how much the sandbox postponed events because it was busy itself'),
    stopped: z
      .enum(keysOf(stopWords))
      .nullable()
      .describe(
        'Who is the cause of an early end: the caller left, too many events waited for the receiver, or the sandbox could not send at this rate; null if there was none',
      ),
    acknowledgement: z
      .strictObject({
        ...{ p50_ms: ms(), p95_ms: ms(), p99_ms: ms(), max_ms: ms() },
        over_2_s: count().describe('Including attempts without an answer'),
        over_10_s: count().describe(`Attempts without an answer within ${inSeconds(webhookTimeouts.totalMs)}`),
      })
      .describe('Time from the request to the answer, of attempts that were answered with 2xx'),
    failures: z
      .array(z.strictObject({ reason: z.string().describe('A status such as `500`, or an outcome'), count: count() }))
      .describe('Failed attempts by kind, most frequent first'),
    oldest_ms: count().describe('The longest time that an event waited for its acknowledgement'),
    effects: z
      .strictObject({ checked: count(), once: count(), missing: count(), repeated: count(), other: count() })
      .nullable()
      .describe('What the state URL reports of a sample of the charges; null without a state URL'),
    limit: z
      .strictObject({
        rate: z.number().nullable().describe('Highest sustained events a second; null if none was'),
        bounded_by: z
          .enum(['receiver', 'sandbox'])
          .describe('`sandbox`: it cannot send more, or the highest rate is reached; the receiver may take more'),
        steps: z.array(z.strictObject({ rate: z.number(), p95_ms: ms(), failed: count(), sustained: z.boolean() })),
      })
      .nullable()
      .describe('Only with `find_limit`'),
    timeline: z
      .array(
        z.strictObject({
          at_ms: count(),
          span_ms: count(),
          ...{ acknowledged: count(), failed: count(), p95_ms: ms(), oldest_ms: count() },
        }),
      )
      .describe('Attempts by the time at which they began'),
  }),
)

export const loadOptionsOf = (fields: z.output<ReturnType<typeof loadField>>) => {
  const { rate, for: durationMs = defaultLoadMs, profile = 'steady', find_limit: findLimit = false } = fields
  return { rate, durationMs, profile, findLimit }
}
/** `rate`: the highest, in events a second. */
export type LoadOptions = ReturnType<typeof loadOptionsOf>

export type LoadReport = z.output<ReturnType<typeof loadReport>>
export type LoadSpan = LoadReport['timeline'][number]

/** A result that is known before the end: a part of the timeline, or a step of the search for the limit. */
export type LoadProgress =
  | { span: LoadSpan; for_ms: number }
  | { step: NonNullable<LoadReport['limit']>['steps'][number] }
