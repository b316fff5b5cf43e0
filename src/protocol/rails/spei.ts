/** SPEI: MXN between Mexican banks, by CLABE (decisions 15 and 20). */
import { abmOf, bankOfClabe, isClabe, newClabe } from './clabe.js'
import { newReferenceNumber, newTrackingKey } from './e2e-id.js'
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
