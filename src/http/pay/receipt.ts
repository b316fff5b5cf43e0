/**
 * What a payer sees once a charge is paid, expired or refunded: the outcome, and a receipt if it was paid; and the parts
 * that the page of an open charge has too.
 */
import { capitalized } from '../../base/text.js'
import { type Html, html } from '../html.js'
import { type Charge, priceOf } from './charge.js'
import type { PayLocale } from './language.js'
import type { Outcome, PayTexts } from './texts/texts.js'

const iconPaths: Record<Outcome, string> = {
  confirmed: 'M14 25l7 7 14-15',
  expired: 'M24 13v12l8 5',
  refunded: 'M15 20h13a7 7 0 0 1 0 14h-8M21 14l-6 6 6 6',
}

export function outcome(charge: Charge, status: Outcome, locale: PayLocale): Html {
  const { texts } = locale
  const { title, note } = texts.states[status]
  const partly = partlyRefunded(charge, texts)
  const isOtherAmount = status === 'confirmed' && charge.requested !== null
  return html`<svg class="mark" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="21"/><path d="${iconPaths[status]}"/></svg>
<p class="state" role="status">${partly?.title ?? title}</p>
<p class="note">${isOtherAmount ? texts.receipt.accepted : (partly?.note ?? note)}</p>
${status === 'expired' ? null : html`<h2>${texts.receipt.title}</h2>`}
${facts([...(status === 'expired' ? [] : paymentFacts(charge, locale)), ...lastFacts(charge, status, locale)], texts)}`
}

/** The texts of a refund of less than the payment; null otherwise. */
function partlyRefunded({ refunded, amount, currency }: Charge, texts: PayTexts) {
  if (refunded === null || refunded === amount) return null
  const { title, note } = texts.partlyRefunded
  return {
    title,
    note: note({ refunded: priceOf(refunded, currency, texts), amount: priceOf(amount, currency, texts) }),
  }
}

/** The payment first, as it was before a refund. */
function paymentFacts(charge: Charge, { texts, formatTime }: PayLocale): readonly Fact[] {
  const { amount, requested, currency, payerName, merchant, info, proof, paidAtMs } = charge
  const labels = texts.receipt
  return [
    { name: labels.amount, value: priceOf(amount, currency, texts) },
    { name: labels.requested, value: requested === null ? '' : priceOf(requested, currency, texts) },
    { name: labels.payer, value: payerName ?? '' },
    { name: labels.recipient, value: merchant },
    { name: texts.chain.network, value: info !== null && 'address' in info ? networkName(info) : '' },
    { name: texts.states.confirmed.at, value: formatTime(paidAtMs) },
    ...(proof === null ? [] : [{ name: labels.proofs[proof.field], value: proof.value, isCode: true } as const]),
  ]
}

/** When the charge expired or was refunded, and its id. */
function lastFacts(charge: Charge, status: Outcome, { texts, formatTime }: PayLocale): readonly Fact[] {
  const { id, refunded, currency, updatedAtMs } = charge
  return [
    { name: texts.receipt.refunded, value: refunded === null ? '' : priceOf(refunded, currency, texts) },
    { name: texts.states[status].at, value: status === 'confirmed' ? '' : formatTime(updatedAtMs) },
    { name: texts.receipt.charge, value: id, isCode: true },
  ]
}

export interface Fact {
  name: string
  value: string
  /** A value to compare character by character. */
  isCode?: true
  /** The text of a copy button, for a value that the payer needs in another app. */
  copied?: string
}

/** `Tron (TRC20)`, `BITCOIN`: some wallets list a network by its name, some by the label of its tokens. */
export function networkName({ chain, network }: { chain: string; network: string }): string {
  const name = chain.length < 4 ? chain.toUpperCase() : capitalized(chain)
  return network.toLowerCase() === chain ? network : `${name} (${network})`
}

export const facts = (rows: readonly Fact[], texts: PayTexts): Html =>
  html`<dl>${rows.filter(({ value }) => value !== '').map((row, index) => factRow(row, `fact-${index}`, texts))}</dl>`

const factRow = ({ name, value, isCode, copied }: Fact, id: string, texts: PayTexts): Html =>
  html`<div><dt id="${id}">${name}</dt><dd>${isCode === true ? html`<code>${value}</code>` : value}${copied === undefined ? null : copyButton(copied, id, texts)}</dd></div>`

/** The script shows it if the browser can copy. */
const copyButton = (text: string, labelId: string, { copy, copied }: PayTexts): Html =>
  html`<button type="button" class="copies" data-copy="${text}" data-copied="${copied}" aria-describedby="${labelId}" hidden>${copy}</button>`

/** Above this length a text takes several lines. */
const oneLine = 20

/** A text with a button that copies it. A page has at most one. */
export const copyable = (label: string, text: string, texts: PayTexts): Html =>
  html`<div class="copy"><p class="label" id="label">${label}</p><code${text.length > oneLine ? null : html` class="number"`} aria-labelledby="label" tabindex="0"><span>${text}</span></code>${copyButton(text, 'label', texts)}</div>`
