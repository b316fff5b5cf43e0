/** Formats the result and the progress of a load test: the lines of the command line, the pages and the reports. */
import { advisedResponseMs, attemptOutcomes, outcomeWords, webhookTimeouts } from '../../../inside/platform.js'
import { formatDuration } from '../../../inside/values.js'
import { formatRate, stopWords } from './profiles.js'
import type { LoadProgress, LoadReport } from './report.js'

export const inMs = (ms: number | null) => (ms === null ? 'none' : `${ms} ms`)
const counted = (count: number) => count.toLocaleString('en-US')

export const loadTitle = ({ rate, for_ms: durationMs, profile }: LoadReport): string =>
  `${formatRate(rate)} for ${formatDuration(durationMs)}, ${profile}`

/** Returns a status such as `500` unchanged, and the text for any other outcome. */
export function describeFailure(reason: string): string {
  const outcome = attemptOutcomes.find((one) => one === reason)
  return outcome === undefined ? reason : outcomeWords[outcome]
}

/** Returns the lines of a report: the name of each figure and its text. */
export function loadFigures(load: LoadReport): [name: string, value: string][] {
  const { acknowledgement: times, failures, effects, limit, stopped } = load
  const { p50_ms: p50, p95_ms: p95, p99_ms: p99, max_ms: max } = times
  const failed = failures.map(({ reason, count }) => `${counted(count)} × ${describeFailure(reason)}`)
  return [
    ['events', `${counted(load.events)}, ${counted(load.acknowledged)} acknowledged`],
    ['attempts', counted(load.attempts)],
    ['retries', counted(load.retries)],
    ['duplicates', `${counted(load.duplicates)}, sent on purpose`],
    ['failed attempts', failed.length === 0 ? 'none' : failed.join(', ')],
    ['acknowledgement', `p50 ${inMs(p50)}, p95 ${inMs(p95)}, p99 ${inMs(p99)}, max ${inMs(max)}`],
    [`later than ${advisedResponseMs / 1000} s`, counted(times.over_2_s)],
    [`later than ${webhookTimeouts.totalMs / 1000} s`, counted(times.over_10_s)],
    ['longest wait', load.oldest_ms < 1000 ? inMs(load.oldest_ms) : `${(load.oldest_ms / 1000).toFixed(1)} s`],
    ...(effects === null ? [] : ([['applied once', `${effects.once} of ${effects.checked} charges read`]] as const)),
    ...(limit === null ? [] : ([['limit', limitText(limit)]] as const)),
    ...(stopped === null ? [] : ([['ended early', stopWords[stopped]]] as const)),
  ].map(([name, value]) => [name ?? '', value ?? ''])
}

function limitText({ rate, bounded_by: by, steps }: NonNullable<LoadReport['limit']>): string {
  if (rate === null) return steps.length === 0 ? 'no time was left to find it' : 'below the lowest rate that was tried'
  return by === 'receiver' ? formatRate(rate) : `${formatRate(rate)} or more; the sandbox sent no faster`
}

/** Returns the line of progress, and which share of the load (0 to 1) is done if that is known. */
export function loadProgress(load: LoadProgress): [text: string, share?: number] {
  if ('step' in load) {
    const { rate, sustained } = load.step
    return [`finding the limit: ${formatRate(rate)} ${sustained ? 'is sustained' : 'is too much'}`]
  }
  const { span, for_ms: durationMs } = load
  const untilMs = span.at_ms + span.span_ms
  const p95 = span.p95_ms === null ? '' : `, p95 ${span.p95_ms} ms`
  const failed = span.failed === 0 ? '' : `, ${span.failed} failed`
  if (untilMs > durationMs) return ['waiting for the last acknowledgements', 1]
  return [
    `${formatRate((1000 * (span.acknowledged + span.failed)) / span.span_ms)}${p95}${failed}`,
    untilMs / durationMs,
  ]
}
