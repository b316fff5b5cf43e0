/** PIX keys in the form of the central bank's directory (DICT), each of the five types with its own check. */
import type { RandomBytes } from '../../base/random.js'
import { lowerAscii } from '../../base/text.js'
import { isCnpj, isCpf, normaliseDocument } from './documents.js'
import { isUuid, newUuid } from './uuid.js'

/** The values of `key_type` (§4.3). */
export const pixKeyTypes = ['cpf', 'cnpj', 'email', 'phone', 'random'] as const
export type PixKeyType = (typeof pixKeyTypes)[number]

const maxLength = 77
const email =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
const mobile = /^\+55[1-9][1-9]9\d{8}$/

function normalisePhone(text: string): string {
  const bare = text.replace(/[ ().-]/g, '')
  if (bare.startsWith('+')) return bare
  return bare.length === 10 || bare.length === 11 ? `+55${bare}` : `+${bare}`
}

/** Any UUID version: the directory's own examples are not version 4. */
const types: Record<PixKeyType, { normalise: (text: string) => string; isValid: (key: string) => boolean }> = {
  cpf: { normalise: normaliseDocument, isValid: isCpf },
  cnpj: { normalise: normaliseDocument, isValid: isCnpj },
  email: { normalise: lowerAscii, isValid: (key) => email.test(key) },
  phone: { normalise: normalisePhone, isValid: (key) => mobile.test(key) },
  random: { normalise: lowerAscii, isValid: isUuid },
}

/** Normalises a key to the form of the directory: without punctuation, with `+55`, in lower case. Does not validate it. */
export function normalisePixKey(type: PixKeyType, text: string): string {
  return types[type].normalise(text)
}

/** Whether normalised `text` is a valid key of that type. */
export function isPixKey(type: PixKeyType, text: string): boolean {
  const key = normalisePixKey(type, text)
  return key.length <= maxLength && types[type].isValid(key)
}

/** The type that a key appears to have if `key_type` is missing or null. It may still be invalid. */
export function inferPixKeyType(text: string): PixKeyType | null {
  if (text.includes('@')) return 'email'
  if (isUuid(text)) return 'random'
  if (text.startsWith('+')) return 'phone'
  if (/^[0-9A-Z]{14}$/.test(normaliseDocument(text))) return 'cnpj'
  if (isCpf(text)) return 'cpf'
  return isPixKey('phone', text) ? 'phone' : null
}

/** The key in the directory's form, with its type inferred; null if it is not a key. */
export function toDirectoryKey(text: string): string | null {
  const type = inferPixKeyType(text)
  return type !== null && isPixKey(type, text) ? normalisePixKey(type, text) : null
}

/** Generates a random key (EVP), the only type that an institution issues by itself. */
export function newRandomPixKey(draw: RandomBytes): string {
  return newUuid(draw)
}
