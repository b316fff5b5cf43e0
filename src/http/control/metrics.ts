/** Figures: a workspace for `GET /metrics`, whose text the runtime writes, its activity per hour or per day, and the known distance to the platform. */
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { attemptCounts } from '../../core/delivery/deliveries.js'
import { waitingDeliveries } from '../../core/jobs/jobs.js'
import { activityUntil, auditLedgerInBatches, type Span } from '../../core/ledger/ledger.js'
import { formatMoney } from '../../core/ledger/pricing.js'
import { callCounts, durationBucketsMs, type RouteCalls } from '../../core/request-log/log.js'
import type { Workspace, WorkspaceSlot } from '../../core/unit/unit.js'
import {
  type activityRoutes,
  type fidelityRoutes,
  type MeasuredMetric,
  type MetricName,
  metricName,
  metrics,
  type metricsRoutes,
  type Sample,
  usualSpans,
} from '../../protocol/control/figures.js'
import { assumptionIds } from '../../protocol/platform/assumptions.js'
import { emulatedInterface } from '../../protocol/platform/emulated-interface.js'
import { type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { measureFidelity } from '../../protocol/platform/fidelity.js'
import type { Observed } from '../../protocol/settings/platform.js'
import type { Host } from '../host.js'
import type { CallContext, Handlers } from './routes.js'

// Activity per hour or per day.

const lengths = { hour: hourMs, day: dayMs }

function spanFields({ atMs, sums }: Span) {
  const amounts = (measure: 'in' | 'out') =>
    Object.fromEntries(
      sums.flatMap((sum) =>
        sum.measure !== measure || sum.currency === ''
          ? []
          : [[sum.currency, formatMoney(BigInt(sum.minor), sum.currency)]],
      ),
    )
  const count = (measure: 'delivered' | 'failed') => sums.find((sum) => sum.measure === measure)?.count ?? 0
  return {
    at: isoUtc(atMs),
    in: amounts('in'),
    out: amounts('out'),
    delivered: count('delivered'),
    failed: count('failed'),
  }
}

export const activityHandlers: Handlers<typeof activityRoutes> = {
  readActivity: ({ ws, query: { by = 'day', spans = usualSpans } }) =>
    ws.unit(({ db, atMs }) => ({ by, data: activityUntil(db, atMs, lengths[by], spans).map(spanFields) })),
}

/** Prometheus reads every few seconds, and an audit reads every posting. */
const auditLifeMs = minuteMs
const lastAudit: WorkspaceSlot<{ atMs: number; isBalanced: Promise<boolean> } | null> = { begin: () => null }

async function readMetrics({ host, ws, request }: CallContext): Promise<Response> {
  if (host.renderMetrics === undefined)
    throw new ApiError('NOT_FOUND', {}, 'A hosted sandbox has no metrics: use the metrics of the hosting platform.')
  const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const text = await host.renderMetrics(await measure(host, ws))
  return new Response(text, { headers })
}

async function measure(host: Host, ws: Workspace): Promise<MeasuredMetric[]> {
  const { routes } = ws.state.of(callCounts)
  const { waiting, oldestDueAtMs } = await ws.unit((unit) => waitingDeliveries(unit.db, unit.atMs))
  // Read side by side: the difference of two moments would show in the offset.
  const [nowMs, wallMs] = [ws.clock.now(), ws.clock.wall()]
  const samples: Record<MetricName, Sample[]> = {
    calls_total: [...routes].flatMap(([route, calls]) => resultSamples(route, calls)),
    call_duration_seconds: [...routes].flatMap(([route, calls]) => durationSamples(route, calls)),
    webhook_attempts_total: [...ws.state.of(attemptCounts)].map(([outcome, value]) =>
      sample('webhook_attempts_total', value, { outcome }),
    ),
    webhooks_waiting: [sample('webhooks_waiting', waiting)],
    oldest_due_webhook_seconds: [
      sample('oldest_due_webhook_seconds', oldestDueAtMs === null ? 0 : (nowMs - oldestDueAtMs) / secondMs),
    ],
    ledger_balanced: [sample('ledger_balanced', Number(await isBalanced(ws)))],
    clock_offset_seconds: [sample('clock_offset_seconds', (nowMs - wallMs) / secondMs)],
    workspaces: [sample('workspaces', 1 + (await host.workspaceNames('', Number.POSITIVE_INFINITY)).length)],
  }
  return Object.entries(metrics).map(([name, { type, help }]) => ({
    // The keys of `metrics` are the names.
    ...{ name: metricName(name as MetricName), type, help, samples: samples[name as MetricName] },
  }))
}

const sample = (name: MetricName, value: number, labels: Sample['labels'] = {}, suffix = ''): Sample => ({
  name: metricName(name) + suffix,
  labels,
  value,
})

/** Calls are counted by the name of their endpoint. */
function routeLabels(route: string): { method: string; route: string } {
  const { method, path } = endpoints[route as EndpointName]
  return { method, route: path }
}

const resultSamples = (route: string, { results }: RouteCalls): Sample[] =>
  [...results.values()].map(({ status, code, calls }) =>
    sample('calls_total', calls, { ...routeLabels(route), status, code }),
  )

function durationSamples(route: string, { buckets, durationMs }: RouteCalls): Sample[] {
  const labels = routeLabels(route)
  let calls = 0
  const counted = buckets.map((count, index) => {
    calls += count
    const boundMs = durationBucketsMs[index]
    const le = boundMs === undefined ? '+Inf' : boundMs / secondMs
    return sample('call_duration_seconds', calls, { ...labels, le }, '_bucket')
  })
  return [
    ...counted,
    sample('call_duration_seconds', durationMs / secondMs, labels, '_sum'),
    sample('call_duration_seconds', calls, labels, '_count'),
  ]
}

function isBalanced(ws: Workspace): Promise<boolean> {
  const known = ws.state.of(lastAudit)
  if (known !== null && ws.clock.wall() - known.atMs < auditLifeMs) return known.isBalanced
  const audited = auditLedgerInBatches(ws).then(({ balanced }) => balanced)
  ws.state.set(lastAudit, { atMs: ws.clock.wall(), isBalanced: audited })
  return audited
}

export const metricsHandlers: Handlers<typeof metricsRoutes> = { readMetrics }

// The known distance to the platform.

const profileStates = { assumption_confirmed: 'confirmed', assumption_wrong: 'refuted' } as const

export const fidelityHandlers: Handlers<typeof fidelityRoutes> = {
  async readFidelity({ host, ws }) {
    const probed = await Promise.all(host.routes.map(({ observes }) => observes?.() ?? []))
    const { coverage, divergence, dates, stateOf } = measureFidelity(probed.flat())
    const platform: Readonly<Partial<Record<string, Observed>>> = ws.config.platform
    const assumptions = assumptionIds.map((name) => {
      const [recorded, own] = [stateOf(name), platform[name]]
      if (recorded.state !== 'assumed' || own === undefined) return { name, ...recorded }
      const { verdict, last_seen: date } = own
      return { name, state: profileStates[verdict], ...(date === undefined ? {} : { date }) }
    })
    return { interface: emulatedInterface, coverage, divergence, dates, assumptions }
  },
}
