/** Compares a body of the platform with the sandbox's, field by field. */

import {
  currencies,
  type DifferenceKind,
  type DocumentedSentenceId,
  type EventName,
  isClabe,
  isCurrency,
} from '../../../inside/platform.js'
import { type Fields, fieldAt, fieldsIn, isJsonObject, JsonNumber, parseMoment, rowAt } from '../../../inside/values.js'
import type { KnownPairs } from '../replay/known-pairs.js'
import {
  balanceGap,
  differenceOf,
  type FieldContext,
  follows,
  isEmpty,
  isMoneyShape,
  itemKeys,
  type Place,
  typeOf,
  zoneOf,
} from './field-value.js'
import { describeShape, isUtcPattern, mayBeNull, type Shape, variantFor } from './shapes.js'

export interface Difference {
  path: string
  kind: DifferenceKind
  /** Undefined if missing. */
  platform: unknown
  sandbox: unknown
  /** Whether neither the field nor its parent is documented. */
  isAssumed: boolean
  /** Whether the schema contains the field. */
  isInSchema: boolean
  isMoney: boolean
  /** Whether the platform's amount of a coin has only the decimals of money in a bank, and otherwise equals the sandbox's. */
  isCut: boolean
  /** Currency of the object that has the field; null if it names none. */
  currency: unknown
  /** The sandbox's object that has the field. */
  holder: Fields
  documented: string | null
  /** Part of every answer or webhook, so that its cause does not lie in one call. */
  isInEveryMessage: boolean
  /** How the platform's value violates the documentation; null if it does not. */
  breaks: string | null
  /** The documented sentence that it contradicts, if the place does not say it. */
  sentence?: DocumentedSentenceId
  /** The event whose documented movement explains a balance. */
  movement?: EventName
}

export const notListed = 'its value is not in the list'

/** Moments within this distance count as equal. */
export const momentToleranceMs = 5_000

export function compareBodies(platform: unknown, sandbox: unknown, shape: Shape, comparing: Comparing): Difference[] {
  const found: Difference[] = []
  const place = { path: '', shape, isAssumed: false, isRequired: true, holder: {}, currency: null }
  compare(platform, sandbox, place, { ...comparing, report: (difference) => void found.push(difference) })
  return found
}

/** A field that agrees, with the kinds of differences that it could have had. */
export type AgreedField = Pick<Difference, 'path' | 'isAssumed' | 'currency' | 'sandbox'> & { kinds: DifferenceKind[] }

export interface Comparing extends FieldContext {
  /** Called for every compared field that agrees. */
  agree(field: AgreedField): void
}

type Context = Comparing & { report(difference: Difference): void }

function compare(platform: unknown, sandbox: unknown, place: Place, context: Context): void {
  const shape = place.shape === undefined ? undefined : variantFor(place.shape, sandbox ?? platform)
  // For a field with an assumed detail, only that detail is assumed.
  const isAssumed = place.isAssumed || (shape?.['x-assumed'] === true && shape['x-assumed-choice'] === undefined)
  const ownPlace: Place = { ...place, shape, isAssumed }
  if (isJsonObject(platform) && isJsonObject(sandbox)) {
    compareFields(platform, sandbox, ownPlace, context)
    return
  }
  if (Array.isArray(platform) && Array.isArray(sandbox)) {
    compareItems(platform, sandbox, ownPlace, context)
    return
  }
  const gap = balanceGap(platform, sandbox, ownPlace, context)
  const kind = gap === null ? differenceOf(platform, sandbox, ownPlace, context) : 'value'
  const { path, currency } = ownPlace
  if (kind === null) context.agree({ path, isAssumed, currency, sandbox, kinds: possibleKinds(sandbox, shape) })
  else context.report({ ...difference(kind, platform, sandbox, { ...ownPlace, shape: place.shape }), ...gap })
}

/** How the platform's value could have differed. */
function possibleKinds(value: unknown, shape: Shape | undefined): DifferenceKind[] {
  if (isEmpty(value)) return ['value', 'empty']
  if (shape?.format === 'date-time') return zoneOf(String(value)) === 'Z' ? ['value'] : ['value', 'offset']
  if (!isMoneyShape(shape)) return ['value']
  return typeof value === 'string' && value.endsWith('0') ? ['value', 'type', 'decimals'] : ['value', 'type']
}

function difference(kind: DifferenceKind, platform: unknown, sandbox: unknown, place: Place): Difference {
  const { path, shape, isRequired } = place
  const isChosen = shape?.['x-assumed-choice'] !== undefined && choices.includes(kind)
  const isEnvelope = !path.includes('.')
  const isAbsent = shape?.isNamed === true && (kind === 'missing' || kind === 'renamed')
  const isNoClabe = kind === 'value' && isClabe(String(sandbox)) && !isClabe(String(platform))
  const isAssumed = (place.isAssumed && !isEnvelope && !isAbsent && !isNoClabe) || isChosen
  return {
    path,
    kind,
    platform: plainValue(platform),
    sandbox: plainValue(sandbox),
    isAssumed,
    isInSchema: shape !== undefined,
    isMoney: isMoneyShape(shape),
    isCut: isMoneyShape(shape) && isCutAmount(kind, platform, sandbox, place.currency),
    currency: place.currency,
    holder: place.holder,
    documented: shape === undefined || isAssumed ? null : describeShape(shape, isRequired),
    isInEveryMessage: isEnvelope || path.startsWith('error.'),
    breaks: shape === undefined ? null : isNoClabe ? 'it is not a CLABE' : breakOf(platform, shape, isRequired),
  }
}

