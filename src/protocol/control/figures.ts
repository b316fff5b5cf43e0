/** Control routes that count: objects in each status, fidelity, activity over business time, and metrics for Prometheus. */
import * as z from 'zod'
import { tableOf } from '../../base/keys.js'
import { assumptionIds } from '../platform/assumptions.js'
import { currencyNames } from '../platform/currencies.js'
import { fidelityTiers } from '../platform/documented-sentences.js'
import { choice, dateTimeUtc, decimal, integerInQuery } from '../platform/fields.js'
import { operations } from '../platform/limits.js'
import { statusesOf } from '../platform/transitions.js'
import { listOf, model, route } from './route.js'
import { emulatedVersion } from './state.js'
import { deliveryStatuses } from './webhooks.js'

/** Objects of one status are counted up to this number, which keeps the route fast. */
export const maxCount = 500

const statusCount = model('StatusCount', () =>
  z.strictObject({
    type: z.enum([...operations, 'dispute', 'webhook']),
    status: z.enum([...new Set([...statusesOf(...operations, 'dispute'), ...deliveryStatuses])]),
    count: z.int().describe(`At most ${maxCount}`),
    more: z.boolean().describe('There are more than `count`'),
    wrongly_accepted: z.int().optional().describe('Newest events among them that have this `verdict`'),
    rightly_refused: z.int().optional().describe('Newest events among them that have this `verdict`'),
  }),
)

export type StatusCount = z.output<ReturnType<typeof statusCount>>

export const countRoutes = {
  readCounts: route('GET /counts', {
    summary: 'Number of transactions, disputes and events in each status',
    answer: () => listOf(statusCount()),
  }),
} as const

const byTier = <Row extends z.ZodType>(row: Row) => z.strictObject(tableOf(fidelityTiers, () => row))

const fidelity = model('Fidelity', () =>
  z.strictObject({
    interface: emulatedVersion(),
    coverage: byTier(z.strictObject({ observed: z.int(), of: z.int() })).describe(
      'Documented sentences and assumptions that a probe or a recording observes, by tier',
    ),
    divergence: byTier(z.strictObject({ differs: z.int(), of: z.int() }))
      .or(z.literal('unknown'))
      .describe('Observed ones that differ from the platform, by tier; unknown without a recording of the platform'),
    dates: z
      .strictObject({ coverage: z.iso.date(), divergence: z.iso.date().nullable() })
      .describe('Day that each of the two describes: of the newest recording, or of the documentation'),
    assumptions: z.array(
      z.strictObject({
        name: z.enum(assumptionIds),
        state: z.enum(['assumed', 'confirmed', 'refuted']),
        recording: z.string().optional().describe('Missing if only the setting `platform` says so'),
        date: z.iso.date().optional(),
      }),
    ),
  }),
)

export type Fidelity = z.output<ReturnType<typeof fidelity>>

export const fidelityRoutes = {
  readFidelity: route('GET /fidelity', {
    summary: 'How far the sandbox is known to agree with the platform: coverage and divergence by tier',
    answer: fidelity,
  }),
} as const

/** What `activity` sums in each time span: money in and out, and attempts of webhooks. */
export const measures = ['in', 'out', 'delivered', 'failed'] as const
export type Measure = (typeof measures)[number]

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
  readActivity: route('GET /activity', {
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

interface MetricRow {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  /** Names of the labels. Their values come from tables of the sandbox, never from a caller, so their number is bounded. */
  labels: readonly string[]
}

const prefix = 'payments_sandbox_'

export const metrics = {
  calls_total: {
    type: 'counter',
    help: 'Calls of the platform API.',
    labels: ['method', 'route', 'status', 'code'],
  },
  call_duration_seconds: {
    type: 'histogram',
    help: 'Duration of calls of the platform API, in real time.',
    labels: ['method', 'route'],
  },
  webhook_attempts_total: { type: 'counter', help: 'Attempts to deliver a webhook.', labels: ['outcome'] },
  webhooks_waiting: {
    type: 'gauge',
    help: 'Webhooks that are neither acknowledged nor given up.',
    labels: [],
  },
  oldest_due_webhook_seconds: {
    type: 'gauge',
    help: 'Seconds since the oldest waiting webhook became due, in the time of the sandbox; 0 if none is due.',
    labels: [],
  },
  ledger_balanced: {
    type: 'gauge',
    help: '1 if every balance equals the sum of its postings, otherwise 0. Checked at most once a minute.',
    labels: [],
  },
  clock_offset_seconds: {
    type: 'gauge',
    help: 'Time of the sandbox minus real time.',
    labels: [],
  },
  workspaces: { type: 'gauge', help: 'Workspaces of this process.', labels: [] },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof metrics

/** The name in the text format of Prometheus. */
export const metricName = (name: MetricName): string => prefix + name

/** One line of the text format. */
export interface Sample {
  /** Differs from the metric's name for the parts of a histogram. */
  name: string
  labels: Readonly<Record<string, string | number>>
  value: number
}

export interface MeasuredMetric {
  name: string
  type: string
  help: string
  samples: readonly Sample[]
}

export const metricsRoutes = {
  readMetrics: route('GET /metrics', { summary: "Metrics in Prometheus' text format", mediaType: 'text/plain' }),
} as const
