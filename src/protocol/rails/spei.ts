/** SPEI: MXN between Mexican banks, by CLABE (decisions 15 and 20). */

import { capitals, digits, randomOf } from '../../base/ids.js'
import type { RandomBytes } from '../../base/random.js'
import { abmOf, bankOfClabe, isClabe, newClabe } from './clabe.js'
import type { Rail } from './rail.js'

export const spei: Rail = {
  type: 'fiat',
  method: 'spei',
  makeCharge(source, { payee, lifeMs }) {
    const clabe = newClabe(source.draw('clabe'))
    const bank = bankOfClabe(clabe)
    const info = {
      clabe,
      bank_code: bank?.banxico ?? null,
      bank_name: bank?.name ?? null,
      beneficiary_name: payee,
      reference: newReferenceNumber(source.draw('reference')),
    }
    return { info, expiresAtMs: lifeMs === null ? null : source.atMs + lifeMs }
  },
  isPaidExactly: false,
  hasExpiryEvent: false,
  isDisputable: false,
  newDestination: (source) => newClabe(source.draw('clabe')),
  confirmations: () => 0,
  hasKeyTypes: false,
  keyTypeOf: () => null,
  /** A given bank must match the CLABE's. An unknown code is not compared. */
  failureOf({ key, bankCode }) {
    const bank = bankCode === null ? null : abmOf(bankCode)
    return isClabe(key) && (bank === null || key.startsWith(bank)) ? null : 'INVALID_ADDRESS'
  },
  bankOf: (key) => bankOfClabe(key)?.name ?? null,
  proof: 'tracking_key',
  newRailReference: (source) => newTrackingKey(source.draw('e2e')),
}

/** Generates a SPEI tracking key (clave de rastreo): 20 characters, because some clients truncate the allowed 30 to 29. */
export function newTrackingKey(draw: RandomBytes): string {
  return `SBX${randomOf(capitals, 17, draw)}`
}

/**
 * Generates the reference that a SPEI payer quotes (referencia numérica): seven digits, the first not zero, so that it
 * survives as a number.
 */
export function newReferenceNumber(draw: RandomBytes): string {
  return randomOf('123456789', 1, draw) + randomOf(digits, 6, draw)
}
