/** Compares one field: by its kind, its JSON type and its value. */
import {
  currencies,
  type DifferenceKind,
  isClabe,
  isCurrency,
  parseBrCode,
  ratePlaces,
} from '../../../inside/platform.js'
import { type Fields, JsonNumber, parseMoment, rowAt } from '../../../inside/values.js'
import type { BalanceGap, Balances } from '../replay/balances.js'
import type { KnownPairs } from '../replay/known-pairs.js'
import type { Shape } from './shapes.js'

/** What the comparison of a field needs to know about the whole. */
export interface FieldContext {
  /** Name of the endpoint or event. */
  call: string
  pairs: KnownPairs
  balances: Balances
  /** The account whose balances the body shows. */
  accountSeq: number
  /** Whether the recording contains every object of the account, so that counts can be compared. */
  isComplete: boolean
  /** Largest accepted distance of two moments. */
  toleranceMs: number
  /** Whether an object existed before the recording, so that its values are unknown. */
  predatesRecording(platformId: string): boolean
  /** Fields of an object that the recording does not determine. */
  unsure(platformId: string): readonly string[]
}

/** The position of a field. */
export interface Place {
  path: string
  shape: Shape | undefined
  isAssumed: boolean
  isRequired: boolean
  /** The sandbox's object that contains the field. */
  holder: Fields
  currency: unknown
}

export const isMoneyShape = (shape: Shape | undefined) =>
  shape?.type === 'number' || shape?.pattern?.startsWith('^-?\\d+(\\.') === true

