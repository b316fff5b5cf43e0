/** The report of a load test: as text for a terminal, and as a chart in SVG. */
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
  return [`\n${bold('Load')} ${dim(loadTitle(load))}\n\n`, ...lines, ...plotLines(load), ...stepLines(load)].join('')
}

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

const chart = { width: 720, left: 70, panel: 110, gap: 34, top: 22 } as const
const colors = { time: '#1565c0', good: '#2e7d32', bad: '#c62828', text: '#555', line: '#bbb' } as const

/** One line for each element and no empty one, so that Markdown keeps it as one block. */
export function loadSvg({ timeline, acknowledgement }: LoadReport): string {
  const last = timeline.at(-1)
  const endMs = last === undefined ? 1 : last.at_ms + last.span_ms
  const plotWidth = chart.width - chart.left - 10
  const xOf = (ms: number) => round(chart.left + (plotWidth * ms) / endMs)
  const slowest = Math.max(1, ...timeline.map(({ p95_ms: p95 }) => p95 ?? 0))
  const busiest = Math.max(1, ...timeline.map(({ acknowledged, failed }) => acknowledged + failed))
  const [timesAt, attemptsAt] = [chart.top + chart.panel, chart.top + 2 * chart.panel + chart.gap]
  const bar = (span: LoadSpan) => ({
    x: xOf(span.at_ms),
    width: round(Math.max(1, (plotWidth * span.span_ms) / endMs - 1)),
  })
  const rect = (span: LoadSpan, bottom: number, height: number, color: string) =>
    height === 0
      ? []
      : `<rect x="${bar(span).x}" y="${round(bottom - height)}" width="${bar(span).width}" height="${round(height)}" fill="${color}"/>`
  const text = (x: number, y: number, words: string, anchor = 'end') =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`
  const line = (y: number) =>
    `<line x1="${chart.left}" y1="${y}" x2="${chart.width - 10}" y2="${y}" stroke="${colors.line}"/>`
  const height = attemptsAt + 24
  const says = `Acknowledgement time over ${formatDuration(endMs)}: p95 ${acknowledgement.p95_ms ?? '–'} ms; attempts below`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${chart.width} ${height}" width="${chart.width}" role="img" aria-label="${says}" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" fill="${colors.text}">`,
    text(chart.left, 12, 'acknowledgement time (p95)', 'start'),
    text(chart.left - 6, chart.top + 10, `${slowest} ms`),
    text(chart.left - 6, timesAt, '0'),
    ...timeline.flatMap((span) => rect(span, timesAt, (chart.panel * (span.p95_ms ?? 0)) / slowest, colors.time)),
    line(timesAt),
    text(chart.left, timesAt + chart.gap - 8, 'attempts a second: acknowledged, failed', 'start'),
    text(chart.left - 6, timesAt + chart.gap + 10, formatRate((1000 * busiest) / (last?.span_ms ?? 1000))),
    text(chart.left - 6, attemptsAt, '0'),
    ...timeline.flatMap((span) => {
      const [good, bad] = [span.acknowledged, span.failed].map((count) => (chart.panel * count) / busiest)
      return [
        ...[rect(span, attemptsAt, good ?? 0, colors.good)].flat(),
        ...[rect(span, attemptsAt - (good ?? 0), bad ?? 0, colors.bad)].flat(),
      ]
    }),
    line(attemptsAt),
    text(chart.left, attemptsAt + 16, '0s', 'start'),
    text(chart.width - 10, attemptsAt + 16, formatDuration(endMs)),
    '</svg>',
  ].join('\n')
}

const round = (value: number) => Math.round(value * 10) / 10