const bankDecimals = currencies.BRL.scale

function isCutAmount(kind: DifferenceKind, platform: unknown, sandbox: unknown, currency: unknown): boolean {
  if (!isCurrency(currency) || currencies[currency].scale <= bankDecimals) return false
  const [one, other] = [platform, sandbox].map((value) => String(plainValue(value)))
  const places = one?.split('.')[1]?.length ?? 0
  return places <= bankDecimals && (kind === 'decimals' || Math.abs(Number(one) - Number(other)) < 10 ** -bankDecimals)
}

/** Details of a documented field that the sandbox may choose. */
const choices: readonly DifferenceKind[] = ['empty', 'offset', 'decimals']

/** For an object from before the recording, only names and types of fields are compared. */
export const concernsValue = ({ kind, platform }: Difference): boolean =>
  ['value', 'letters', 'empty', 'decimals', 'extra'].includes(kind) || (kind === 'missing' && platform === null)

function contextFor(fields: Fields, context: Context): Context {
  const ids = [fields.infraction_id, fields.transaction_id].filter((id) => typeof id === 'string')
  const unsure = ids.flatMap((id) => context.unsure(id))
  if (unsure.length > 0) {
    const isUnsure = ({ path }: Difference) => unsure.includes(path.slice(path.lastIndexOf('.') + 1))
    return { ...context, report: (one) => (isUnsure(one) ? undefined : context.report(one)) }
  }
  if (!ids.some(context.predatesRecording)) return context
  const report = (one: Difference) => (one.isInSchema && concernsValue(one) ? undefined : context.report(one))
  return { ...context, report, agree: () => undefined }
}

const plainValue = (value: unknown) => (value instanceof JsonNumber ? Number(value.text) : value)

/** Why the platform's value violates the documentation; null if it does not. */
function breakOf(value: unknown, shape: Shape, isRequired: boolean): string | null {
  if (value === undefined) return isRequired ? 'it is missing' : null
  if (value === null) return mayBeNull(shape) ? null : 'it is null'
  const { type, enum: values, const: one, format, pattern } = variantFor(shape, value)
  const expected = [type].flat().filter((name) => name !== undefined)
  const actual = typeOf(value)
  if (expected.length > 0 && !expected.includes(actual) && !(actual === 'number' && expected.includes('integer')))
    return `it is ${/^[ao]/.test(actual) ? 'an' : 'a'} ${actual}`
  if (one !== undefined && one !== value) return 'it has another value'
  if (values !== undefined && !values.includes(value)) return notListed
  if (typeof value !== 'string') return null
  if (format === 'date-time' && parseMoment(value) === null) return 'it is not ISO 8601'
  if (format === 'date-time' && isUtcPattern(pattern) && zoneOf(value) !== 'Z') return 'it is not UTC'
  if (format === 'uuid' && !/^[0-9a-f-]{36}$/i.test(value)) return 'it is not a UUID'
  return null
}

function compareFields(platform: Fields, sandbox: Fields, place: Place, context: Context): void {
  const { shape } = place
  const wrapper = wrapperIn(platform, sandbox)
  if (wrapper !== undefined) {
    const { [wrapper]: wrapped, ...others } = platform
    const about = { platform: Object.keys(platform), breaks: `its fields are within ${wrapper}` }
    context.report({ ...difference('renamed', undefined, Object.keys(sandbox), place), ...about })
    compareFields({ ...fieldsIn(wrapped), ...others }, sandbox, place, context)
    return
  }
  const found: Difference[] = []
  const inner: Context = { ...context, report: (one) => void found.push(one) }
  const at = (name: string): Place => ({
    path: place.path === '' ? name : `${place.path}.${name}`,
    shape: rowAt(shape?.properties, name),
    isAssumed: place.isAssumed,
    isRequired: shape?.required?.includes(name) ?? false,
    holder: sandbox,
    currency: sandbox.currency ?? place.currency,
  })
  const names = [...new Set([...Object.keys(sandbox), ...Object.keys(platform)])]
  const missing = names.filter((name) => rowAt(platform, name) === undefined && !isEmpty(rowAt(sandbox, name)))
  const extra = names.filter((name) => rowAt(sandbox, name) === undefined && !isEmpty(rowAt(platform, name)))
  const renamed = pairsOf(missing, extra, { platform, sandbox, pairs: context.pairs })
  for (const name of names) {
    const [one, other] = [rowAt(platform, name), rowAt(sandbox, name)]
    if (one === undefined && other === undefined) continue
    if (renamed.has(name)) {
      const to = renamed.get(name) ?? ''
      const row = difference('renamed', undefined, other, at(name))
      found.push({ ...row, platform: { [to]: plainValue(platform[to]) }, breaks: 'it has another name' })
    } else if (![...renamed.values()].includes(name)) compare(one, other, at(name), inner)
  }
  const differing = new Set(found.map(({ path }) => path.slice(place.path === '' ? 0 : place.path.length + 1)))
  for (const one of found) {
    const name = one.path.slice(place.path === '' ? 0 : place.path.length + 1)
    if (rowAt(follows, name)?.some((root) => differing.has(root)) !== true) context.report(one)
  }
}

