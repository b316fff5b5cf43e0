/** Decides what a difference means: which side is wrong, which assumption it concerns, and which setting would change it. */

import {
  type Assumption,
  type AssumptionId,
  assumptionOf,
  assumptionRows,
  type CurrencyRow,
  currencies,
  type DifferenceKind,
  type DocumentedSentenceId,
  documentedSentences,
  errorCatalogue,
  eventTable,
  isCurrency,
  isSignatureError,
  type RecordedPlace,
} from '../../../inside/platform.js'
import { type Fields, fieldAt, fieldsIn, isKeyOf, JsonNumber, keysOf } from '../../../inside/values.js'
import { conditions, echoIn } from './rules.js'
import { type Difference, notListed } from './values.js'
import type { Verdict } from './verdicts.js'

/** The call or webhook in which a difference occurs. */
export interface Scene {
  /** Number of the entry in the recording, from 1. */
  exchange: number
  /** Name of the endpoint or event. */
  name: string
  /** The call as findings show it. */
  call: string
  /** Currency of the object; null if it names none. */
  currency: unknown
  /** The body of the request; null for a webhook. */
  request: unknown
  /** The error codes of both sides; null for a side that executes the call. */
  codes?: { platform: string | null; sandbox: string | null; isUnauthorized: boolean }
  /** `error.details` of the sandbox; of the platform if only that rejects the call. */
  details?: Fields
  /** Whether the platform's `error.details` is empty. */
  isBare?: boolean
  /** The row that a wrongly signed call is about; null if it is signed rightly, or if that is unknown. */
  mistake?: SignatureRow | null
  /** Whether the same call was made and accepted before. */
  isRepeated?: boolean
}

export type SignatureRow = AssumptionId | DocumentedSentenceId

export interface Judged {
  verdict: Verdict
  assumption: string | null
  setting: string | null
  value: unknown
  documented: string | null
  about: string
  /** The documented sentence that the platform contradicts. */
  sentence?: DocumentedSentenceId | null
  /** What differs in several calls for one reason (default: what the difference itself shows). */
  cause?: string
}

/** What decides which assumption a difference concerns, or an agreement about an assumption. */
type Compared = Pick<Difference, 'path' | 'kind'> &
  Partial<Pick<Difference, 'isMoney' | 'isAssumed' | 'breaks' | 'currency' | 'platform' | 'sandbox' | 'holder'>> & {
    isAgreement?: boolean
  }

const isAt = (pattern: string, path: string): boolean => {
  const from = pattern.startsWith('*')
  const to = pattern.endsWith('*')
  const text = pattern.slice(from ? 1 : 0, to ? pattern.length - 1 : undefined)
  if (from && (to || pattern === '*')) return path.includes(text)
  if (from) return path.endsWith(text)
  return to ? path.startsWith(text) : path === text
}

const railOf = (currency: unknown): CurrencyRow['rail'] | null =>
  typeof currency === 'string' && isCurrency(currency) ? currencies[currency].rail : null

const valueIn = (value: unknown, path: string) => path.split('.').reduce((parent, name) => fieldAt(parent, name), value)
const hasField = (value: unknown, path: string) => valueIn(value, path) !== undefined
function textIn(request: unknown, path: string): string {
  const value = valueIn(request, path) ?? ''
  return value instanceof JsonNumber ? value.text : String(value)
}

/** Whether a place is one of that path, of a call or event with that name. */
const isThere = (place: RecordedPlace, path: string, name: string) =>
  isAt(place.path, path) &&
  (place.in === undefined || place.in.includes(name)) &&
  (place.isEvent === undefined || place.isEvent === isKeyOf(eventTable, name))

