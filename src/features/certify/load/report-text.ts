/** The report of a load test as text for a terminal; Markdown shows the same plot. */
import { bold, dim, paint } from '../../../inside/commands.js'
import { formatDuration } from '../../../inside/values.js'
import { inMs, loadFigures, loadTitle } from './figures.js'
import { formatRate } from './profiles.js'
import type { LoadReport, LoadSpan } from './report.js'

/** Returns the figures and the plot. */
export function loadText(load: LoadReport): string {
  const figures = loadFigures(load)
  const width = Math.max(...figures.map(([name]) => name.length))
  const lines = figures.map(([name, value]) => `  ${dim(name.padEnd(width))}  ${value}\n`)
  return [`\n${bold('Load')} ${dim(loadTitle(load))}\n\n`, ...lines, loadPlot(load)].join('')
}

/** The plot, and the rates that were tried. */
export const loadPlot = (load: LoadReport): string => [...plotLines(load), ...stepLines(load)].join('')

const rows = 6
const levels = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const stepsOfRow = levels.length - 1

/** Returns the part of a bar in one row of the plot. The bar has `share` of the height; `row` counts from the bottom. */
function barAt(share: number, row: number): string {
  const steps = Math.round(share * rows * stepsOfRow) - row * stepsOfRow
  return levels[Math.max(0, Math.min(stepsOfRow, steps))] || ' '
}

function plotLines({ timeline }: LoadReport): string[] {
  const last = timeline.at(-1)
  if (last === undefined) return []
  const slowest = Math.max(1, ...timeline.map(({ p95_ms: p95 }) => p95 ?? 0))
  const busiest = Math.max(1, ...timeline.map(attemptsOf))
  const label = (text: string) => dim(text.padStart(10))
  const spark = ({ acknowledged, failed }: LoadSpan) =>
    levels[Math.ceil(((acknowledged + failed) / busiest) * stepsOfRow)] || ' '
  const plot = Array.from({ length: rows }, (_, at) => rows - 1 - at).map((row) => {
    const scale = row === rows - 1 ? inMs(slowest) : row === 0 ? inMs(0) : ''
    const bars = timeline.map((span) => paint(span.failed > 0 ? 'red' : 'cyan', barAt(p95Share(span, slowest), row)))
    return `${label(scale)} ${dim('│')}${bars.join('')}\n`
  })
  const failures = timeline.map(({ failed }) => (failed > 0 ? paint('red', '×') : ' ')).join('')
  const endMs = last.at_ms + last.span_ms
  return [
    `\n  ${dim('acknowledgement time (p95) and attempts over time')}\n`,
    ...plot,
    ...(timeline.some(({ failed }) => failed > 0) ? [`${label('failed')} ${dim('│')}${failures}\n`] : []),
    `${label(`${formatRate((1000 * busiest) / last.span_ms)}`)} ${dim('│')}${timeline.map(spark).join('')}\n`,
    `${label('')} ${dim(`0s${formatDuration(endMs).padStart(Math.max(3, timeline.length - 1))}`)}\n`,
  ]
}

const attemptsOf = ({ acknowledged, failed }: LoadSpan) => acknowledged + failed
/** Smallest share that is drawn, so that a short time stays visible. */
const leastShare = 1 / (rows * stepsOfRow)
const p95Share = ({ p95_ms: p95 }: LoadSpan, slowest: number) =>
  p95 === null ? 0 : Math.max(leastShare, p95 / slowest)

function stepLines({ limit }: LoadReport): string[] {
  if (limit === null) return []
  const lines = limit.steps.map(({ rate, p95_ms: p95, failed, sustained }) => {
    const sign = sustained ? paint('green', '✓') : paint('red', '✗')
    return `  ${sign} ${formatRate(rate).padStart(7)}  p95 ${inMs(p95)}${failed === 0 ? '' : `, ${failed} failed`}\n`
  })
  return [`\n  ${dim('rates that were tried')}\n`, ...lines]
}
