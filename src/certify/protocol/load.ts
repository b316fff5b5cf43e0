/** The load test of a receiver: its options, their limits, the profiles, and the report. */
import * as z from 'zod'
import { minuteMs, secondMs } from '../../base/duration.js'
import { JsonNumber } from '../../base/json.js'
import { keysOf } from '../../base/keys.js'
import { durationMs } from '../../protocol/control/fields.js'
import { model } from '../../protocol/control/route.js'
import { choice } from '../../protocol/platform/fields.js'
import { minutes } from '../../protocol/platform/figures.js'
import { advisedResponseMs, webhookTimeouts } from '../../protocol/platform/limits.js'
import { inSeconds } from './timing.js'

/** Events a second, and real time. */
export const loadLimits = { leastRate: 0.1, rate: 500, durationMs: 10 * minuteMs } as const
export const defaultLoadMs = minuteMs

interface Profile {
  title: string
  /** A run repeats the profile about this often. */
  cycleMs?: number
  /** Share of the time and share of the rate, joined by straight lines. */
  points: readonly (readonly [time: number, rate: number])[]
}

// biome-ignore format: a table, a row a line
export const loadProfiles = {
  steady: { title: 'the rate all the time', points: [[0, 1], [1, 1]] },
  burst: { title: 'a fifth of the time the rate, otherwise a tenth of it', cycleMs: 10 * secondMs, points: [[0, 1], [0.2, 1], [0.2, 0.1], [1, 0.1]] },
  blackfriday: { title: 'a quiet start, a sudden peak, a busy day and a second peak', points: [[0, 0.1], [0.15, 0.15], [0.2, 1], [0.4, 1], [0.5, 0.4], [0.7, 0.5], [0.8, 0.9], [0.9, 0.9], [1, 0.1]] },
} as const satisfies Record<string, Profile>

export type LoadProfile = keyof typeof loadProfiles
export const loadProfileNames = keysOf(loadProfiles)
export const profileOf = (name: LoadProfile): Profile => loadProfiles[name]

/** Returns events a second, or null if the text is no rate. `20/s` and `20` are the same. */
export function parseRate(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)(?:\/s)?$/.exec(text.trim())
  return match === null ? null : Number(match[1])
}

export const formatRate = (rate: number): string => `${Math.round(rate * 10) / 10}/s`

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

/** `"20/s"` stands for `{"rate": "20/s"}`. */
export const loadField = () =>
  z.preprocess(
    (value) => (isRate(value) ? { rate: value } : value),
    z.strictObject({
      rate: rate().describe(`Highest number of events a second, at most ${loadLimits.rate}`),
      for: durationMs(loadLimits.durationMs, minutes(loadLimits.durationMs))
        .refine((ms) => ms >= secondMs, `must be at least ${inSeconds(secondMs)}`)
        .optional()
        .describe(`How long (default: ${inSeconds(defaultLoadMs)})`),
      profile: choice(loadProfileNames).optional().describe('How the rate changes over time (default: `steady`)'),
      find_limit: z
        .boolean('must be true or false')
        .optional()
        .describe(
          `Then also finds the highest rate at which 95 of 100 events are acknowledged within ${inSeconds(advisedResponseMs)}`,
        ),
    }),
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
    late_ms: count().describe('How late the sandbox itself sent an event, at most'),
    stopped: z.string().nullable().describe('Why the test ended early; null if it did not'),
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

export interface LoadOptions {
  /** Highest events a second. */
  rate: number
  durationMs: number
  profile: LoadProfile
  findLimit: boolean
}

export const loadOptionsOf = (given: z.output<ReturnType<typeof loadField>>): LoadOptions => {
  const { rate, for: durationMs = defaultLoadMs, profile = 'steady', find_limit: findLimit = false } = given
  return { rate, durationMs, profile, findLimit }
}

export type LoadReport = z.output<ReturnType<typeof loadReport>>
export type LoadSpan = LoadReport['timeline'][number]

/** What is known before the end: a part of the timeline, or a step of the search for the limit. */
export type LoadProgress =
  | { span: LoadSpan; for_ms: number }
  | { step: NonNullable<LoadReport['limit']>['steps'][number] }
