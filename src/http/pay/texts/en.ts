/** The payer's page in English. */
import type { PayTexts } from './texts.js'

export const en: PayTexts = {
  locale: 'en-US',
  month: 'short',
  decimalSign: '.',
  symbols: { BRL: 'R$', MXN: '$' },
  symbolGap: '',
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
    note: ({ refunded, amount }) => `${refunded} of ${amount} was returned to you.`,
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
    steps: ({ price, network, confirmations }) => [
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
    accepted: 'The amount paid was accepted. Nothing is owed.',
    payer: 'Payer',
    recipient: 'Recipient',
    charge: 'Charge id',
    proofs: { e2e_id: 'End-to-end id', tracking_key: 'Tracking key (clave de rastreo)', hash: 'Transaction hash' },
  },
  zones: { pix: 'Brasília', spei: 'Mexico City', chain: 'UTC' },
  unknown: {
    title: 'Unknown charge',
    lead: 'Nothing to pay here',
    note: (id) => `There is no charge ${id} in this sandbox. A reset deletes earlier charges.`,
  },
}
