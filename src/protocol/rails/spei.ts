/** SPEI: MXN between Mexican banks, by CLABE (decisions 15 and 20). */

import { capitals, digits, randomOf } from '../../base/ids.js'
import type { Draw } from '../../base/random.js'
import { abmOf, bankOfClabe, isClabe, newClabe } from './clabe.js'
import type { Rail } from './rail.js'

export const spei: Rail = {
  type: 'fiat',
  method: 'spei',
  makeCharge(source, { payee }) {
    const clabe = newClabe(source.draw('clabe'))
    const bank = bankOfClabe(clabe)
    const info = {
      clabe,
      bank_code: bank?.banxico ?? null,
      bank_name: bank?.name ?? null,
      beneficiary_name: payee,
      reference: newReferenceNumber(source.draw('reference')),
    }
    return { info, expiresAtMs: null }
  },
  isPaidExactly: false,
  tellsExpiry: false,
  isDisputable: false,
  newDestination: (source) => newClabe(source.draw('clabe')),
  confirmations: () => 0,
  hasKeyTypes: false,
  keyTypeOf: () => null,
  /** A bank that is named must be the one of the CLABE; a code that nobody knows is nothing to compare. */
  faultOf({ key, bankCode }) {
    const bank = bankCode === null ? null : abmOf(bankCode)
    return isClabe(key) && (bank === null || key.startsWith(bank)) ? null : 'INVALID_ADDRESS'
  },
  bankOf: (key) => bankOfClabe(key)?.name ?? null,
  proof: 'tracking_key',
  newProof: (source) => newTrackingKey(source.draw('e2e')),
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
