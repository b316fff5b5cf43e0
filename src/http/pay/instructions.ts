/** How a pending charge is paid: three steps, and the code, CLABE or address that the payer needs. */
import { type Html, html } from '../html.js'
import type { Charge } from './charge.js'
import { copyable, facts, networkName } from './parts.js'
import { priceOf, withoutZeros } from './price.js'
import { qrCode } from './qr.js'
import type { PayTexts } from './texts/texts.js'

/** The longest `concepto` that SPEI transmits. */
const maxConceptLength = 40

export function instructions(charge: Charge, texts: PayTexts): Html | null {
  const { info, merchant, externalId } = charge
  const price = priceOf(charge.amount, charge.currency, texts)
  if (info === null) return null
  if ('qrcode' in info)
    return html`${howToPay(texts, texts.pix.steps)}
${qrCode(info.qrcode, texts.qrCode)}
${copyable(texts.pix.code, info.qrcode, texts)}`
  if ('address' in info) {
    const { steps, ...labels } = texts.chain
    const confirmations = String(info.min_confirmations)
    return html`${howToPay(texts, steps({ price, network: networkName(info), confirmations }))}
${qrCode(info.address, texts.qrCode)}
${copyable(labels.address, info.address, texts)}
${facts(
  [
    { name: labels.amount, value: price, copied: withoutZeros(charge.amount) },
    { name: labels.network, value: networkName(info) },
  ],
  texts,
)}`
  }
  const labels = texts.spei
  const concept = [...(externalId ?? merchant)].slice(0, maxConceptLength).join('')
  return html`${howToPay(texts, labels.steps)}
${copyable('CLABE', info.clabe, texts)}
${facts(
  [
    { name: labels.bank, value: info.bank_name ?? '' },
    { name: labels.beneficiary, value: info.beneficiary_name },
    { name: labels.amount, value: price, copied: charge.amount },
    { name: labels.concept, value: concept, copied: concept },
    { name: labels.reference, value: info.reference, copied: info.reference },
  ],
  texts,
)}`
}

const howToPay = ({ howToPay: title }: PayTexts, steps: readonly string[]) =>
  html`<h2>${title}</h2><ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`
