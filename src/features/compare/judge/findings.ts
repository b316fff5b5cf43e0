/** Collects differences into findings, one for each cause, and confirmations of assumptions. */

import type { Config } from '../../../inside/control.js'
import {
  type AssumptionId,
  assumptionOf,
  type DifferenceKind,
  type DocumentedSentenceId,
  documentedSentences,
  type EventName,
  isSignatureError,
} from '../../../inside/platform.js'
import { fieldsIn, toPlainJson } from '../../../inside/values.js'
import { mergedValue, settingValueOf } from './calibrate.js'
import type { Comparison, Finding, LeftOut } from './comparison.js'
import {
  assumedBy,
  assumptionAt,
  coinDecimals,
  isAmountType,
  type Judged,
  judge,
  rowsShownBy,
  type Scene,
  type SignatureRow,
} from './judge.js'
import type { AgreedField, Difference } from './values.js'
import { verdictNames } from './verdicts.js'

type Confirmed = Pick<Finding, 'exchange' | 'call' | 'path' | 'places'>

type Place = Pick<Finding, 'exchange' | 'call' | 'path'> &
  Values &
  Partial<
    Pick<Difference, 'currency' | 'isCut' | 'kind'> & Pick<Scene, 'codes' | 'isBare'> & Pick<EntryFinding, 'sentence'>
  >
/** Undefined: not sent. */
type Values = Partial<Pick<Finding, 'platform' | 'sandbox'>>

interface Waiting {
  judged: Judged
  place: Place
  /** The name of the field and both values. */
  values: string
  where: string | null
}

/** A finding as an entry shows it. */
export interface EntryFinding extends Finding {
  /** The documented sentence that the entry contradicts, if that shows it. */
  sentence: DocumentedSentenceId | null
}

export class Findings {
  readonly #confirmed = new Map<string, Confirmed>()
  /** Findings about a field, by its name and both values. */
  readonly #byValues = new Map<string, Finding>()
  /** Calls with fields that the platform does not send although the sandbox has a value, or that it names otherwise. */
  readonly #missing = new Set<string>()
  /** Differences that can have the cause of another one, perhaps of a later one. */
  readonly #waiting: Waiting[] = []
  /** Findings about a check that the platform does not make, by the sandbox's code. */
  readonly #unmade = new Map<string, Finding>()
  /** Findings about coins whose amounts are cut, by currency. */
  readonly #cuts = new Map<unknown, Finding>()
  /** The finding about errors without details. */
  #bare: Finding | undefined
  /** Wrongly signed calls that the platform does not reject for their signature, with the sandbox's code. */
  readonly #unchecked: { judged: Judged; place: Place; code: string; row: SignatureRow | null }[] = []
  /** Whether the platform rejects any call for its signature, and not only calls without one. */
  #checksSignatures = false
  /** What the recordings do not decide. */
  readonly notes = new Set<string>()
  /** Number of compared fields; a status or a header counts as one. */
  fields = 0
  /** The causes that each entry shows, by its number, as the first place of the entry shows them. */
  readonly #byEntry = new Map<number, Map<Finding, EntryFinding>>()
  /** The rows that an agreement shows: with another answer of the platform, they would differ. */
  readonly shown = new Set<string>()

  constructor(
    /** By cause. */
    readonly found: Map<string, Finding> = new Map(),
  ) {}

  /** Why entries are not compared, by their number. */
  readonly notCompared = new Map<number, string>()
  /** The events that the receiver acknowledged, by the number of the entry. */
  readonly arrived = new Map<number, EventName>()

  leaveOut(exchange: number, reason: string): void {
    this.notes.add(reason)
    this.notCompared.set(exchange, reason)
  }

