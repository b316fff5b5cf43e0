/** Names settings: only those with which a difference vanishes when the calls are repeated. */

import { type Config, type PlatformSetting, platformSettings } from '../../../inside/control.js'
import { assumptionOf } from '../../../inside/platform.js'
import { isJsonObject } from '../../../inside/values.js'
import type { Recording } from '../har/recording.js'
import { type Candidate, candidatesOf, mergedValue } from './calibrate.js'
import type { Finding } from './comparison.js'
import { feesIn } from './fees.js'
import type { Findings } from './findings.js'

type Repeat = (config: Config) => Promise<Findings>
type Chosen = ReadonlyMap<PlatformSetting, unknown>
/** By key. */
type Found = ReadonlyMap<string, Finding>
/** The finding that led to a setting. */
type Causes = Map<PlatformSetting, { key: string; finding: Finding }>

/** A value that is right leads to others, such as fees to their rounding; more rounds find nothing. */
const mostRounds = 8
/** Repeating without each setting is worth the time in small recordings only. */
const mostRepeated = 2_000

export async function prove(
  first: Findings,
  config: Config,
  recordings: readonly Recording[],
  repeat: Repeat,
): Promise<Findings> {
  const entries = recordings.reduce((sum, recording) => sum + recording.entries.length, 0)
  const aboutFees = [...first.found.values()].filter(({ setting }) => setting === 'fees')
  const notes: string[] = []
  const fees = aboutFees.length === 0 ? null : feesIn(recordings, config, (note) => notes.push(note))
  for (const finding of aboutFees) finding.value ??= fees
  const chosen = new Map<PlatformSetting, unknown>()
  const causes: Causes = new Map()
  const tried = new Set<string>()
  let last = first
  // A difference that shows only with another setting has no finding.
  const known = ({ found }: Findings): Found => new Map([...found].filter(([key]) => first.found.has(key)))
  for (let round = 0; round < mostRounds && choose(known(last), config, chosen, causes, tried); round++)
    last = await repeat(withSettings(config, chosen))
  for (const [setting, value] of chosen) if (isOf(config, setting, value)) chosen.delete(setting)
  // The last choice was not repeated, or still differs.
  for (const [key, finding] of known(last)) {
    for (const { setting } of candidatesOf(finding, config)) chosen.delete(setting)
    // One value explains all places of its finding, or none; a table can be right in part.
    for (const [setting, value] of chosen)
      if ((setting === finding.setting || causes.get(setting)?.key === key) && !isJsonObject(value))
        chosen.delete(setting)
  }
  last = await repeat(withSettings(config, chosen))
  const without = new Map<PlatformSetting, Findings>()
  if (chosen.size > 1 && chosen.size * entries <= mostRepeated)
    for (const setting of [...chosen.keys()]) {
      const others = new Map([...chosen].filter(([name]) => name !== setting))
      const findings = await repeat(withSettings(config, others))
      // Nothing differs without the setting, so it is no cause.
      if ([...findings.found.keys()].every((key) => last.found.has(key))) chosen.delete(setting)
      else without.set(setting, findings)
    }
  const explained = explain(first, last, chosen, causes, without, config)
  if (chosen.has('fees')) for (const note of notes) explained.notes.add(note)
  return explained
}

/** Chooses the next value for each difference that is left. Returns false if there is none. */
function choose(
  found: Found,
  config: Config,
  chosen: Map<PlatformSetting, unknown>,
  causes: Causes,
  tried: Set<string>,
): boolean {
  let isChanged = false
  const chosenNow = new Set<string>()
  for (const [key, finding] of found) {
    const candidates = candidatesOf(finding, withSettings(config, chosen))
    if (candidates.some((one) => chosenNow.has(nameOf(one)))) continue
    const next = candidates.find(
      (one) => isValid(one.setting, one.value) && !tried.has(nameOf(one)) && !(one.isOnce && tried.has(one.setting)),
    )
    for (const { setting } of candidates) tried.add(setting)
    if (next !== undefined) {
      tried.add(nameOf(next))
      chosenNow.add(nameOf(next))
      if (next.replaces !== undefined) chosen.delete(next.replaces)
      chosen.set(next.setting, mergedValue(next.value, chosen.get(next.setting)))
      if (!causes.has(next.setting)) causes.set(next.setting, { key, finding })
    } else for (const { setting } of candidates) isChanged = chosen.delete(setting) || isChanged
    isChanged ||= next !== undefined
  }
  return isChanged
}