/** A difference is about a sentence by the code of the sandbox, whatever the platform answers. */
function isAbout(place: RecordedPlace, compared: Compared, scene: Scene, isSentence = false): boolean {
  if (!isThere(place, compared.path, scene.name)) return false
  const { platform = null, sandbox = null } = scene.codes ?? {}
  if (place.isError !== undefined && place.isError !== (platform !== null || sandbox !== null)) return false
  if (place.isAccepted === true && sandbox !== null) return false
  if (place.isRepeated === true && scene.isRepeated !== true) return false
  if (place.is !== undefined && place.is !== compared.sandbox) return false
  if (place.sent !== undefined && !place.sent[1].includes(fieldAt(scene.request, place.sent[0]))) return false
  if (place.like !== undefined && !place.like[1].test(textIn(scene.request, place.like[0]))) return false
  if (place.byUnit === true && compared.isAgreement !== true && !differsByUnit(compared)) return false
  if (place.kinds !== undefined && !place.kinds.includes(compared.kind)) return false
  // A field that the platform does not send says nothing about its values.
  if (!isSentence && place.kinds === undefined && compared.kind === 'missing' && compared.path.startsWith('data.'))
    return false
  if (place.money === true && compared.isMoney !== true) return false
  if ((compared.isAgreement === true ? place.onlyDiffers : place.onlyAgrees) === true) return false
  if (place.requestHas !== undefined && !hasField(scene.request, place.requestHas)) return false
  if (place.requestLacks !== undefined && hasField(scene.request, place.requestLacks)) return false
  if (place.isNull === true && compared.platform !== null) return false
  const [one, other] = (place.same ?? []).map((name) => fieldAt(scene.request, name))
  if (place.same !== undefined && (one === undefined || one !== other)) return false
  if (place.rail !== undefined && place.rail !== railOf(compared.currency ?? scene.currency)) return false
  if (place.currency !== undefined && place.currency !== (compared.currency ?? scene.currency)) return false
  if (!isAboutField(place, scene)) return false
  if (place.isAccepted === true)
    return platform === null ? compared.isAgreement === true : place.codes?.some((code) => code === platform) !== false
  // If both sides answer with an error, only its codes are compared; an error on one side shows as the status.
  if (place.codes === undefined) return compared.path !== 'status' || compared.kind === 'outcome' || platform === null
  const codes: readonly string[] = place.codes
  if (isSentence) return codes.includes((place.isAllowed ? platform : sandbox) ?? platform ?? '')
  if (platform === null || sandbox === null) return codes.includes(platform ?? sandbox ?? '')
  if (platform === sandbox && /^error\.(details\.|retryable$)/.test(place.path)) return codes.includes(platform)
  // If both sides answer with the first code, the assumption is confirmed.
  if (platform === sandbox) return compared.path === 'error.code' && platform === codes[0]
  return codes.includes(platform) && codes.includes(sandbox)
}

/** Whether two amounts differ by the smallest unit of their currency. */
function differsByUnit({ platform, sandbox, holder = {} }: Compared): boolean {
  const currency = holder.destination_currency ?? holder.currency_to
  if (!isCurrency(currency)) return false
  return Math.abs(Math.abs(Number(platform) - Number(sandbox)) * 10 ** currencies[currency].scale - 1) < 10 ** -6
}

/** Whether an error is about one of the fields of the place. The details of the platform may not name it. */
function isAboutField({ fields, value, rule = '' }: RecordedPlace, { request, codes, details = {} }: Scene): boolean {
  if (fields === undefined) return true
  const isNamed = typeof details.field === 'string' || codes?.sandbox != null
  const names = isNamed ? [String(details.field)] : fields
  if (!String(details.rule ?? '').startsWith(rule)) return false
  return names.some((name) => {
    const sent = valueIn(request, name)
    const isThere = isNamed ? fields.some((field) => isAt(field, name)) : sent !== undefined
    if (value === undefined || !isThere) return isThere
    if (value === 'letters') return isInOtherLetters(sent, details.supported)
    return sent === (value === 'null' ? null : undefined)
  })
}

const isInOtherLetters = (sent: unknown, supported: unknown) =>
  Array.isArray(supported) && supported.some((name) => String(name).toLowerCase() === String(sent).toLowerCase())

const rows: readonly { id: string; at?: readonly RecordedPlace[] }[] = [...documentedSentences, ...assumptionRows]
const placesOfAgreement = new Map<string, readonly { id: string; place: RecordedPlace }[]>()

