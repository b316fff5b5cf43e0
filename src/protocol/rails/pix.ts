/**
 * PIX: BRL between Brazilian banks, by BR Code and directory key (assumptions.md decisions 15, 20, 26). Builds the text
 * of a charge's QR code, and parses codes of charges and of fixed keys.
 */
import { isoOffset } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { alphanumerics, type RandomBytes, randomFrom } from '../../base/random.js'
import { toAsciiName } from '../../base/text.js'
import { currencyOf } from '../platform/currencies.js'
import { pixChargeLifeMs } from '../platform/limits.js'
import { inferPixKeyType, isPixKey, newRandomPixKey, toDirectoryKey } from './pix-key.js'
import type { Rail } from './rail.js'

/** The sandbox's institution: the placeholder of the central bank's own examples. */
const ispb = '12345678'

/**
 * Generates an end-to-end id of 32 characters (interface.md §6.5 `e2e_id`): `E`, institution, minute in UTC, 11 letters
 * and digits. `nowMs` is epoch milliseconds, in the years 0 to 9999.
 */
export function newEndToEndId(nowMs: number, draw: RandomBytes): string {
  const iso = new Date(nowMs).toISOString()
  const minute = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10) + iso.slice(11, 13) + iso.slice(14, 16)
  return `E${ispb}${minute}${randomFrom(alphanumerics, 11, draw)}`
}

const city = 'SAO PAULO'
const chargeHost = 'qr.sandbox.example/v2/cob'

export const pix: Rail = {
  type: 'fiat',
  method: 'pix',
  makeCharge(source, { currency, amountMinor, payee, lifeMs }) {
    const qrcode = buildDynamicBrCode({
      url: `${chargeHost}/${newTxid(source.draw('txid'))}`,
      amount: formatAmount(amountMinor, currencyOf(currency).scale),
      merchantName: payee,
      city,
    })
    const pixLifeMs = lifeMs ?? pixChargeLifeMs
    const expiresAtMs = source.atMs + pixLifeMs
    const info = { qrcode, expiration: Math.round(pixLifeMs / 1000), expires_at: isoOffset(expiresAtMs) }
    return { info, expiresAtMs }
  },
  isPaidExactly: true,
  hasExpiryEvent: true,
  // A BR Code has room for 13 characters of amount.
  maxChargeMinor: 999_999_999_999n,
  isDisputable: true,
  newDestination: (source) => newRandomPixKey(source.draw('pix-key')),
  confirmations: () => 0,
  hasKeyTypes: true,
  keyTypeOf: (key, keyType) => keyType ?? inferPixKeyType(key),
  failureOf: ({ key, keyType }) => (keyType !== null && isPixKey(keyType, key) ? null : 'PIX_KEY_NOT_FOUND'),
  bankOf: () => null,
  proof: 'e2e_id',
  newRailReference: (source) => newEndToEndId(source.atMs, source.draw('e2e')),
}

// BR Codes.

const arrangement = 'br.gov.bcb.pix'
const noTxid = '***'
const maxLength = 512
const maxUrlLength = 77
const maxNameLength = 25
const maxCityLength = 15
const amountFormat = /^(?:0|[1-9]\d{0,9})\.\d{2}$/
const urlFormat = /^[a-z0-9.-]+(?::\d{1,5})?\/[!-~]+$/i

interface DynamicBrCode {
  /** Where the payer's bank fetches the charge: without scheme, at most 77 characters. */
  url: string
  /** BRL as a decimal string with two places; null if the payer chooses. */
  amount: string | null
  merchantName: string
  city: string
}

interface BrCodeFields {
  ok: true
  amount: string | null
  /** null if the code has the placeholder `***`. */
  txid: string | null
  merchantName: string
  city: string
}

type ParsedBrCode =
  | (BrCodeFields & { kind: 'dynamic'; url: string })
  | (BrCodeFields & { kind: 'static'; key: string; description: string | null })

type BrCodeRefusal = { ok: false; reason: string }

/** Falls back to `N` and `C`, so that a name without Latin letters does not make a charge fail. */
function merchant(name: string, city: string): string {
  return field('59', toAsciiName(name, maxNameLength) || 'N') + field('60', toAsciiName(city, maxCityLength) || 'C')
}

/**
 * The code of one charge (interface.md §2.2 `payment_info.qrcode`). Names are folded to ASCII and truncated. Throws
 * RangeError for a URL or an amount that does not fit the format.
 */
export function buildDynamicBrCode({ url, amount, merchantName, city }: DynamicBrCode): string {
  if (url.length > maxUrlLength || !urlFormat.test(url)) throw new RangeError(`not a charge address: ${url}`)
  if (amount !== null && !amountFormat.test(amount)) throw new RangeError(`not an amount with two places: ${amount}`)
  const account = field('26', field('00', arrangement) + field('25', url))
  const price = amount === null ? '' : field('54', amount)
  const reference = field('62', field('05', noTxid))
  const payload = `000201010212${account}520400005303986${price}5802BR${merchant(merchantName, city)}${reference}6304`
  return payload + crc16(payload)
}

