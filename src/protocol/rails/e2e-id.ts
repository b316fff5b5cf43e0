/** Identifiers that a rail gives to a payment: PIX end-to-end and return ids, txids, SPEI tracking keys. */
import type { Draw } from '../../base/random.js'
import { alphanumerics, capitals, digits, randomOf } from './chance.js'

/** The institution that the sandbox plays: the placeholder of the central bank's own examples. */
const ispb = '12345678'

const moment = String.raw`\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d`
const endToEndId = new RegExp(`^E[0-9A-Z]{8}${moment}[a-zA-Z0-9]{11}$`)
const returnId = new RegExp(`^D[0-9A-Z]{8}${moment}[a-zA-Z0-9]{11}$`)

/**
 * 32 characters (§6.5 `e2e_id`): `E` (payment) or `D` (return), institution, minute in UTC, 11 letters and digits.
 * `nowMs` is epoch milliseconds, in the years 0 to 9999.
 */
export function newEndToEndId(nowMs: number, draw: Draw, prefix: 'E' | 'D' = 'E'): string {
  const iso = new Date(nowMs).toISOString()
  const minute = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10) + iso.slice(11, 13) + iso.slice(14, 16)
  return prefix + ispb + minute + randomOf(alphanumerics, 11, draw)
}

/** Whether `text` is the id of a PIX payment. */
export function isEndToEndId(text: string): boolean {
  return endToEndId.test(text)
}

/** Whether `text` is the id of a PIX return, which a refund and a lost dispute have. */
export function isReturnId(text: string): boolean {
  return returnId.test(text)
}

/** The txid of a charge, which a dynamic code leads to: 32 of the allowed 26 to 35 characters. */
export function newTxid(draw: Draw): string {
  return randomOf(alphanumerics, 32, draw)
}

/** The txid of a charge: 26 to 35 letters and digits. */
export function isDynamicTxid(text: string): boolean {
  return /^[a-zA-Z0-9]{26,35}$/.test(text)
}

/** The txid inside a static code; `***` means none. */
export function isStaticTxid(text: string): boolean {
  return /^(?:[a-zA-Z0-9]{1,25}|\*\*\*)$/.test(text)
}

/** A SPEI tracking key (clave de rastreo): 20 of at most 30 characters, since some clients cut at 29. */
export function newTrackingKey(draw: Draw): string {
  return `SBX${randomOf(capitals, 17, draw)}`
}

/** Accepts hyphen and slash as well, which some banks print and we never generate. */
export function isTrackingKey(text: string): boolean {
  return /^[A-Za-z0-9/-]{1,30}$/.test(text)
}

/** What a SPEI payer quotes (referencia numérica): seven digits, the first not zero, so that a number keeps them all. */
export function newReferenceNumber(draw: Draw): string {
  return randomOf('123456789', 1, draw) + randomOf(digits, 6, draw)
}

/** One to seven digits. */
export function isReferenceNumber(text: string): boolean {
  return /^\d{1,7}$/.test(text)
}
