/** PIX keys in the form of the central bank's directory (DICT), each of the five types with its own check. */

import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj'
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { RandomBytes } from '../../base/random.js'
import { lowerAscii, upperAscii } from '../../base/text.js'

// UUIDs: disputes, nonces and random PIX keys.

const anyVersion = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const variants = '89ab'

/** Generates a version 4 UUID in lower case. */
export function newUuid(draw: RandomBytes): string {
  const hex = bytesToHex(draw(16))
  const variant = variants.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** Accepts any version and case. */
export function isUuid(text: string): boolean {
  return anyVersion.test(text)
}

/** Accepts either case (interface.md §5.2 `X-Nonce`). */
export function isUuidV4(text: string): boolean {
  return version4.test(text)
}

/** The values of `key_type` (interface.md §4.3). */
export const pixKeyTypes = ['cpf', 'cnpj', 'email', 'phone', 'random'] as const
export type PixKeyType = (typeof pixKeyTypes)[number]

const maxLength = 77
const email =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
const mobile = /^\+55[1-9][1-9]9\d{8}$/

function normalizePhone(text: string): string {
  const bare = text.replace(/[ ().-]/g, '')
  if (bare.startsWith('+')) return bare
  return bare.length === 10 || bare.length === 11 ? `+55${bare}` : `+${bare}`
}

/** Any UUID version: the directory's own examples are not version 4. */
const types: Record<PixKeyType, { normalize: (text: string) => string; isValid: (key: string) => boolean }> = {
  cpf: { normalize: normalizeDocument, isValid: isCpf },
  cnpj: { normalize: normalizeDocument, isValid: isCnpj },
  email: { normalize: lowerAscii, isValid: (key) => email.test(key) },
  phone: { normalize: normalizePhone, isValid: (key) => mobile.test(key) },
  random: { normalize: lowerAscii, isValid: isUuid },
}

/** Normalizes a key to the form of the directory: without punctuation, with `+55`, in lower case. Does not validate it. */
export function normalizePixKey(type: PixKeyType, text: string): string {
  return types[type].normalize(text)
}

/** Whether normalized `text` is a valid key of that type. */
export function isPixKey(type: PixKeyType, text: string): boolean {
  const key = normalizePixKey(type, text)
  return key.length <= maxLength && types[type].isValid(key)
}

/** The type that a key appears to have if `key_type` is missing or null. It may still be invalid. */
export function inferPixKeyType(text: string): PixKeyType | null {
  if (text.includes('@')) return 'email'
  if (isUuid(text)) return 'random'
  if (text.startsWith('+')) return 'phone'
  if (/^[0-9A-Z]{14}$/.test(normalizeDocument(text))) return 'cnpj'
  if (isCpf(text)) return 'cpf'
  return isPixKey('phone', text) ? 'phone' : null
}

/** The key in the directory's form, with its type inferred; null if it is not a key. */
export function toDirectoryKey(text: string): string | null {
  const type = inferPixKeyType(text)
  return type !== null && isPixKey(type, text) ? normalizePixKey(type, text) : null
}

/** Generates a random key (EVP), the only type that an institution issues by itself. */
export function newRandomPixKey(draw: RandomBytes): string {
  return newUuid(draw)
}

// CPF (people) and CNPJ (companies, with letters since July 2026), with or without punctuation.

/** `12.abc.345/01de-35` → `12ABC34501DE35`. Removes only dot, slash and hyphen; the checks reject the rest. */
export function normalizeDocument(text: string): string {
  return upperAscii(text.replace(/[./-]/g, ''))
}

/** Whether text is 11 digits, not all the same, with correct check digits. */
export function isCpf(text: string): boolean {
  const cpf = normalizeDocument(text)
  return /^\d{11}$/.test(cpf) && isValidCpf(cpf)
}

/** Whether text is 12 letters or digits and two correct check digits. */
export function isCnpj(text: string): boolean {
  const cnpj = normalizeDocument(text)
  return /^[0-9A-Z]{12}\d{2}$/.test(cnpj) && isValidCnpj(cnpj, { version: 2 })
}

/** Whether text is a valid `payer.document` (interface.md §2.3). */
export function isDocument(text: string): boolean {
  return isCpf(text) || isCnpj(text)
}
