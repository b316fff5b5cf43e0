/** What every rail is asked: how a charge is paid, where money goes out to, what proves a payment, and for which reasons one fails. */
import type * as z from 'zod'
import type { Draw } from '../../base/random.js'
import type { Currency, Network } from '../platform/currencies.js'
import type { CashoutFailure } from '../platform/failures.js'
import type { paymentInfo, paymentMethod } from '../platform/objects.js'
import type { PixKeyType } from './pix-key.js'

/** What a rail makes things up from: the moment, and a stream of chance for each kind of thing. */
export interface Source {
  atMs: number
  draw(kind: string): Draw
}

export type PaymentInfo = z.output<ReturnType<typeof paymentInfo>>

/** A charge that is to be made. `network` is null where money moves between banks. */
export interface ChargeOptions {
  currency: Currency
  network: Network | null
  amountMinor: bigint
  /** Name of the account that is paid. */
  payee: string
  /** How long a PIX charge can be paid: a setting (decision 15). */
  pixLifeMs: number
}

export interface Charge {
  info: PaymentInfo
  /** When it expires by itself; null: never. */
  expiresAtMs: number | null
}

/** Where a withdrawal goes. */
export interface Destination {
  /** Key, CLABE or address. */
  key: string
  keyType: PixKeyType | null
  network: Network | null
  bankCode: string | null
}

/** The field that proves a payment of the rail, in events and in lists. */
export type ProofField = 'e2e_id' | 'tracking_key' | 'hash'

export interface Rail {
  type: 'fiat' | 'crypto'
  /** `payment_method` of a charge. */
  method: z.output<ReturnType<typeof paymentMethod>>
  makeCharge(source: Source, options: ChargeOptions): Charge
  /** A charge is paid exactly, or with whatever was really received. */
  isPaidExactly: boolean
  /** An unpaid charge that expires is told of by an event. */
  tellsExpiry: boolean
  /** The largest charge that the rail can carry, where that is less than the largest amount. */
  maxChargeMinor?: bigint
  /** A payer may dispute what was paid. */
  isDisputable: boolean
  /** Where a fixed wallet takes money. */
  newDestination(source: Source, network: Network | null): string
  confirmations(network: Network | null): number
  /** A withdrawal has a `key_type`; elsewhere the field is ignored (decision 38). */
  hasKeyTypes: boolean
  /** `key_type` of a withdrawal, as asked for or as the key looks. */
  keyTypeOf(key: string, asked: PixKeyType | null): PixKeyType | null
  /** Why the destination cannot be reached, or null (decision 20). */
  faultOf(destination: Destination): CashoutFailure | null
  /** The bank that a destination belongs to, where it shows. */
  bankOf(key: string): string | null
  proof: ProofField
  newProof(source: Source, network: Network | null): string
}
