/** The flags of the load test. */
import { type Command, Option } from 'commander'
import { UsageError } from '../../../inside/commands.js'
import { minutes } from '../../../inside/platform.js'
import { formatDuration, parseDuration } from '../../../inside/values.js'
import { defaultLoadMs, loadLimits, loadProfileNames, loadProfiles } from './profiles.js'

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
      `send events of real transactions at this rate, such as 20/s (at most ${loadLimits.rate}/s), instead of testing each requirement`,
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

/** Returns the field `load` of the request; undefined without `--load`. */
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