const nameOf = ({ setting, value }: Pick<Candidate, 'setting' | 'value'>) => `${setting} ${JSON.stringify(value)}`
const isValid = (setting: PlatformSetting, value: unknown) => platformSettings[setting].schema.safeParse(value).success

/** The configuration with these settings, whose tables keep the other rows of the configuration. */
export function withSettings(config: Config, chosen: Chosen): Config {
  const changed = { ...config }
  for (const [name, value] of chosen) {
    const { schema, toConfig, defaults } = platformSettings[name]
    // The schema of the same row has parsed the value.
    const part = (toConfig as (value: unknown) => object)(schema.parse(value))
    for (const [key, one] of Object.entries(part)) {
      const preset = isJsonObject(one) ? Reflect.get(defaults, key) : undefined
      Object.assign(changed, { [key]: overlaid(one, preset, Reflect.get(config, key)) })
    }
  }
  return changed
}

/** Whether the configuration has this value of a setting, which is not a table. */
const isOf = (config: Config, setting: PlatformSetting, value: unknown): boolean =>
  Object.entries(withSettings(config, new Map([[setting, value]]))).every(
    ([key, one]) => one === Reflect.get(config, key),
  )

/** A value of a table that equals the default is not a change. */
function overlaid(value: unknown, preset: unknown, base: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(base)) return value === undefined || value === preset ? base : value
  const known = isJsonObject(preset) ? preset : {}
  const names = [...new Set([...Object.keys(base), ...Object.keys(value)])]
  return Object.fromEntries(names.map((name) => [name, overlaid(value[name], known[name], base[name])]))
}

/** The first findings: those that vanish with a setting name it, or are places of the finding that does. */
function explain(
  first: Findings,
  last: Findings,
  chosen: Chosen,
  causes: Causes,
  without: ReadonlyMap<PlatformSetting, Findings>,
  config: Config,
): Findings {
  const named = new Map<PlatformSetting, Finding>()
  for (const [setting, value] of chosen) {
    const finding = causes.get(setting)?.finding
    if (finding === undefined) continue
    const assumption = candidatesOf(finding, config).find((one) => one.setting === setting)?.assumption ?? null
    const row = assumption === null ? undefined : assumptionOf(assumption)
    const about = row === undefined ? finding.about : `${row.open}: ${row.choice}`
    named.set(setting, { ...finding, assumption, setting, value, about })
  }
  const found = new Map<string, Finding>()
  for (const [key, finding] of first.found) {
    if (last.found.has(key)) {
      found.set(key, { ...finding, setting: null, value: null })
      continue
    }
    const ofSetting = candidatesOf(finding, config).flatMap(({ setting }) => named.get(setting) ?? [])
    const isOwn = ofSetting.length > 0
    // A number that is documented is not one that is assumed, although one setting has both.
    if (isOwn && ofSetting.every(({ verdict }) => verdict !== finding.verdict)) found.set(key, finding)
    const cause = [...without].find(([, findings]) => findings.found.has(key))?.[0] ?? [...named.keys()][0]
    const own = cause === undefined ? undefined : named.get(cause)
    if (!isOwn && own !== undefined) own.places += finding.places
  }
  for (const [setting, finding] of named) found.set(`setting ${setting}`, finding)
  // Without the settings, a difference that depends on another one is hidden.
  for (const [key, finding] of last.found)
    if (!first.found.has(key)) found.set(key, { ...finding, setting: null, value: null })
  return last.with(found, first.fields)
}
