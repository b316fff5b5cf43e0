/** A profile: the settings with which the sandbox agrees with recordings, and the result for each assumption. */
import type { Observed } from '../../../inside/control.js'
import { mergedValue } from './calibrate.js'
import type { Comparison } from './verdicts.js'

/** Keys of a configuration file. */
export type Profile = Record<string, unknown> & { platform: Record<string, Observed> }

type Base = Record<string, unknown> & { platform?: Partial<Record<string, Observed>> }

/** `base` is the configuration that the recordings were compared with. */
export function profileOf({ findings, recordings, last_seen: lastSeen }: Comparison, base: Base = {}): Profile {
  const settings: Record<string, unknown> = {}
  for (const { setting, value } of findings)
    if (setting !== null && value !== null) settings[setting] = mergedValue(settings[setting], value)
  const withBase = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, mergedValue(value, base[name])]),
  )
  // An assumption that was wrong before agrees now because of the settings in the same file.
  const wrongBefore: Record<string, Observed> = Object.fromEntries(
    Object.entries(base.platform ?? {}).flatMap(([id, one]) =>
      one?.verdict === 'assumption_wrong' ? [[id, one]] : [],
    ),
  )
  const observed = findings.flatMap(({ verdict, assumption }): [string, Observed][] => {
    if (assumption === null || (verdict !== 'assumption_wrong' && verdict !== 'assumption_confirmed')) return []
    return [[assumption, { verdict, recordings, ...(lastSeen === null ? {} : { last_seen: lastSeen }) }]]
  })
  // One differing place makes an assumption wrong, however many agree.
  const wrong = observed.filter(([, { verdict }]) => verdict === 'assumption_wrong')
  const wrongFirst = [...wrong, ...observed.filter(([id]) => !wrong.some(([other]) => other === id))]
  return { ...base, ...withBase, platform: { ...Object.fromEntries(wrongFirst), ...wrongBefore } }
}