/** The rules of every code: field, check, and the reason if it fails. */
const rules: readonly (readonly [id: string, holds: (value: string | undefined) => boolean, reason: string])[] = [
  ['00', (value) => value === '01', 'field 00 is not 01'],
  ['01', (value) => value === undefined || value === '11' || value === '12', 'field 01 is neither 11 nor 12'],
  ['52', (value) => value === '0000', 'field 52 is not 0000'],
  ['53', (value) => value === '986', 'field 53 is not 986 (BRL)'],
  ['54', (value) => value === undefined || amountFormat.test(value), 'field 54 is not an amount with two places'],
  ['58', (value) => value === 'BR', 'field 58 is not BR'],
  ['59', (value) => isWithinBytes(value, maxNameLength), `field 59 is not a name of 1 to ${maxNameLength} characters`],
  ['60', (value) => isWithinBytes(value, maxCityLength), `field 60 is not a city of 1 to ${maxCityLength} characters`],
]

function isWithinBytes(value: string | undefined, limit: number): boolean {
  return value !== undefined && value.length > 0 && value.length <= limit
}

/** Whether ids ascend, with the checksum (63) last. */
function inOrder(ids: readonly string[]): boolean {
  return (
    ids.at(-1) === '63' &&
    ids.slice(0, -1).every((id, at, all) => id !== '63' && (at === 0 || id > (all[at - 1] ?? '')))
  )
}

function readFrame(text: string): { fields: Map<string, string> } | BrCodeRefusal {
  if (text.length > maxLength) return refusal(`longer than ${maxLength} characters`)
  if (!/^[ -~]+$/.test(text)) return refusal('not printable ASCII')
  const fields = readFields(text)
  if (fields === null) return refusal('does not divide into fields')
  if (!inOrder([...fields.keys()])) return refusal('fields out of order, or field 63 is not the last')
  const crc = fields.get('63') ?? ''
  if (!/^[0-9A-F]{4}$/.test(crc)) return refusal('field 63 is not four upper-case hex digits')
  const expected = crc16(text.slice(0, -4))
  if (crc !== expected) return refusal(`checksum is ${crc}, expected ${expected}`)
  const broken = rules.find(([id, holds]) => !holds(fields.get(id)))
  return broken === undefined ? { fields } : refusal(broken[2])
}

function refusal(reason: string): BrCodeRefusal {
  return { ok: false, reason }
}

/** Parses a code by the same rules that the builders follow. A rejection names the field. */
export function parseBrCode(text: string): ParsedBrCode | BrCodeRefusal {
  const frame = readFrame(text)
  if ('reason' in frame) return frame
  const { fields } = frame
  const account = readFields(fields.get('26') ?? '')
  if (account?.get('00')?.toLowerCase() !== arrangement) return refusal(`field 26 is not of ${arrangement}`)
  const txid = readFields(fields.get('62') ?? '')?.get('05')
  if (txid === undefined || !isStaticTxid(txid)) return refusal('field 62 has no txid of 1 to 25 letters and digits')
  const common = {
    ok: true as const,
    amount: fields.get('54') ?? null,
    txid: txid === noTxid ? null : txid,
    merchantName: fields.get('59') ?? '',
    city: fields.get('60') ?? '',
  }
  const key = account.get('01')
  const url = account.get('25')
  if ((key === undefined) === (url === undefined)) return refusal('field 26 must have exactly one of key and URL')
  const single = fields.get('01') === '12'
  if (url !== undefined) {
    if (!single) return refusal('a URL, yet field 01 is not 12 (dynamic)')
    if (url.length > maxUrlLength || !urlFormat.test(url)) return refusal('field 26 has no URL without scheme')
    return common.txid === null ? { ...common, kind: 'dynamic', url } : refusal('a dynamic code must have the txid ***')
  }
  if (single) return refusal('a key, yet field 01 is 12 (dynamic)')
  if (key === undefined || toDirectoryKey(key) !== key) return refusal('field 26 has no PIX key')
  return { ...common, kind: 'static', key, description: account.get('02') ?? null }
}

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 8
  for (let bit = 0; bit < 8; bit++) value = value & 0x8000 ? (value << 1) ^ 0x1021 : value << 1
  return value
})

const encoder = new TextEncoder()

/** Four upper-case hex digits over the UTF-8 bytes of `text` (CRC-16: polynomial 0x1021, initial value 0xFFFF, not reflected). */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of encoder.encode(text)) crc = ((crc << 8) & 0xffff) ^ (table[(crc >> 8) ^ byte] ?? 0)
  return crc.toString(16).toUpperCase().padStart(4, '0')
}

/** Writes one field. Throws RangeError if the value is longer than two digits of length allow. */
export function field(id: string, value: string): string {
  if (value.length > 99) throw new RangeError(`field ${id} is ${value.length} characters long; at most 99 are allowed`)
  return `${id}${value.length < 10 ? '0' : ''}${value.length}${value}`
}

const head = /^\d{4}$/

/** The fields in order, or null if the text does not divide into fields or repeats one. */
export function readFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const start = at + 4
    if (!head.test(text.slice(at, start))) return null
    const id = text.slice(at, at + 2)
    const end = start + Number(text.slice(at + 2, start))
    if (end > text.length || fields.has(id)) return null
    fields.set(id, text.slice(start, end))
    at = end
  }
  return fields
}

/** Generates the txid of a charge: 32 characters (26 to 35 are allowed). */
export function newTxid(draw: RandomBytes): string {
  return randomFrom(alphanumerics, 32, draw)
}

/** Whether text is the txid of a static code; `***` means none. */
export function isStaticTxid(text: string): boolean {
  return /^(?:[a-zA-Z0-9]{1,25}|\*\*\*)$/.test(text)
}
