/** PIX: BRL between Brazilian banks, by BR Code and directory key (decisions 15, 20, 26). */

import { alphanumerics, randomOf } from '../../base/ids.js'
import { isoOffset } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import type { RandomBytes } from '../../base/random.js'
import { currencyOf } from '../platform/currencies.js'
import { pixChargeLifeMs } from '../platform/limits.js'
import { buildDynamicBrCode, newTxid } from './br-code.js'
import { inferPixKeyType, isPixKey, newRandomPixKey } from './pix-key.js'
import type { Rail } from './rail.js'

/** The sandbox's institution: the placeholder of the central bank's own examples. */
const ispb = '12345678'

/**
 * Generates an end-to-end id of 32 characters (§6.5 `e2e_id`): `E`, institution, minute in UTC, 11 letters and
 * digits.
 * `nowMs` is epoch milliseconds, in the years 0 to 9999.
 */
export function newEndToEndId(nowMs: number, draw: RandomBytes): string {
  const iso = new Date(nowMs).toISOString()
  const minute = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10) + iso.slice(11, 13) + iso.slice(14, 16)
  return `E${ispb}${minute}${randomOf(alphanumerics, 11, draw)}`
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
