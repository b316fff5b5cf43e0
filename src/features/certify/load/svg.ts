/** The chart of a load test for the Markdown report: acknowledgement times at the top, attempts at the bottom. */
import { formatDuration } from '../../../inside/values.js'
import { formatRate } from './profiles.js'
import type { LoadReport, LoadSpan } from './report.js'

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
