/** The payer's page in English, and what the other languages translate. */
import type { Currency } from '../../../protocol/platform/currencies.js'

/** How amounts and times are written. */
interface Formats {
  locale: string
  /** How dates write the month: as a word where day and month could be confused. */
  month: '2-digit' | 'short'
  /** The decimal separator of the locale. */
  decimalSign: ',' | '.'
  /** Currencies that people know by a symbol. `$` is that of several currencies, so the code follows the amount. */
  symbols: Partial<Record<Currency, string>>
  /** What stands between the symbol of a currency and the number. */
  symbolGap: '' | '\u00a0'
}

const formats: Formats = {
  locale: 'en-US',
  month: 'short',
  decimalSign: '.',
  symbols: { BRL: 'R$', MXN: '$' },
  symbolGap: '',
}

/** The texts that each language has: a missing one is a type error. */
export type PayTexts = typeof en

export const en = {
  ...formats,
  states: {
    pending: { title: 'Pay', lead: 'Pay to' },
    confirmed: {
      title: 'Paid',
      lead: 'Paid to',
      note: 'The payment has arrived. You can close this page.',
      at: 'Paid at',
    },
    expired: {
      title: 'Expired',
      lead: 'Requested by',
      note: 'This charge can no longer be paid. Ask for a new one.',
      at: 'Expired at',
    },
    refunded: {
      title: 'Refunded',
      lead: 'Refunded by',
      note: 'The money was returned to you.',
      at: 'Refunded at',
    },
  },
  partlyRefunded: {
    title: 'Partly refunded',
    note: ({ refunded, amount }: { refunded: string; amount: string }) =>
      `${refunded} of ${amount} was returned to you.`,
  },
  timeLeft: 'Time left',
  copy: 'Copy',
  copied: 'Copied',
  howToPay: 'How to pay',
  qrCode: 'QR code',
  pix: {
    steps: [
      "Open your Brazilian bank's app and choose Pix.",
      'Scan the QR code, or paste the code under Pix Copia e Cola.',
      'Check the amount and the recipient, and confirm. The receipt appears here.',
    ],
    code: 'Pix Copia e Cola (copy and paste)',
  },
  spei: {
    steps: [
      "Open your Mexican bank's app and choose a SPEI transfer.",
      'Copy the CLABE, and enter the amount, description and reference.',
      'Confirm. The receipt appears here when the payment arrives.',
    ],
    bank: 'Bank',
    beneficiary: 'Recipient',
    amount: 'Amount',
    concept: 'Description (concepto)',
    reference: 'Reference (referencia)',
  },
  chain: {
    steps: ({ price, network, confirmations }: { price: string; network: string; confirmations: string }) => [
      `Open your wallet and choose the ${network} network, and no other.`,
      `Scan the code or paste the address, and send exactly ${price}.`,
      `Wait for ${confirmations} confirmations. The receipt appears here.`,
    ],
    address: 'Address',
    amount: 'Amount',
    network: 'Network',
  },
  receipt: {
    title: 'Receipt',
    amount: 'Amount paid',
    requested: 'Amount requested',
    refunded: 'Amount refunded',
    /** Said if the payer paid another amount than requested. */
    accepted: 'The amount paid was accepted. Nothing is owed.',
    payer: 'Payer',
    recipient: 'Recipient',
    charge: 'Charge id',
    proofs: { e2e_id: 'End-to-end id', tracking_key: 'Tracking key (clave de rastreo)', hash: 'Transaction hash' },
  },
  /** The toolbar for testers, who play the payer. */
  tester: {
    title: 'For testers',
    note: 'no real money moves',
    frozen: 'the clock is frozen',
    pay: 'Pay',
    underpay: (price: string) => `Pay ${price} only`,
    expire: 'Expire',
    refund: 'Refund',
    dashboard: 'Dashboard',
    token: 'Admin token',
    use: 'Use',
    noAnswer: 'The sandbox does not answer.',
  },
  /** The place of the local time of each rail. */
  zones: { pix: 'Brasília', spei: 'Mexico City', chain: 'UTC' },
  unknown: {
    title: 'Unknown charge',
    lead: 'Nothing to pay here',
    note: (id: string) => `There is no charge ${id} in this sandbox. A reset deletes earlier charges.`,
  },
}
