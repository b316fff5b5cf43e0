/** Writes metrics in Prometheus' text format, with those of the process. The library is loaded with the first scrape. */
import type { Metric, Registry } from 'prom-client'
import type { MeasuredMetric } from '../../protocol/control/metrics.js'

/** The registry of the process metrics, created at the first scrape and shared by all workspaces. */
let processRegistry: Promise<Registry> | null = null

/** Gauges whose names end like a counter's, which `promtool check metrics` rejects. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export async function renderMetrics(measured: readonly MeasuredMetric[]): Promise<string> {
  processRegistry ??= createProcessRegistry()
  const registry = await newRegistry()
  for (const metric of measured) registry.registerMetric(metricOf(metric))
  return `${await registry.metrics()}\n${await (await processRegistry).metrics()}`
}

/** Imports single files of prom-client: the whole library is twice as large and contains the push gateway. */
async function newRegistry(): Promise<Registry> {
  const { default: Registry } = await import('prom-client/lib/registry.js')
  return new Registry()
}

async function createProcessRegistry(): Promise<Registry> {
  const { default: collect } = await import('prom-client/lib/defaultMetrics.js')
  const register = await newRegistry()
  collect({ register })
  for (const name of misnamed) register.removeSingleMetric(name)
  return register
}

/** Returns a plain object: prom-client's counters cannot be set to a value, and its registry reads only `name` and `get`. */
function metricOf({ name, type, help, samples }: MeasuredMetric): Metric {
  const values = samples.map((sample) => ({ metricName: sample.name, labels: sample.labels, value: sample.value }))
  return { name, get: () => ({ name, type, help, values, aggregator: 'sum' }) } as unknown as Metric
}
