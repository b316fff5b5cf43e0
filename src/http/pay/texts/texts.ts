/** The texts of the payer's page that each language has: a missing text is a type error. */
import type { Currency, CurrencyRow } from '../../../protocol/platform/currencies.js'
import type { StatusOf } from '../../../protocol/platform/transitions.js'
import type { ProofField } from '../../../protocol/rails/rail.js'

type RailName = CurrencyRow['rail']
export type ChargeStatus = StatusOf<'cashin'>
export type Outcome = Exclude<ChargeStatus, 'pending'>

interface StateTexts {
  /** The title of the tab, before the amount. */
  title: string
  /** Stands before the name of the merchant. */
  lead: string
  /** One sentence for the payer. */
  note: string
  /** The label of the time at which this state began. */
  at: string
}

type Steps = readonly [string, string, string]

export interface PayTexts {
  /** How numbers and times are written. */
  locale: string
  /** How dates write the month: as a word where day and month could be confused. */
  month: '2-digit' | 'short'
  /** The decimal separator of the locale. */
  decimalSign: ',' | '.'
  /** Currencies that people know by a symbol. `$` is that of several currencies, so the code follows the amount. */
  symbols: Partial<Record<Currency, string>>
  /** What stands between the symbol of a currency and the number. */
  symbolGap: '' | '\u00a0'
  states: Record<Outcome, StateTexts> & { pending: Pick<StateTexts, 'title' | 'lead'> }
  partlyRefunded: { title: string; note(values: { refunded: string; amount: string }): string }
  timeLeft: string
  copy: string
  copied: string
  howToPay: string
  qrCode: string
  pix: { steps: Steps; code: string }
  spei: {
    steps: Steps
    bank: string
    beneficiary: string
    amount: string
    concept: string
    reference: string
  }
  chain: {
    steps(values: { price: string; network: string; confirmations: string }): Steps
    address: string
    amount: string
    network: string
  }
  receipt: {
    title: string
    amount: string
    requested: string
    refunded: string
    /** Said if the payer paid another amount than requested. */
    accepted: string
    payer: string
    recipient: string
    charge: string
    proofs: Record<ProofField, string>
  }
  /** The place of the local time of each rail. */
  zones: Record<RailName, string>
  unknown: { title: string; lead: string; note(id: string): string }
}