export const typeOf = (value: unknown): string => {
  if (value instanceof JsonNumber) return 'number'
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

export const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

const kindOf = (call: string, path: string): Kind | undefined => {
  const name = path.slice(path.lastIndexOf('.') + 1)
  return kindsAt[`${call} ${path}`] ?? rowAt(kinds, name)
}

/** null if both sides agree. */
export function differenceOf(
  platform: unknown,
  sandbox: unknown,
  place: Place,
  context: FieldContext,
): DifferenceKind | null {
  if (isEmpty(platform) && isEmpty(sandbox)) return platform === sandbox ? null : 'empty'
  const kind = kindOf(context.call, place.path)
  if (kind === 'own' && (platform === null || sandbox === null)) return null
  if (isEmpty(platform)) return 'missing'
  if (isEmpty(sandbox)) return sandbox === undefined ? 'extra' : 'value'
  if (typeOf(platform) !== typeOf(sandbox)) return 'type'
  if (kind !== undefined) return byKind[kind](platform, sandbox, place, context)
  if (platform instanceof JsonNumber && sandbox instanceof JsonNumber)
    return Number(platform.text) === Number(sandbox.text) ? null : 'value'
  if (typeof platform !== 'string' || typeof sandbox !== 'string') return platform === sandbox ? null : 'value'
  if (place.shape?.format === 'date-time') return momentDifference(platform, sandbox, context.toleranceMs)
  if (isMoneyShape(place.shape) && platform !== sandbox)
    return Number(platform) === Number(sandbox) ? 'decimals' : 'value'
  // The request can name something that the platform created, such as the address of a wallet.
  if (platform === sandbox || context.pairs.inSandbox(platform) === sandbox) return null
  return platform.toLowerCase() === sandbox.toLowerCase() ? 'letters' : 'value'
}

/** How an amount of a balance differs; null if it agrees, or if it is none. */
export function balanceGap(
  platform: unknown,
  sandbox: unknown,
  place: Place,
  context: FieldContext,
): BalanceGap | null {
  if (kindOf(context.call, place.path) !== 'balance' || isEmpty(platform) || typeOf(platform) !== typeOf(sandbox))
    return null
  const { currency } = place.holder
  if (typeof currency !== 'string' || !isCurrency(currency)) return null
  const name = place.path.slice(place.path.lastIndexOf('.') + 1)
  const component = name.endsWith('_balance') ? 'available' : name
  const part = { accountSeq: context.accountSeq, currency, component, isBefore: name === 'old_balance' }
  return context.balances.gapOf(part, textOf(platform), textOf(sandbox))
}

type ByKind = (platform: unknown, sandbox: unknown, place: Place, context: FieldContext) => DifferenceKind | null

export const textOf = (value: unknown) => (value instanceof JsonNumber ? value.text : String(value))
const paired: ByKind = (platform, sandbox, place, { pairs }) => {
  const [one, other] = [textOf(platform), textOf(sandbox)]
  const isUuid = place.shape?.format === 'uuid'
  if (isUuid && !/^[0-9a-f-]{36}$/i.test(one)) return 'value'
  // Short ids are scoped by their field: wallet 1 is not reply 1.
  const scope = typeof platform === 'string' ? '' : `${place.path.slice(place.path.lastIndexOf('.') + 1)} `
  return pairs.pairOrCheck(scope + one, scope + other) ? null : 'value'
}

const byKind: Record<Kind, ByKind> = {
  id: paired,
  // A CLABE has check digits, so one side's own text cannot stand for it.
  code: (platform, sandbox, place, context) => {
    const isOther = paired(platform, sandbox, place, context)
    // A withdrawal repeats what the call named.
    if (place.path.endsWith('.wallet')) return isOther
    return isClabe(textOf(sandbox)) && !isClabe(textOf(platform)) ? 'value' : isOther
  },
  brcode: (platform, sandbox) => brCodeDifference(String(platform), String(sandbox)),
  text: () => null,
  own: (platform, _sandbox, place, { pairs }) =>
    pairs.storeAndCompare(place.path.slice(place.path.lastIndexOf('.') + 1), textOf(platform)) ? null : 'value',
  count: (platform, sandbox, _place, { isComplete }) =>
    !isComplete || textOf(platform) === textOf(sandbox) ? null : 'value',
  rate: (platform, sandbox) => {
    if (platform === sandbox) return null
    const isSame = Math.abs(Number(textOf(platform)) - Number(textOf(sandbox))) <= 1.5 * 10 ** -ratePlaces
    return isSame ? null : 'value'
  },
  balance: (platform, sandbox, { holder: { currency } }) => {
    if (typeof currency !== 'string' || !isCurrency(currency)) return null
    // The amounts may differ, so only a cut text on one side and a trailing zero on the other show different forms.
    const isCut = (value: unknown) => (textOf(value).split('.')[1]?.length ?? 0) < currencies[currency].scale
    const isFull = (value: unknown) => !isCut(value) && textOf(value).endsWith('0')
    if (typeof platform !== 'string') return null
    return (isCut(platform) && isFull(sandbox)) || (isFull(platform) && isCut(sandbox)) ? 'decimals' : null
  },
}

function brCodeDifference(platform: string, sandbox: string): DifferenceKind | null {
  const [one, other] = [parseBrCode(platform), parseBrCode(sandbox)]
  if (!one.ok) return 'value'
  if (!other.ok) return null
  return one.kind === other.kind && one.amount === other.amount ? null : 'value'
}

/** UTC has two forms. */
export const zoneOf = (text: string) => (/(?:Z|[+-]00:?00)$/.test(text) ? 'Z' : text.slice(-6))

function momentDifference(platform: string, sandbox: string, toleranceMs: number): DifferenceKind | null {
  const [one, other] = [parseMoment(platform), parseMoment(sandbox)]
  if (one === null || other === null) return 'value'
  if (zoneOf(platform) !== zoneOf(sandbox)) return 'offset'
  return Math.abs(one - other) <= toleranceMs ? null : 'value'
}

/**
 * `id`: assigned by one side; the same id must always stand for the same object.
 * `code`: generated by one side (hash, address, CLABE); compared like ids.
 * `brcode`: parsed and compared field by field. `text`: free text, of which only presence and type are compared.
 * `own`: belongs to the recorded account; the first value is stored, later ones must equal it.
 * `balance`: likewise for each currency, adjusted by the operations.
 * `count`: sizes of lists, compared if the recording contains every object.
 * `rate`: the last of its decimals depends on how it is rounded.
 */
export type Kind = 'id' | 'code' | 'brcode' | 'text' | 'own' | 'balance' | 'count' | 'rate'

export const kinds: Readonly<Record<string, Kind>> = {
  transaction_id: 'id',
  original_transaction_id: 'id',
  conversion_id: 'id',
  original_conversion_id: 'id',
  infraction_id: 'id',
  wallet_id: 'id',
  reply_id: 'id',
  request_id: 'text',
  access_token: 'text',
  e2e_id: 'code',
  hash: 'code',
  tracking_key: 'code',
  address: 'code',
  clabe: 'code',
  qrcode: 'brcode',
  sha256: 'text',
  message: 'text',
  error_message: 'text',
  bank: 'text',
  bank_code: 'text',
  bank_name: 'text',
  reference: 'text',
  beneficiary_name: 'own',
  from_user: 'id',
  to_user: 'id',
  username: 'id',
  counterparty: 'id',
  available: 'balance',
  blocked: 'balance',
  pending: 'balance',
  old_balance: 'balance',
  new_balance: 'balance',
  daily_used: 'text',
  expired_at: 'text',
  rate: 'rate',
  total: 'count',
  total_pages: 'count',
  size: 'text',
}

/** Kinds of single places, by call and path. */
const kindsAt: Readonly<Record<string, Kind>> = {
  'profile data.name': 'own',
  'profile data.document': 'own',
  'profile data.created_at': 'text',
  'transactionList data.items[].wallet': 'code',
  'infractionReply data.files[].name': 'text',
  'infractionReply data.files[].type': 'text',
}

/** Fields that depend on others: if one of those differs, these differ for the same reason. */
export const follows: Readonly<Record<string, readonly string[]>> = {
  amount_net: ['amount', 'fee'],
  new_balance: ['amount', 'fee', 'amount_net', 'amount_refunded', 'old_balance'],
  expires_at: ['expiration'],
  amount_to: ['rate', 'fee', 'amount_from'],
  to_amount: ['rate', 'fee', 'from_amount'],
  estimated_amount: ['rate', 'amount'],
  total_pages: ['total', 'page_size'],
}

/** The field that identifies the items of a list; lists without a row are compared in order. */
export const itemKeys: Readonly<Record<string, readonly string[]>> = {
  balances: ['currency'],
  limits: ['currency', 'operation'],
  fees: ['currency', 'operation'],
  items: ['infraction_id', 'transaction_id'],
}
