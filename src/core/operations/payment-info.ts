/** `payment_info` of a charge: a BR Code, a temporary address, or a CLABE (§2.2, decision 15). */
import { isoOffset } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { type Currency, currencies, type Network, networkLabel, networks } from '../../protocol/api/currencies.js'
import { cryptoAddressLifeMs } from '../../protocol/api/limits.js'
import { newAddress } from '../../protocol/rails/addresses.js'
import { buildDynamicBrCode } from '../../protocol/rails/br-code.js'
import { bankOfClabe, newClabe } from '../../protocol/rails/clabe.js'
import { newReferenceNumber, newTxid } from '../../protocol/rails/e2e-id.js'
import type { Account } from '../access/caller.js'
import type { Unit } from '../workspace/unit.js'

/** What is to be paid for. */
interface Charged {
  amountMinor: bigint
  currency: Currency
  chain: Network | null
}

export interface PaymentInfo {
  fields: Record<string, unknown>
  /** When the charge expires by itself; null: never. */
  expiresAtMs: number | null
}

export function paymentInfo(unit: Unit, id: string, account: Account, request: Charged): PaymentInfo {
  const { config, ids } = unit
  if (request.currency === 'BRL') {
    const qrcode = buildDynamicBrCode({
      url: `qr.sandbox.example/v2/cob/${newTxid(ids.draw('txid'))}`,
      amount: formatAmount(request.amountMinor, currencies.BRL.scale),
      merchantName: account.name,
      city: 'SAO PAULO',
    })
    return expiring(unit, { qrcode }, config.pixChargeLifeMs)
  }
  if (request.currency === 'MXN') {
    const clabe = newClabe(ids.draw('clabe'))
    const bank = bankOfClabe(clabe)
    const reference = newReferenceNumber(ids.draw('reference'))
    return {
      fields: {
        clabe,
        bank_code: bank?.banxico ?? null,
        bank_name: bank?.name ?? null,
        beneficiary_name: account.name,
        reference,
      },
      expiresAtMs: null,
    }
  }
  const chain = request.chain
  if (chain === null) throw new Error(`the charge ${id} has no chain`)
  const address = newAddress(chain, ids.draw('address'))
  return expiring(
    unit,
    {
      address,
      chain,
      network: networkLabel(request.currency, chain),
      min_confirmations: networks[chain].minConfirmations,
    },
    cryptoAddressLifeMs,
  )
}

function expiring(unit: Unit, fields: Record<string, unknown>, lifeMs: number): PaymentInfo {
  const expiresAtMs = unit.atMs + lifeMs
  return {
    fields: { ...fields, expiration: Math.round(lifeMs / 1000), expires_at: isoOffset(expiresAtMs) },
    expiresAtMs,
  }
}
