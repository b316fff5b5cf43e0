/** What a payer sees once a charge is paid, expired or refunded: the outcome, and a receipt if it was paid. */
import { type Html, html } from '../html.js'
import type { Charge } from './charge.js'
import type { PayLocale } from './language.js'
import { type Fact, facts } from './parts.js'
import { priceOf } from './price.js'
import type { Outcome } from './texts/texts.js'

const iconPaths: Record<Outcome, string> = {
  confirmed: 'M14 25l7 7 14-15',
  expired: 'M24 13v12l8 5',
  refunded: 'M33 18H19a7 7 0 1 0 0 14h12M24 12l-7 6 7 6',
}

export function outcome(charge: Charge, status: Outcome, { texts, formatTime }: PayLocale): Html {
  const { title, note, at } = texts.states[status]
  const { refunded, proof } = charge
  const isPartialRefund = refunded !== null && refunded !== charge.amount
  const last: readonly Fact[] = [
    { name: at, value: formatTime(charge.updatedAtMs) },
    ...(proof === null ? [] : [{ name: texts.receipt.proofs[proof.field], value: proof.value, isCode: true } as const]),
    { name: texts.receipt.transaction, value: charge.id, isCode: true },
  ]
  return html`<svg class="mark" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="21"/><path d="${iconPaths[status]}"/></svg>
<p class="state" role="status">${title}</p>
<p class="note">${isPartialRefund ? texts.partlyRefunded : note}</p>
${status === 'expired' ? null : html`<h2>${texts.receipt.title}</h2>`}
${facts(status === 'expired' ? last : [...paymentFacts(charge, texts), ...last])}`
}

function paymentFacts(charge: Charge, texts: PayLocale['texts']): readonly Fact[] {
  const { amount, requested, refunded, currency, payerName, merchant } = charge
  const labels = texts.receipt
  return [
    { name: labels.amount, value: priceOf(amount, currency, texts) },
    { name: labels.requested, value: requested === null ? '' : priceOf(requested, currency, texts) },
    { name: labels.refunded, value: refunded === null ? '' : priceOf(refunded, currency, texts) },
    { name: labels.payer, value: payerName ?? '' },
    { name: labels.recipient, value: merchant },
  ]
}