/** The rows beyond the known ones that an agreement at a place shows: with a difference of one of these kinds, they would differ. */
export function rowsShownBy(
  compared: Omit<Compared, 'kind'>,
  kinds: readonly DifferenceKind[],
  scene: Scene,
  known: ReadonlySet<string>,
): string[] {
  const { path } = compared
  const key = `${scene.name} ${path}`
  // Errors agree by their code and their details.
  const canShow = ({ codes, onlyDiffers, isAccepted }: RecordedPlace) =>
    onlyDiffers !== true && (codes === undefined || path.startsWith('error.') || isAccepted === true)
  const places =
    placesOfAgreement.get(key) ??
    rows.flatMap(({ id, at = [] }) =>
      at.flatMap((place) => (canShow(place) && isThere(place, path, scene.name) ? [{ id, place }] : [])),
    )
  placesOfAgreement.set(key, places)
  const agreed = kinds.map((kind) => ({ ...compared, kind, isMoney: kind === 'type', isAgreement: true }))
  const isShown = (place: RecordedPlace) => agreed.some((one) => isAbout(place, one, scene))
  const shown = places.flatMap(({ id, place }) => (!known.has(id) && isShown(place) ? [id] : []))
  return compared.path === 'error.code' ? [...shown, ...rowsOfError(scene)] : shown
}

/** What an error shows that both sides answer: a check that comes first, a wrong signature. */
function rowsOfError({ codes, request, mistake }: Scene): string[] {
  const code = codes?.sandbox ?? ''
  const first = keysOf(conditions).flatMap((other) =>
    other === code ? [] : (orderAssumption(code, other, fieldsIn(request))?.id ?? []),
  )
  const isOwnCode = isKeyOf(errorCatalogue, code) && errorCatalogue[code].basis === 'assumed'
  return [...first, ...(isOwnCode ? ['error_codes'] : []), ...(mistake == null ? [] : [mistake])]
}

/** Whether the documentation allows a call that only the platform rejects, or for another reason than the sandbox. */
function isAllowedBy(id: string, at: readonly RecordedPlace[], difference: Difference, scene: Scene): boolean {
  const { platform = null, sandbox = null } = scene.codes ?? {}
  if (platform === null || platform === sandbox) return false
  if (id === scene.mistake) return isSignatureError(platform) && !isSignatureError(sandbox)
  const isOpen = !isKeyOf(errorCatalogue, platform) || errorCatalogue[platform].basis === 'assumed'
  return at.some((place) => place.isAllowed && (place.codes ?? isOpen) && isAbout(place, difference, scene, true))
}

/** The first documented sentence about the place of a difference. */
const sentenceAt = (difference: Difference, scene: Scene): DocumentedSentenceId | null =>
  difference.sentence ??
  documentedSentences.find(({ at }) => at?.some((place) => isAbout(place, difference, scene, true)))?.id ??
  null

/** The documented sentence that the platform contradicts: it states another number, or only one side rejects the call for it. */
function contradictedSentence(difference: Difference, scene: Scene) {
  const { kind, path, currency, holder } = difference
  return documentedSentences.find(
    ({ id, at = [], stated }) =>
      isAllowedBy(id, at, difference, scene) ||
      at.some((place) => {
        if (place.isRejected !== true) return false
        if (kind === 'value' && stated?.at.includes(path) === true)
          return place.currency === currency && place.in?.includes(String(holder.operation ?? scene.name)) === true
        const isMeant = scene.codes?.sandbox != null || stated !== undefined
        return isMeant && isAbout(place, difference, scene, true)
      }),
  )
}

/** The assumption that concerns a difference, and its place. */
function assumedPlaceAt(compared: Compared, scene: Scene): { row: Assumption; place: RecordedPlace } | undefined {
  for (const row of assumptionRows) {
    const place = row.at?.find((one) => isAbout(one, compared, scene))
    if (place !== undefined) return { row, place }
  }
  return undefined
}

