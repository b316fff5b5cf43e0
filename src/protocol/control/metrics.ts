/** The metrics of a workspace, one row each. Their text and the table in `docs/operation.md` follow from the rows. */
import { withParts } from '../../base/markdown.js'
import { route } from './route.js'

interface MetricRow {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  /** Values come from the sandbox's own tables, never from a caller. */
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

/** The name in the text. */
export const metricName = (name: MetricName): string => prefix + name

/** One line of the text. */
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
  readMetrics: route({
    method: 'GET',
    path: '/metrics',
    summary: "Metrics in Prometheus' text format",
    mediaType: 'text/plain',
  }),
} as const

/** Returns docs/operation.md with its table of metrics. */
export function metricsPage(page: string): string {
  const rows = Object.entries<MetricRow>(metrics).map(([name, { type, help, labels }]) => {
    const labelText = labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${prefix}${name}\` | ${type} | ${labelText} | ${help} |`
  })
  const table = ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
  return withParts(page, 'docs/operation.md', { metrics: table })
}
