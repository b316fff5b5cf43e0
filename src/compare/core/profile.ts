/** A profile: the settings with which the sandbox agrees with recordings, and the result for each assumption. */
import type { Observed } from '../../protocol/settings/observed.js'
import type { Comparison } from '../protocol/verdicts.js'

/** Keys of a configuration file. */
export type Profile = Record<string, unknown> & { platform: Record<string, Observed> }

type Base = Record<string, unknown> & { platform?: Partial<Record<string, Observed>> }

/** `base` is the configuration that the recordings were compared with. */
export function profileOf({ findings, recordings, last_seen: lastSeen }: Comparison, base: Base = {}): Profile {
  const settings = findings.flatMap(({ setting, value }) =>
    setting === null || value === null ? [] : [[setting, value]],
  )
  // An assumption that was wrong before agrees now because of the settings in the same file.
  const wrongBefore = Object.fromEntries(
    Object.entries(base.platform ?? {}).filter(([, one]) => one?.verdict === 'guess_wrong'),
  )
  const seen = findings.flatMap(({ verdict, assumption }): [string, Observed][] => {
    if (assumption === null || (verdict !== 'guess_wrong' && verdict !== 'guess_confirmed')) return []
    return [[assumption, { verdict, recordings, ...(lastSeen === null ? {} : { last_seen: lastSeen }) }]]
  })
  // One differing place makes an assumption wrong, however many agree.
  const wrong = seen.filter(([, { verdict }]) => verdict === 'guess_wrong')
  const wrongFirst = [...wrong, ...seen.filter(([id]) => !wrong.some(([other]) => other === id))]
  return { ...base, ...Object.fromEntries(settings), platform: { ...Object.fromEntries(wrongFirst), ...wrongBefore } }
}
