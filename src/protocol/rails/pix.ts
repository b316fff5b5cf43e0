/** PIX: BRL between Brazilian banks, by BR Code and directory key (decisions 15, 20, 26). */
import { isoOffset } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { currencyOf } from '../platform/currencies.js'
import { buildDynamicBrCode } from './br-code.js'
import { newEndToEndId, newTxid } from './e2e-id.js'
import { inferPixKeyType, isPixKey, newRandomPixKey } from './pix-key.js'
import type { Rail } from './rail.js'

const city = 'SAO PAULO'
const chargeHost = 'qr.sandbox.example/v2/cob'

export const pix: Rail = {
  type: 'fiat',
  method: 'pix',
  makeCharge(source, { currency, amountMinor, payee, pixLifeMs }) {
    const qrcode = buildDynamicBrCode({
      url: `${chargeHost}/${newTxid(source.draw('txid'))}`,
      amount: formatAmount(amountMinor, currencyOf(currency).scale),
      merchantName: payee,
      city,
    })
    const expiresAtMs = source.atMs + pixLifeMs
    const info = { qrcode, expiration: Math.round(pixLifeMs / 1000), expires_at: isoOffset(expiresAtMs) }
    return { info, expiresAtMs }
  },
  isPaidExactly: true,
  tellsExpiry: true,
  // A BR Code has 13 characters for its amount.
  maxChargeMinor: 999_999_999_999n,
  isDisputable: true,
  newDestination: (source) => newRandomPixKey(source.draw('pix-key')),
  confirmations: () => 0,
  hasKeyTypes: true,
  keyTypeOf: (key, asked) => asked ?? inferPixKeyType(key),
  faultOf: ({ key, keyType }) => (keyType !== null && isPixKey(keyType, key) ? null : 'PIX_KEY_NOT_FOUND'),
  bankOf: () => null,
  proof: 'e2e_id',
  newProof: (source) => newEndToEndId(source.atMs, source.draw('e2e')),
}
