/** PIX keys in the form of the central bank's directory (DICT), each of the five types with its own check. */
import type { Draw } from '../../base/random.js'
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

/** A UUID of any version: the directory's own examples are not of version 4. */
const types: Record<PixKeyType, { normalise: (text: string) => string; isValid: (key: string) => boolean }> = {
  cpf: { normalise: normaliseDocument, isValid: isCpf },
  cnpj: { normalise: normaliseDocument, isValid: isCnpj },
  email: { normalise: lowerAscii, isValid: (key) => email.test(key) },
  phone: { normalise: normalisePhone, isValid: (key) => mobile.test(key) },
  random: { normalise: lowerAscii, isValid: isUuid },
}

/** The key as the directory holds it: masks off, `+55` before a national number, lower case. It may still be wrong. */
export function normalisePixKey(type: PixKeyType, text: string): string {
  return types[type].normalise(text)
}

/** Whether `text`, once normalised, is a well-formed key of that type. */
export function isPixKey(type: PixKeyType, text: string): boolean {
  const key = normalisePixKey(type, text)
  return key.length <= maxLength && types[type].isValid(key)
}

/** The type a key looks like when `key_type` is absent, or null. Looking like one is not yet being valid. */
export function inferPixKeyType(text: string): PixKeyType | null {
  if (text.includes('@')) return 'email'
  if (isUuid(text)) return 'random'
  if (text.startsWith('+')) return 'phone'
  if (/^[0-9A-Z]{14}$/.test(normaliseDocument(text))) return 'cnpj'
  if (isCpf(text)) return 'cpf'
  return isPixKey('phone', text) ? 'phone' : null
}

/** The key in the directory's form, its type inferred, or null where it is no key at all. */
export function toDirectoryKey(text: string): string | null {
  const type = inferPixKeyType(text)
  return type !== null && isPixKey(type, text) ? normalisePixKey(type, text) : null
}

/** A random key (EVP), the one type that an institution can issue by itself. */
export function newRandomPixKey(draw: Draw): string {
  return newUuid(draw)
}
