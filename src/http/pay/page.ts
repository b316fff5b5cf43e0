/** The payer's page: what a customer sees of a charge, with a toolbar for testers below. Works without its script. */

import { encode } from 'uqr'
import { type Html, html } from '../html.js'
import { type Charge, priceOf, withoutZeros } from './charge.js'
import type { PayLocale } from './language.js'
import { copyable, facts, networkName, outcome } from './receipt.js'
import { en } from './texts/en.js'
import type { PayTexts } from './texts/texts.js'

/** A QR code as SVG: one path, dark on light in every theme, with the quiet zone that scanners need. */
const quietBorder = 4

function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: quietBorder })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}

// How a pending charge is paid: three steps, and the code, CLABE or address that the payer needs.

/** The longest `concepto` that SPEI transmits. */
const maxConceptLength = 40

function instructions(charge: Charge, texts: PayTexts): Html | null {
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

const frame = (language: string, title: string, main: Html, toolbar: Html | null) =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/assets/brand.css">
<link rel="stylesheet" href="page.css">
<script src="page.js" defer></script>
</head>
<body>
${main}
${toolbar}
</body>
</html>
`.toString()

/** The longest price in the largest type. */
const shortPrice = 11

/** The script compares `etag` to detect changes. */
export function payPage(charge: Charge, locale: PayLocale, etag: string): string {
  const { status, externalId } = charge
  const { texts, language } = locale
  const price = priceOf(charge.refunded ?? charge.amount, charge.currency, texts)
  const { title, lead } = texts.states[status]
  const main = html`<main data-etag="${etag}">
<section class="card ${status}" aria-labelledby="amount">
<header><p class="to">${lead} <strong>${charge.merchant}</strong></p>
<h1 id="amount"${price.length > shortPrice ? html` class="long"` : null}>${price.replace(`\u00a0${charge.currency}`, ` ${charge.currency}`)}</h1>
${externalId === null ? null : html`<p class="reference">${externalId}</p>`}
${status === 'pending' ? timeLeft(charge, texts.timeLeft) : null}</header>
<div class="body">${status === 'pending' ? instructions(charge, texts) : outcome(charge, status, locale)}</div>
</section>
</main>`
  return frame(language, `${title}: ${price}`, main, testerToolbar(charge))
}

export function noSuchCharge(id: string, { language, texts }: PayLocale): string {
  const { title, lead, note } = texts.unknown
  const main = html`<main><section class="card expired"><header><p class="to">${lead}</p><h1>${title}</h1></header>
<div class="body"><p class="note">${note(id)}</p></div></section></main>`
  return frame(language, title, main, null)
}

function timeLeft({ expiresAtMs, nowMs, isTimeMoving }: Charge, label: string): Html | null {
  if (expiresAtMs === null) return null
  const secondsLeft = Math.max(0, Math.ceil((expiresAtMs - nowMs) / 1000))
  const pad = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(secondsLeft / 3600)
  const text = `${hours > 0 ? `${hours}:` : ''}${pad(Math.floor(secondsLeft / 60) % 60)}:${pad(secondsLeft % 60)}`
  return html`<p class="left">${label} <time role="timer" data-left="${secondsLeft}" data-moving="${isTimeMoving ? 'yes' : 'no'}">${text}</time></p>`
}

/** Toolbar for testers, in English: the actions of the control API that are allowed now, in place of a real payer. */
function testerToolbar({ id, allowedActions, underpayment, currency, isTimeMoving }: Charge): Html {
  const button = (action: string, text: string, amount: string | null = null) =>
    allowedActions.some((one) => one === action)
      ? html`<button type="button" data-action="${action}"${amount === null ? null : html` data-amount="${amount}"`}>${text}</button>`
      : null
  return html`<aside lang="en" aria-label="For testers" data-id="${id}" hidden>
<p><strong>Sandbox</strong> no real money moves${isTimeMoving ? null : html`; the clock is frozen`}</p>
<div class="buttons">${button('cashin.pay', 'Pay')}${underpayment === null ? null : button('cashin.pay', `Pay ${priceOf(underpayment, currency, en)} only`, underpayment)}${button('cashin.expire', 'Expire')}${button('cashin.refund', 'Refund')}</div>
<a href="../#/transactions/${id}">Dashboard</a>
<form class="token" hidden><label>Admin token <input name="token" type="password" autocomplete="off" required></label><button>Use</button></form>
<p class="message" role="status"></p>
</aside>`
}