export const assumptionAt = (compared: Compared, scene: Scene): Assumption | undefined =>
  assumedPlaceAt(compared, scene)?.row

const webhookAmounts = 'In payloads, amounts and balances are decimal strings.'

/** Whether an amount has another JSON type: one cause in all webhooks, or in all responses. */
export const isAmountType = ({ kind, isMoney, breaks }: Difference): boolean =>
  kind === 'type' && isMoney && breaks !== null

export const coinDecimals = 'decimals_of_coins'

export function judge(difference: Difference, scene: Scene): Judged {
  const judged = judgeAlone(difference, scene)
  const isDocumented = judged.verdict === 'documentation_wrong' || judged.verdict === 'sandbox_wrong'
  return isDocumented ? { sentence: sentenceAt(difference, scene), ...judged } : judged
}

const aboutOf = ({ stated }: (typeof documentedSentences)[number], { codes }: Scene) =>
  stated !== undefined ? statedWrongly : codes?.platform == null ? acceptedWrongly : rejectedWrongly

function judgeAlone(difference: Difference, scene: Scene): Judged {
  const { kind, isAssumed, isInSchema, documented, breaks, isCut } = difference
  const echo = echoIn(difference, scene)
  const coins = isCut && echo === 'sandbox' ? assumptionOf(coinDecimals) : undefined
  if (coins !== undefined) return { verdict: 'assumption_wrong', ...assumedBy(coins), setting: null, documented }
  const sentence = contradictedSentence(difference, scene)
  if (sentence !== undefined)
    return {
      ...{ verdict: 'documentation_wrong', assumption: null, setting: sentence.stated?.setting ?? null, value: null },
      ...{ documented: sentence.text, about: aboutOf(sentence, scene) },
      // The minimums of all currencies are one check.
      ...{ sentence: sentence.id, cause: sentence.id.replace(/:.*/, '') },
    }
  // Only a field that the sandbox knows can have a missing value.
  const isUnknownEmpty = kind === 'empty' && !isInSchema && difference.sandbox === undefined
  const found = isUnknownEmpty ? undefined : assumedPlaceAt(difference, scene)
  // What is documented comes before what is assumed. Only the words of a list can be the sandbox's own.
  if (breaks !== null && !isAssumed && !(breaks === notListed && found !== undefined)) {
    const about = `The platform contradicts the documentation: ${breaks}.`
    const sentence = isAmountType(difference) && scene.request === null ? webhookAmounts : documented
    const plain = { assumption: null, setting: null, value: null, documented: sentence, about }
    return { ...plain, verdict: 'documentation_wrong' }
  }
  if (found !== undefined) {
    const { row, place } = found
    const { platform } = difference
    const claim = place.documented
    const isOutside =
      claim !== undefined &&
      typeof platform === 'number' &&
      (platform < claim.minSeconds || platform > claim.maxSeconds)
    return {
      verdict: isOutside ? 'documentation_wrong' : 'assumption_wrong',
      ...{ ...assumedBy(row), setting: row.setting ?? null },
      documented: isOutside ? claim.text : documented,
    }
  }
  const plain = { assumption: null, setting: null, value: null, documented }
  if (!isInSchema && (kind === 'extra' || kind === 'empty'))
    return { ...plain, verdict: 'unknown_field', about: 'The platform sends a field that is not documented.' }
  if (kind === 'outcome') return judgeOutcome(difference, scene)
  if (difference.path === 'error.code') return judgeCode(difference, scene)
  if (isAssumed || !isInSchema) {
    const isStatusOfError = difference.path === 'status' && scene.codes?.platform != null
    return {
      ...{ ...plain, verdict: 'assumption_wrong' },
      assumption: isStatusOfError ? 'error_codes' : 'undocumented_fields',
      about: `This is not documented; ${contrast(difference)}.`,
    }
  }
  if (echo === 'platform')
    return {
      ...plain,
      verdict: 'sandbox_wrong',
      about: 'The platform repeats the field of the request; the sandbox does not.',
    }
  return { ...plain, verdict: 'documentation_wrong', about: `Documented, but ${contrast(difference)}.` }
}

