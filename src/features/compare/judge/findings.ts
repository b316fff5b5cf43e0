/** Collects differences into findings, one for each cause, and confirmations of assumptions. */

import type { Config } from '../../../inside/control.js'
import { assumptionOf } from '../../../inside/platform.js'
import { fieldsIn } from '../../../inside/values.js'
import { mergedValue, settingValueOf } from './calibrate.js'
import type { Comparison, Finding, LeftOut } from './comparison.js'
import { assumptionAt, coinDecimals, isAmountType, type Judged, judge, type Scene } from './judge.js'
import type { Difference } from './values.js'
import { verdictNames } from './verdicts.js'

interface Confirmed {
  exchange: number
  call: string
  path: string
  places: number
}

type Place = Pick<Finding, 'exchange' | 'call' | 'path'> & Values & Partial<Pick<Difference, 'currency' | 'isCut'>>
/** Undefined: not sent. */
type Values = Partial<Pick<Finding, 'platform' | 'sandbox'>>

export class Findings {
  readonly #confirmed = new Map<string, Confirmed>()
  /** Findings about a field, by its name and both values. */
  readonly #byValues = new Map<string, Finding>()
  /** Calls with fields that the platform does not send although the sandbox has a value, or that it names otherwise. */
  readonly #missing = new Set<string>()
  /** Differences that can have the cause of another one, perhaps of a later one. */
  readonly #waiting: { judged: Judged; place: Place; values: string; where: string | null }[] = []
  /** Findings about coins whose amounts are cut, by currency. */
  readonly #cuts = new Map<unknown, Finding>()
  /** What the recordings do not decide. */
  readonly notes = new Set<string>()
  /** Number of compared fields. */
  fields = 0
  /** The causes that each entry shows, by its number. */
  readonly byEntry = new Map<number, Set<Finding>>()

  constructor(
    /** By cause. */
    readonly found: Map<string, Finding> = new Map(),
  ) {}

