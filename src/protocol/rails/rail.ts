/** The interface of a rail: how a charge is paid, where withdrawals go, what proves a payment, and why one fails; and a sample payer and payee of each. */
import type * as z from 'zod'
import type { RandomBytes } from '../../base/random.js'
import { type Currency, type CurrencyRow, type Network, networks } from '../platform/currencies.js'
import type { CashoutFailure } from '../platform/failures.js'
import type { paymentInfo, paymentMethod } from '../platform/responses.js'
import type { PixKeyType } from './pix-key.js'

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
  /** How long it can be paid, from the settings (assumptions.md decision 15). null: the rail's default; SPEI has no limit. */
  lifeMs: number | null
}

export interface Charge {
  info: PaymentInfo
  /** When it expires; null: never. */
  expiresAtMs: number | null
}

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
  hasExpiryEvent: boolean
  /** The largest charge of the rail, if less than the largest amount. */
  maxChargeMinor?: bigint
  isDisputable: boolean
  /** Generates the destination of a fixed wallet. */
  newDestination(source: Source, network: Network | null): string
  confirmations(network: Network | null): number
  /** Whether a withdrawal has a `key_type`; other rails ignore the field (assumptions.md decision 38). */
  hasKeyTypes: boolean
  /** The `key_type` of a withdrawal: as requested, or inferred from the key. */
  keyTypeOf(key: string, keyType: PixKeyType | null): PixKeyType | null
  /** Why the destination is unreachable, or null (assumptions.md decision 20). */
  failureOf(destination: Destination): CashoutFailure | null
  /** The bank of a destination, if it can be recognized. */
  bankOf(key: string): string | null
  proof: ProofField
  newRailReference(source: Source, network: Network | null): string
}

type Fields = Readonly<Record<string, string>>

interface Sample {
  /** The destination fields of a withdrawal. */
  destination: (network: Network | undefined) => Fields
  /** The payer of a charge, if the rail requires one. */
  payer: Fields
}

/** To fill in forms. */
export const samples: Record<CurrencyRow['rail'], Sample> = {
  pix: {
    destination: () => ({ key: 'ana@example.com', key_type: 'email' }),
    payer: { 'payer.name': 'Ana Souza', 'payer.document': '52998224725' },
  },
  spei: { destination: () => ({ key: '032180000118359719', name: 'Ana Souza' }), payer: {} },
  chain: {
    destination: (network) => (network === undefined ? {} : { network, key: networks[network].sample }),
    payer: {},
  },
}
