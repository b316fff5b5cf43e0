/** The generated table of metrics in docs/operation.md. */

import { keysOf } from '../../src/base/keys.js'
import { type MetricName, metricName, metrics } from '../../src/protocol/control/figures.js'
import { code, markdownTable, withParts } from './markdown.js'

/** Returns docs/operation.md with its table of metrics. */
export function metricsPage(page: string): string {
  const rowOf = (name: MetricName) => {
    const { type, help, labels } = metrics[name]
    return [code(metricName(name)), type, labels.map(code).join(', '), help]
  }
  const table = markdownTable(['metric', 'type', 'labels', 'meaning'], keysOf(metrics).map(rowOf))
  return withParts(page, 'docs/operation.md', { metrics: table })
}