  get byEntry(): ReadonlyMap<number, readonly EntryFinding[]> {
    return new Map([...this.#byEntry].map(([number, found]) => [number, [...found.values()]]))
  }

  /** The same confirmations, notes and entries with other findings. */
  with(found: Map<string, Finding>, fields: number): Findings {
    const copy = new Findings(found)
    copy.fields = fields
    for (const [key, place] of this.#confirmed) copy.#confirmed.set(key, place)
    for (const note of this.notes) copy.notes.add(note)
    for (const row of this.shown) copy.shown.add(row)
    for (const [number, found] of this.#byEntry) copy.#byEntry.set(number, found)
    return copy
  }

  /** `config` is that of the sandbox. */
  add(difference: Difference, scene: Scene, config: Config): void {
    const { path, platform, sandbox, kind, movement, isCut } = difference
    // A balance that shows everywhere that an event did not change it is one finding about that event.
    const cause = movement === undefined ? scene : { ...scene, name: movement, call: movement }
    const judged = judge(difference, cause)
    const value =
      judged.setting === null ? null : settingValueOf(judged.assumption ?? judged.setting, difference, cause, config)
    const isBare = scene.isBare === true && path.startsWith('error.details.')
    const place = { ...difference, ...cause, isBare, sentence: judged.sentence ?? null }
    if (kind === 'missing') this.#missing.add(`${scene.call} ${path}`)
    if (kind === 'renamed')
      for (const name of [path, pathBeside(path, Object.keys(fieldsIn(platform))[0])])
        this.#missing.add(`${scene.call} ${name}`)
    const both = kind === 'letters' ? kind : `${String(platform)} ${String(sandbox)}`
    const values = `${path.slice(path.lastIndexOf('.') + 1)} ${both}`
    const isPlain = kind === 'value' || kind === 'letters'
    const { codes, mistake = null } = scene
    if (isSignatureError(codes?.sandbox) && (path === 'error.code' || kind === 'outcome')) {
      if (codes.isUnauthorized) this.#checksSignatures ||= codes.sandbox !== 'MISSING_SIGNATURE'
      else {
        this.#unchecked.push({ judged, place, code: codes.sandbox, row: mistake })
        return
      }
    }
    const shown = causeIn(difference, scene)
    const where = judged.cause ?? (shown === null ? null : `${judged.about} ${shown}`)
    const isCause = judged.assumption === coinDecimals
    const isOfBare = isBare && judged.verdict === 'assumption_wrong'
    if (isOfBare) Object.assign(judged, { assumption: 'undocumented_fields', setting: null })
    const canFollow =
      judged.assumption === 'undocumented_fields' ? isPlain || isOfBare : judged.assumption === 'missing_values'
    const row = mistake === null ? undefined : assumptionOf(mistake)
    if (row !== undefined && path === 'error.code' && isSignatureError(codes?.platform)) {
      const assumed = { verdict: 'assumption_wrong', ...assumedBy(row) } as const
      this.#waiting.push({
        judged: { ...judged, ...assumed },
        place: { ...place, sentence: null },
        values,
        where: null,
      })
      return
    }
    if (canFollow || (isCut && !isCause) || path === listItem || isLaterCheck(judged, place)) {
      this.#waiting.push({ judged: { ...judged, value }, place, values, where })
      return
    }
    const same = judged.verdict === 'documentation_wrong' && isPlain ? this.#byValues.get(values) : undefined
    if (same !== undefined) {
      this.#count(same, place)
      return
    }
    const finding = this.record({ ...judged, value }, place, where)
    if (isCause) this.#cuts.set(place.currency, finding)
    if (isBare) this.#bare ??= finding
    if (kind === 'outcome' && codes?.sandbox != null) this.#unmade.set(codes.sandbox, finding)
    if (judged.verdict === 'documentation_wrong' && isPlain) this.#byValues.set(values, finding)
  }

  /**
   * At the end: a field that the platform does not send even if it has a value is not left out because it is empty, and
   * an undocumented field with the same values as another one differs for the same reason, as do the cut amounts of a coin.
   * Other pages have other items, and a check that is not made is not the first one either.
   */
  settle(): void {
    for (const { judged, place, values, where } of this.#waiting.splice(0)) {
      const cause =
        (place.isCut ? this.#cuts.get(place.currency) : undefined) ??
        (place.isBare === true ? this.#bare : undefined) ??
        (place.path === listItem ? this.found.get('assumption pages') : undefined) ??
        (isLaterCheck(judged, place) ? this.#unmade.get(place.codes?.sandbox ?? '') : undefined) ??
        this.#byValues.get(values)
      if (judged.assumption === 'missing_values') {
        if (!this.#missing.has(`${place.call} ${place.path}`)) this.record(judged, place)
      } else if (cause !== undefined) this.#count(cause, place)
      else {
        const finding = this.record(judged, place, where)
        if (place.isBare === true) this.#bare ??= finding
        this.#byValues.set(values, finding)
      }
    }
    this.#settleSignatures()
  }

  /** A call that also lacks something shows only which check is first, unless another call shows that there is no check. */
  #settleSignatures(): void {
    const all = this.#unchecked.splice(0)
    const isDecisive = (one: (typeof all)[number]) =>
      one.judged.assumption !== order && (one.row === null || assumptionOf(one.row) === undefined)
    const decisive = new Set(all.filter(isDecisive).map(({ code }) => code))
    for (const { judged, place: at, code, row: id } of all) {
      const row = id === null ? undefined : assumptionOf(id)
      const sentence = documentedSentences.find((one) => one.id === id)?.id ?? judged.sentence ?? null
      const place = { ...at, sentence: row === undefined ? sentence : null }
      const isUnchecked = decisive.size > 0 && !this.#checksSignatures
      const about = isUnchecked ? noSignatures : 'The platform does not make this check of a signature.'
      const plain = { assumption: null, setting: null, about }
      if (isUnchecked || decisive.has(code))
        this.record({ ...judged, verdict: 'documentation_wrong', ...plain }, place, isUnchecked ? 'signatures' : code)
      // Which check is first says nothing about the signature.
      else if (judged.assumption === order) this.record(judged, { ...place, sentence: null })
      else if (row === undefined) this.record(judged, place)
      else this.record({ ...judged, verdict: 'assumption_wrong', ...assumedBy(row) }, place)
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
    const isRow = assumption !== null && !severalCauses.includes(assumption)
    const key = isRow
      ? // The spread is one cause, and the rates are another.
        `assumption ${assumption}${path === 'data.spread' ? path : ''}`
      : `${verdict} ${cause === null ? `${call} ${path}` : `${call.includes('/')} ${cause}`}${verdict === 'unexplained' ? about : ''}`
    const known = this.found.get(key)
    if (known !== undefined) {
      this.#count(known, place)
      known.value = mergedValue(known.value, judged.value)
      return known
    }
    const { value, documented } = judged
    const finding: Finding = {
      ...{ verdict, exchange, call, path, ...valuesAt(place), documented, assumption, setting, value, about },
      ...{ places: 0, calls: [], accepted: false },
    }
    this.found.set(key, finding)
    this.#count(finding, place)
    return finding
  }

  #count(finding: Finding, { exchange, call, path, sentence = null, ...values }: Place): void {
    this.fields++
    finding.places++
    if (!finding.calls.includes(call) && finding.calls.length < mostCalls) finding.calls.push(call)
    const seen = this.#byEntry.get(exchange) ?? new Map<Finding, EntryFinding>()
    if (!seen.has(finding)) seen.set(finding, { ...finding, exchange, call, path, ...valuesAt(values), sentence })
    this.#byEntry.set(exchange, seen)
  }

  /** Records that a field agrees, which confirms an assumption about it. */
  agree({ kinds, ...field }: AgreedField, scene: Scene): void {
    this.fields++
    const { path, isAssumed, currency } = field
    this.show(field, path === 'error.code' ? ['value', 'outcome'] : kinds, scene)
    if (isAssumed) this.shown.add('undocumented_fields')
    const code = path === 'error.code' ? scene.codes?.platform : null
    if (isSignatureError(code)) this.#checksSignatures ||= code !== 'MISSING_SIGNATURE'
    const row = assumptionAt({ path, kind: 'value', isAssumed, currency, isAgreement: true }, scene)
    const id = row?.id ?? (isAssumed ? 'undocumented_fields' : undefined)
    if (id !== undefined) this.#confirm(id, { exchange: scene.exchange, call: scene.call, path })
  }

  /** A difference of one of these kinds at a place would have been found. */
  show(compared: Parameters<typeof rowsShownBy>[0], kinds: readonly DifferenceKind[], scene: Scene): void {
    for (const id of rowsShownBy(compared, kinds, scene, this.shown)) this.shown.add(id)
  }

  /** The same for each of these paths about which no difference was found. */
  showOthers(paths: readonly string[], found: readonly Difference[], scene: Scene): void {
    for (const path of paths)
      if (!found.some((one) => one.path === path)) this.show({ path }, ['value', 'outcome'], scene)
  }

  confirm(id: AssumptionId, place: Omit<Confirmed, 'places'>): void {
    this.shown.add(id)
    this.#confirm(id, place)
  }

  #confirm(id: string, place: Omit<Confirmed, 'places'>): void {
    const key = assumptionOf(id)?.at === undefined ? `${id} ${place.call}` : id
    const known = this.#confirmed.get(key)
    if (known === undefined) this.#confirmed.set(key, { ...place, places: 1 })
    else known.places++
  }

  report(counts: Omit<Comparison, 'fields' | 'summary' | 'findings' | 'left_out'>, leftOut: LeftOut[]): Comparison {
    const wrong = new Set(
      [...this.found.values()].flatMap(({ assumption, calls }) => calls.map((call) => keyOf(assumption, call))),
    )
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
  return { platform: toPlainJson(platform ?? null), sandbox: toPlainJson(sandbox ?? null), absent }
}

const order = 'order_of_checks' satisfies AssumptionId
const listItem = 'data.items[]'
const noSignatures = 'The platform rejects no call of the recording for a wrong signature.'

/** Errors that stand for one check, so that a call which is executed shows that the check is not made. */
const wholeChecks: readonly (string | null | undefined)[] = ['UNAUTHORIZED', 'UNSUPPORTED_CONTENT_TYPE']
const isLaterCheck = ({ assumption }: Judged, { codes }: Place) =>
  assumption === order && wholeChecks.includes(codes?.sandbox)

/** A recording can name any number of events. */
const mostCalls = 50

/** Assumptions about several fields or codes, each of which is a cause of its own. */
const severalCauses = ['undocumented_fields', 'error_codes']

/** What differs in several calls for one reason; null if it is a value of one field of one call. */
function causeIn(difference: Difference, { codes }: Scene): string | null {
  const { path, kind, platform, sandbox, isInEveryMessage } = difference
  if (isAmountType(difference)) return 'amounts'
  // The platform sends empty details.
  if (path.startsWith('error.details.') && kind === 'missing') return 'error.details missing'
  if (isInEveryMessage) return path
  if (path === 'error.code') return `${String(sandbox)} ${String(platform)}`
  if (path === 'status')
    return codes?.sandbox == null || kind === 'outcome' ? null : `${codes.sandbox} ${String(platform)}`
  if (kind === 'value' || kind === 'letters' || path === 'event' || path.includes('attempts.')) return null
  return `${path.slice(path.lastIndexOf('.') + 1)} ${kind === 'renamed' ? Object.keys(fieldsIn(platform)).join() : kind}`
}

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
    ...{ about: row === undefined ? '' : `${row.open}: ${row.choice}`, places, calls: [call], accepted: false },
  }
}
