/** The flags of the load test, and the progress that it reports. */
import { type Command, Option } from 'commander'
import { formatDuration, parseDuration } from '../../base/duration.js'
import { UsageError } from '../../cli/errors.js'
import { minutes } from '../../protocol/platform/figures.js'
import {
  defaultLoadMs,
  formatRate,
  type LoadProgress,
  loadLimits,
  loadProfileNames,
  loadProfiles,
} from '../protocol/load.js'

export interface LoadFlags {
  load?: string
  for?: string
  profile?: string
  findLimit?: boolean
}

export function addLoadFlags(command: Command): void {
  const options = [
    new Option(
      '--load <rate>',
      `send events of real transactions at this rate, such as 20/s (at most ${loadLimits.rate}/s), instead of testing rule by rule`,
    ),
    new Option(
      '--for <duration>',
      `how long, at most ${minutes(loadLimits.durationMs)} (default: ${formatDuration(defaultLoadMs)})`,
    ),
    new Option(
      '--profile <name>',
      `how the rate changes: ${loadProfileNames.map((name) => `${name}: ${loadProfiles[name].title}`).join('; ')} (default: steady)`,
    ).choices(loadProfileNames),
    new Option('--find-limit', 'then also find the highest rate that the receiver sustains'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Load test:'))
}

/** The field `load` of the request; undefined without `--load`. */
export function loadOf({ load, for: duration, profile, findLimit }: LoadFlags) {
  if (load !== undefined)
    return { rate: load, for: duration, profile, find_limit: findLimit } satisfies Record<string, unknown>
  const alone = Object.entries({ '--for': duration, '--profile': profile, '--find-limit': findLimit })
  const [flag] = alone.find(([, value]) => value !== undefined) ?? []
  if (flag !== undefined) throw new UsageError(`${flag} belongs to a load test: add --load 20/s`)
  return undefined
}

export const durationOf = ({ for: duration }: LoadFlags): number =>
  (duration === undefined ? null : parseDuration(duration)) ?? defaultLoadMs

/** The line of progress, with the share that is done if it is known. */
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
