/** Every rail, and the rail of each currency. */
import type * as z from 'zod'
import { isoOffset } from '../../base/iso.js'
import { formatAmount } from '../../base/money.js'
import { alphanumerics, capitals, digits, type RandomBytes, randomOf } from '../../base/random.js'
import {
  type Currency,
  type CurrencyRow,
  currencies,
  currencyOf,
  labelOf,
  type Network,
  networks,
} from '../platform/currencies.js'
import type { CashoutFailure } from '../platform/failures.js'
import { cryptoAddressLifeMs, pixChargeLifeMs } from '../platform/limits.js'
import type { paymentInfo, paymentMethod } from '../platform/responses.js'
import { isAddress, newAddress, newTxHash } from './addresses.js'
import { buildDynamicBrCode, newTxid } from './br-code.js'
import { abmOf, bankOfClabe, isClabe, newClabe } from './clabe.js'
import { inferPixKeyType, isPixKey, newRandomPixKey, type PixKeyType } from './pix-key.js'

/** The network is never null here: the request named it, or the currency has only one. */
function requireNetwork(network: Network | null): Network {
  if (network === null) throw new Error('a crypto withdrawal requires a network')
  return network
}

/** Chains: crypto payments by address, on a chain or on a second layer (decisions 15, 18, 20). */
export const chain: Rail = {
  type: 'crypto',
  method: 'crypto',
  makeCharge(source, { currency, network, lifeMs }) {
    const on = requireNetwork(network)
    const addressLifeMs = lifeMs ?? cryptoAddressLifeMs
    const expiresAtMs = source.atMs + addressLifeMs
    const info = {
      address: newAddress(on, source.draw('address')),
      chain: on,
      network: labelOf(currency, on),
      min_confirmations: networks[on].minConfirmations,
      expiration: Math.round(addressLifeMs / 1000),
      expires_at: isoOffset(expiresAtMs),
    }
    return { info, expiresAtMs }
  },
  isPaidExactly: false,
  hasExpiryEvent: false,
  isDisputable: false,
  newDestination: (source, network) => newAddress(requireNetwork(network), source.draw('address')),
  confirmations: (network) => networks[requireNetwork(network)].minConfirmations,
  hasKeyTypes: false,
  keyTypeOf: () => null,
  failureOf: ({ key, network }) => (isAddress(requireNetwork(network), key) ? null : 'INVALID_ADDRESS'),
  bankOf: () => null,
  proof: 'hash',
  newRailReference: (source, network) => newTxHash(requireNetwork(network), source.draw('hash')),
}

/** SPEI: MXN between Mexican banks, by CLABE (decisions 15 and 20). */
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

/** PIX: BRL between Brazilian banks, by BR Code and directory key (decisions 15, 20, 26). */
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

const rails: Readonly<Record<CurrencyRow['rail'], Rail>> = { pix, spei, chain }

export const railOf = (currency: Currency): Rail => rails[currencies[currency].rail]

/** The currency of the legacy endpoint, whose requests name none (decision 21). */
export const legacyCurrency: Currency = 'BRL'

// The interface of a rail: how a charge is paid, where withdrawals go, what proves a payment, and why one fails.

/** Inputs of generated values: the moment, and one random stream for each kind of value. */
export interface Source {
  atMs: number
  draw(kind: string): RandomBytes
}

export type PaymentInfo = z.output<ReturnType<typeof paymentInfo>>

/** A charge to create. `network` is null on bank rails. */
interface ChargeOptions {
  currency: Currency
  network: Network | null
  amountMinor: bigint
  /** Name of the receiving account. */
  payee: string
  /** How long it can be paid, from the settings (decision 15); null: as the rail does by default, which for SPEI is without limit. */
  lifeMs: number | null
}

export interface Charge {
  info: PaymentInfo
  /** When it expires; null: never. */
  expiresAtMs: number | null
}

/** The destination of a withdrawal. */
export interface Destination {
  /** PIX key, CLABE or crypto address. */
  key: string
  keyType: PixKeyType | null
  network: Network | null
  bankCode: string | null
}

/** The field with the rail's proof of payment, in events and lists. */
export type ProofField = 'e2e_id' | 'tracking_key' | 'hash'

export interface Rail {
  type: 'fiat' | 'crypto'
  /** `payment_method` of a charge. */
  method: z.output<ReturnType<typeof paymentMethod>>
  makeCharge(source: Source, options: ChargeOptions): Charge
  /** Whether a charge must be paid exactly; otherwise any received amount counts. */
  isPaidExactly: boolean
  /** Whether the expiry of an unpaid charge emits an event. */
  hasExpiryEvent: boolean
  /** The largest charge of the rail, if less than the largest amount. */
  maxChargeMinor?: bigint
  /** Whether the payer can dispute a payment. */
  isDisputable: boolean
  /** Generates the destination of a fixed wallet. */
  newDestination(source: Source, network: Network | null): string
  confirmations(network: Network | null): number
  /** Whether a withdrawal has a `key_type`; other rails ignore the field (decision 38). */
  hasKeyTypes: boolean
  /** The `key_type` of a withdrawal: as requested, or inferred from the key. */
  keyTypeOf(key: string, keyType: PixKeyType | null): PixKeyType | null
  /** Why the destination is unreachable, or null (decision 20). */
  failureOf(destination: Destination): CashoutFailure | null
  /** The bank of a destination, if it can be recognized. */
  bankOf(key: string): string | null
  proof: ProofField
  newRailReference(source: Source, network: Network | null): string
}