export const assumedBy = ({ id, open, choice }: Assumption) => ({
  assumption: id,
  value: null,
  about: `${open}: ${choice}`,
})

const contrast = ({ kind, path }: Difference) => {
  if (kind === 'missing') return 'the platform does not send it'
  if (kind === 'extra') return 'only the platform sends it'
  if (kind === 'type') return 'its JSON type differs'
  if (kind === 'letters') return 'it is written in other letters'
  if (kind === 'renamed') return 'the platform uses another name'
  return path.endsWith('.order') ? 'the order differs' : 'the value differs'
}

const rejectedWrongly = 'The documentation allows the call; the platform rejects it.'
const statedWrongly = 'The platform has another number than the documentation.'
const acceptedWrongly = 'The sandbox rejects the call as documented; the platform does not.'

/** Judges a call that one side rejects and the other executes. */
function judgeOutcome({ documented }: Difference, { codes, request }: Scene): Judged {
  const plain = { assumption: null, setting: null, value: null, documented }
  // An error of the platform can lack a code, one of the sandbox has one.
  const isRejected = codes !== undefined && codes.sandbox === null
  if (documented === null)
    return {
      ...{ ...plain, verdict: 'assumption_wrong', assumption: 'error_codes' },
      about: `${isRejected ? 'Only the platform' : 'Only the sandbox'} rejects the call, with an error that is not documented.`,
    }
  if (isRejected) return { ...plain, ...judgeRejection(codes.platform ?? '', request) }
  return {
    ...plain,
    verdict: 'documentation_wrong',
    about: acceptedWrongly,
    cause: documented,
  }
}

function judgeRejection(code: string, request: unknown): Pick<Judged, 'verdict' | 'about'> {
  const isAsDocumented = conditions[code]?.(fieldsIn(request))
  if (isAsDocumented === undefined)
    return {
      verdict: 'unexplained',
      about: `The platform rejects the call with ${code}; the recording does not show the reason.`,
    }
  return isAsDocumented
    ? { verdict: 'sandbox_wrong', about: 'The platform rejects the call as documented; the sandbox does not.' }
    : {
        verdict: 'documentation_wrong',
        about: `The platform rejects the call with ${code}, although the documented condition does not hold.`,
      }
}

/** An undocumented code is the sandbox's own choice; for a documented one, the documentation says when it occurs. */
function judgeCode({ platform, sandbox }: Difference, { request }: Scene): Judged {
  const row = typeof sandbox === 'string' && isKeyOf(errorCatalogue, sandbox) ? errorCatalogue[sandbox] : undefined
  const other = typeof platform === 'string' && isKeyOf(errorCatalogue, platform) ? errorCatalogue[platform] : undefined
  const plain = { setting: null, value: null }
  const documented = row?.basis === 'spec' ? `${String(sandbox)} (${row.status}): ${row.message}` : null
  const check = row === undefined ? undefined : orderAssumption(String(sandbox), String(platform), fieldsIn(request))
  if (check !== undefined) return { ...plain, verdict: 'assumption_wrong', documented, ...assumedBy(check) }
  if (row?.basis === 'assumed')
    return {
      ...{ ...plain, verdict: 'assumption_wrong', assumption: 'error_codes', documented },
      about: 'The documentation does not list the code of this error.',
    }
  const about =
    other === undefined
      ? 'The platform responds with a code that is not documented.'
      : 'The platform responds with another documented code.'
  return { ...plain, verdict: 'documentation_wrong', assumption: null, documented, about }
}

/** The assumption that lets the sandbox answer with its code, if the documented condition of the platform's code holds too. */
function orderAssumption(sandbox: string, platform: string, request: Fields): Assumption | undefined {
  if (conditions[platform]?.(request) !== true) return undefined
  const ofMissing = Object.values(request).includes(null) ? 'null_fields' : 'missing_before_wrong'
  const id = sandbox === 'MISSING_REQUIRED_FIELD' ? ofMissing : 'order_of_checks'
  return assumptionRows.find((one) => one.id === id)
}