  /** The same confirmations and notes with other findings. */
  with(found: Map<string, Finding>, fields: number): Findings {
    const copy = new Findings(found)
    copy.fields = fields
    for (const [key, place] of this.#confirmed) copy.#confirmed.set(key, place)
    for (const note of this.notes) copy.notes.add(note)
    return copy
  }

  /** `config` is that of the sandbox. */
  add(difference: Difference, scene: Scene, config: Config): void {
    const { path, platform, sandbox, kind, isShared, movement, isCut } = difference
    // A balance that shows everywhere that an event did not change it is one finding about that event.
    const cause = movement === undefined ? scene : { ...scene, name: movement, call: movement }
    const judged = judge(difference, cause)
    const value = judged.setting === null ? null : settingValueOf(judged.assumption, difference, cause, config)
    const place = { ...difference, ...cause }
    if (kind === 'missing') this.#missing.add(`${scene.call} ${path}`)
    if (kind === 'renamed')
      for (const name of [path, pathBeside(path, Object.keys(fieldsIn(platform))[0])])
        this.#missing.add(`${scene.call} ${name}`)
    const both = kind === 'letters' ? kind : `${String(platform)} ${String(sandbox)}`
    const values = `${path.slice(path.lastIndexOf('.') + 1)} ${both}`
    const isPlain = kind === 'value' || kind === 'letters'
    const shown = isAmountType(difference) ? 'amounts' : isShared ? path : null
    const where = shown === null ? null : `${judged.about} ${shown}`
    const isCause = judged.assumption === coinDecimals
    const canFollow = judged.assumption === 'undocumented_fields' ? isPlain : judged.assumption === 'missing_values'
    if (canFollow || (isCut && !isCause)) {
      this.#waiting.push({ judged: { ...judged, value }, place, values, where })
      return
    }
    const finding = this.record({ ...judged, value }, place, where)
    if (isCause) this.#cuts.set(place.currency, finding)
    if (judged.verdict === 'documentation_wrong' && isPlain) this.#byValues.set(values, finding)
  }

  /**
   * At the end: a field that the platform does not send even if it has a value is not left out because it is empty, and
   * an undocumented field with the same values as another one differs for the same reason, as do the cut amounts of a coin.
   */
  settle(): void {
    for (const { judged, place, values, where } of this.#waiting.splice(0)) {
      const cause = (place.isCut ? this.#cuts.get(place.currency) : undefined) ?? this.#byValues.get(values)
      if (judged.assumption === 'missing_values') {
        if (!this.#missing.has(`${place.call} ${place.path}`)) this.record(judged, place)
      } else if (cause !== undefined) this.#count(cause, place.exchange)
      else this.#byValues.set(values, this.record(judged, place, where))
    }
  }

  unexplained(about: string, place: Place): void {
    const judged = { assumption: null, setting: null, value: null, documented: null, about }
    this.record({ ...judged, verdict: 'unexplained' }, place)
  }

  /** `cause` shows in every call, or in every webhook; null if it shows in one field of one call. */
  record(judged: Judged, place: Place, cause: string | null = null): Finding {
    const { exchange, call, path } = place
    const { verdict, assumption, setting, about } = judged
    // One assumption is one cause, wherever it shows; so is one field of one call.
    const isRow = assumption !== null && !ofOneCall.includes(assumption)
    const key = isRow
      ? // The spread is one cause, and the rates are another.
        `assumption ${assumption}${path === 'data.spread' ? path : ''}`
      : `${verdict} ${cause === null ? `${call} ${path}` : `${call.includes('/')} ${cause}`}${verdict === 'unexplained' ? about : ''}`
    const known = this.found.get(key)
    if (known !== undefined) {
      this.#count(known, exchange)
      known.value = mergedValue(known.value, judged.value)
      return known
    }
    const { value, documented } = judged
    const finding = {
      ...{ verdict, exchange, call, path, ...valuesAt(place), documented, assumption, setting, value, about },
      ...{ places: 0, accepted: false },
    }
    this.found.set(key, finding)
    this.#count(finding, exchange)
    return finding
  }

  #count(finding: Finding, exchange: number): void {
    finding.places++
    this.byEntry.set(exchange, (this.byEntry.get(exchange) ?? new Set()).add(finding))
  }

  /** Records that a field agrees, which confirms an assumption about it. */
  agree({ path, isAssumed, currency }: Pick<Difference, 'path' | 'isAssumed' | 'currency'>, scene: Scene): void {
    this.fields++
    const row = assumptionAt({ path, kind: 'value', isAssumed, currency, isAgreement: true }, scene)
    const id = row?.id ?? (isAssumed ? 'undocumented_fields' : undefined)
    if (id !== undefined) this.confirm(id, { exchange: scene.exchange, call: scene.call, path })
  }

  confirm(id: string, place: Omit<Confirmed, 'places'>): void {
    const key = assumptionOf(id)?.at === undefined ? `${id} ${place.call}` : id
    const known = this.#confirmed.get(key)
    if (known === undefined) this.#confirmed.set(key, { ...place, places: 1 })
    else known.places++
  }

  report(counts: Omit<Comparison, 'fields' | 'summary' | 'findings' | 'left_out'>, leftOut: LeftOut[]): Comparison {
    const wrong = new Set([...this.found.values()].map(({ assumption, call }) => keyOf(assumption, call)))
    const confirmed = [...this.#confirmed].flatMap(([key, place]): Finding[] =>
      wrong.has(key) ? [] : [confirmation(key.split(' ')[0] ?? key, place)],
    )
    const findings = [...this.found.values(), ...confirmed].sort(
      (one, other) =>
        verdictNames.indexOf(one.verdict) - verdictNames.indexOf(other.verdict) || one.exchange - other.exchange,
    )
    return {
      ...{ ...counts, fields: this.fields },
      summary: summaryOf(findings),
      findings,
      left_out: [...leftOut, ...[...this.notes].map((reason) => ({ reason, entries: 0 }))],
    }
  }
}

function valuesAt({ platform, sandbox }: Values): Pick<Finding, 'platform' | 'sandbox' | 'absent'> {
  const absent = platform === undefined ? 'platform' : sandbox === undefined ? 'sandbox' : null
  return { platform: platform ?? null, sandbox: sandbox ?? null, absent }
}

/** Assumptions that each call has fields or errors of its own for. */
const ofOneCall = ['undocumented_fields', 'error_codes']

const pathBeside = (path: string, name = '') => path.slice(0, path.lastIndexOf('.') + 1) + name

const keyOf = (assumption: string | null, call: string) =>
  assumption !== null && assumptionOf(assumption)?.at === undefined ? `${assumption} ${call}` : assumption

const summaryOf = (findings: readonly Finding[]): Comparison['summary'] =>
  Object.fromEntries(
    verdictNames.flatMap((verdict) => {
      const count = findings.filter((one) => one.verdict === verdict).length
      return count === 0 ? [] : [[verdict, count]]
    }),
  )

function confirmation(id: string, { exchange, call, path, places }: Confirmed): Finding {
  const row = assumptionOf(id)
  return {
    ...{ verdict: 'assumption_confirmed', exchange, call, path, ...valuesAt({}), absent: null, documented: null },
    ...{ assumption: id, setting: null, value: null },
    ...{ about: row === undefined ? '' : `${row.open}: ${row.choice}`, places, accepted: false },
  }
}
