/** The payer's page: what a customer sees of a charge, with a toolbar for testers below. Works without its script. */
import { type Html, html } from '../html.js'
import type { Charge } from './charge.js'
import { instructions } from './instructions.js'
import type { PayLocale } from './language.js'
import { priceOf } from './price.js'
import { outcome } from './receipt.js'
import { testerToolbar } from './toolbar.js'

const frame = (language: string, title: string, main: Html, bar: Html | null) =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="page.css">
<script src="page.js" defer></script>
</head>
<body>
${main}
${bar}
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
