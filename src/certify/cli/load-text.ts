/** The measurements of a load test as text: figures, and a plot of the acknowledgement times. */
import { formatDuration } from '../../base/duration.js'
import { bold, dim, paint } from '../../cli/terminal/style.js'
import { advisedResponseMs, webhookTimeouts } from '../../protocol/platform/limits.js'
import { formatRate, type LoadReport, type LoadSpan } from '../protocol/load.js'
import { inSeconds } from '../protocol/timing.js'

const inMs = (ms: number | null) => (ms === null ? 'none' : `${ms} ms`)
const counted = (count: number) => count.toLocaleString('en-US')

export const loadTitle = ({ rate, for_ms: durationMs, profile }: LoadReport): string =>
  `${formatRate(rate)} for ${formatDuration(durationMs)}, ${profile}`

/** Names and values, for every kind of report. */
export function loadFigures(load: LoadReport): [name: string, value: string][] {
  const { acknowledgement: times, failures, effects, limit, stopped } = load
  const { p50_ms: p50, p95_ms: p95, p99_ms: p99, max_ms: max } = times
  const failed = failures.map(({ reason, count }) => `${reason}: ${counted(count)}`)
  return [
    ['events', `${counted(load.events)}, ${counted(load.acknowledged)} acknowledged`],
    ['acknowledgement', `p50 ${inMs(p50)}, p95 ${inMs(p95)}, p99 ${inMs(p99)}, max ${inMs(max)}`],
    [`over ${inSeconds(advisedResponseMs)}`, counted(times.over_2_s)],
    [`over ${inSeconds(webhookTimeouts.totalMs)}`, counted(times.over_10_s)],
    ['failed attempts', failed.length === 0 ? 'none' : failed.join(', ')],
    ['retries', counted(load.retries)],
    ['oldest waiting', `${(load.oldest_ms / 1000).toFixed(1)} s`],
    ...(effects === null ? [] : ([['applied once', `${effects.once} of ${effects.checked} charges read`]] as const)),
    ...(limit === null ? [] : ([['limit', limitText(limit)]] as const)),
    ...(stopped === null ? [] : ([['ended early', stopped]] as const)),
  ].map(([name, value]) => [name ?? '', value ?? ''])
}

function limitText({ rate, bounded_by: by, steps }: NonNullable<LoadReport['limit']>): string {
  if (rate === null) return steps.length === 0 ? 'no time was left to find it' : 'below the lowest rate that was tried'
  return by === 'receiver' ? formatRate(rate) : `${formatRate(rate)} or more; the sandbox sent no faster`
}

/** The figures and the plot, for a terminal. */
export function loadText(load: LoadReport): string {
  const figures = loadFigures(load)
  const width = Math.max(...figures.map(([name]) => name.length))
  const lines = figures.map(([name, value]) => `  ${dim(name.padEnd(width))}  ${value}\n`)
  return [`\n${bold('Load')} ${dim(loadTitle(load))}\n\n`, ...lines, ...plotLines(load), ...stepLines(load)].join('')
}

const rows = 6
const levels = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const stepsOfRow = levels.length - 1

/** A bar of `share` of the height, cut to the row that is `row` rows above the bottom. */
function barAt(share: number, row: number): string {
  const left = Math.round(share * rows * stepsOfRow) - row * stepsOfRow
  return levels[Math.max(0, Math.min(stepsOfRow, left))] || ' '
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
  const failures = timeline.some(({ failed }) => failed > 0)
    ? [
        `${label('failed')} ${dim('│')}${timeline.map(({ failed }) => (failed > 0 ? paint('red', '×') : ' ')).join('')}\n`,
      ]
    : []
  const endMs = last.at_ms + last.span_ms
  return [
    `\n  ${dim('acknowledgement time (p95) and attempts over time')}\n`,
    ...plot,
    ...failures,
    `${label(`${formatRate((1000 * busiest) / last.span_ms)}`)} ${dim('│')}${timeline.map(spark).join('')}\n`,
    `${label('')} ${dim(`0s${formatDuration(endMs).padStart(Math.max(3, timeline.length - 1))}`)}\n`,
  ]
}

const attemptsOf = ({ acknowledged, failed }: LoadSpan) => acknowledged + failed
const p95Share = ({ p95_ms: p95 }: LoadSpan, slowest: number) => (p95 ?? 0) / slowest

function stepLines({ limit }: LoadReport): string[] {
  if (limit === null) return []
  const lines = limit.steps.map(({ rate, p95_ms: p95, failed, sustained }) => {
    const sign = sustained ? paint('green', '✓') : paint('red', '✗')
    return `  ${sign} ${formatRate(rate).padStart(7)}  p95 ${inMs(p95)}${failed === 0 ? '' : `, ${failed} failed`}\n`
  })
  return [`\n  ${dim('rates that were tried')}\n`, ...lines]
}