/** The platform's field that contains most of the fields which the sandbox has beside it. */
function wrapperIn(platform: Fields, sandbox: Fields): string | undefined {
  const missing = Object.keys(sandbox).filter((name) => rowAt(platform, name) === undefined)
  const isWrapper = (name: string) =>
    rowAt(sandbox, name) === undefined &&
    missing.filter((one) => fieldAt(platform[name], one) !== undefined).length >= leastWrapped
  return Object.keys(platform).find(isWrapper)
}

const leastWrapped = 3

type BothSides = Record<'platform' | 'sandbox', Fields> & { pairs: KnownPairs }

/** A missing and an additional field are one renamed field if they have the same value, or are alike and the only ones. */
function pairsOf(missing: readonly string[], extra: string[], { platform, sandbox, pairs: ids }: BothSides) {
  const pairs = new Map<string, string>()
  const unmatched = [...extra]
  for (const name of missing) {
    const match = unmatched.find((other) => sameText(ids.translate(platform[other]), sandbox[name]))
    const [other = ''] = unmatched
    const isOnly = missing.length === 1 && unmatched.length === 1
    const isRenamed = isOnly && isAlike(platform[other], sandbox[name], wordsOf(other), wordsOf(name))
    const to = match ?? (isRenamed ? other : undefined)
    if (to === undefined) continue
    pairs.set(name, to)
    unmatched.splice(unmatched.indexOf(to), 1)
  }
  return pairs
}

const sameText = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const isAlike = (one: unknown, other: unknown, oneWords: string[], otherWords: string[]) =>
  typeOf(one) === typeOf(other) &&
  (formOf(one) !== 'text' ? formOf(one) === formOf(other) : oneWords.some((word) => otherWords.includes(word)))

/** In camel case or with underscores. */
const wordsOf = (name: string) => name.split(/_|(?=[A-Z])/).map((word) => word.toLowerCase())
/** The form of a text; other values have the form of their type. */
function formOf(value: unknown): string {
  if (typeof value !== 'string') return typeOf(value)
  if (parseMoment(value) !== null) return 'moment'
  if (/^\d+\.\d+$/.test(value)) return 'amount'
  return /^https?:\/\//.test(value) ? 'address' : 'text'
}

function compareItems(platform: unknown[], sandbox: unknown[], place: Place, context: Context): void {
  const { shape } = place
  const name = place.path.slice(place.path.lastIndexOf('.') + 1)
  const isAssumed = place.isAssumed || shape?.items?.['x-assumed'] === true
  const item: Place = { ...place, path: `${place.path}[]`, shape: shape?.items, isRequired: true, isAssumed }
  const keys = rowAt(itemKeys, name)
  if (keys === undefined || !platform.every(isJsonObject)) {
    if (platform.length !== sandbox.length)
      context.report(difference('value', platform.length, sandbox.length, { ...item, path: `${place.path}.length` }))
    for (const [at, one] of platform.entries()) if (at < sandbox.length) compare(one, sandbox[at], item, context)
    return
  }
  const keyOf = (fields: Fields, isPlatform: boolean) => {
    const of = keys.map((key) => fields[key]).filter((value) => typeof value === 'string')
    const [first = ''] = of
    return name === 'items' && isPlatform
      ? (context.pairs.inSandbox(first) ?? `? ${first}`)
      : name === 'items'
        ? first
        : of.join(' ')
  }
  const there = new Map(sandbox.filter(isJsonObject).map((fields) => [keyOf(fields, false), fields]))
  const known = platform.filter(isJsonObject).map((fields) => ({ fields, key: keyOf(fields, true) }))
  for (const { fields, key } of known) {
    const other = there.get(key)
    if (other !== undefined) compare(fields, other, item, contextFor(fields, context))
    else if (context.isComplete && !key.startsWith('?')) context.report(difference('extra', fields, undefined, item))
  }
  if (!context.isComplete) return
  const ownPlace = new Set(known.map(({ key }) => key))
  for (const [key, fields] of there)
    if (!ownPlace.has(key)) context.report(difference('missing', undefined, fields, item))
  const order = known.flatMap(({ key }) => (there.has(key) ? [key] : []))
  const expected = [...there.keys()].filter((key) => ownPlace.has(key))
  if (name === 'items' && order.join() !== expected.join())
    context.report(difference('value', order, expected, { ...item, path: `${place.path}.order` }))
}
