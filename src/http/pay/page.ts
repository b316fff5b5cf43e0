/** The payer's page: what a customer sees of a charge, with a toolbar for testers below. Works without its script. */

import { parseAccept } from 'hono/utils/accept'
import { encode } from 'uqr'
import { sha256Hex } from '../../base/crypto.js'
import { isKeyOf } from '../../base/keys.js'
import { capitalized } from '../../base/text.js'
import type { payRoutes } from '../../protocol/control/stream-and-pages.js'
import { type CurrencyRow, currencyOf } from '../../protocol/platform/currencies.js'
import { serveAsset } from '../control/pages.js'
import type { ControlCall, Handlers } from '../control/routes.js'
import { type Html, html, pageSecurity } from '../html.js'
import { type Charge, type Outcome, priceOf, readCharge, withoutZeros } from './charge.js'
import { en, type PayTexts } from './texts/en.js'
import { es } from './texts/es.js'
import { pt } from './texts/pt.js'

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
function payPage(charge: Charge, locale: PayLocale, etag: string): string {
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
  return frame(language, `${title}: ${price}`, main, testerToolbar(charge, texts))
}

function noSuchCharge(id: string, { language, texts }: PayLocale): string {
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

/** Toolbar for testers: the actions of the control API that are allowed now, in place of a real payer. */
function testerToolbar({ id, allowedActions, underpayment, currency, isTimeMoving }: Charge, texts: PayTexts): Html {
  const { tester } = texts
  const button = (action: string, text: string, amount: string | null = null) =>
    allowedActions.some((one) => one === action)
      ? html`<button type="button" data-action="${action}"${amount === null ? null : html` data-amount="${amount}"`}>${text}</button>`
      : null
  return html`<aside aria-label="${tester.title}" data-id="${id}" data-no-answer="${tester.noAnswer}" hidden>
<p><strong>Sandbox</strong> ${tester.note}${isTimeMoving ? null : html`; ${tester.frozen}`}</p>
<div class="buttons">${button('cashin.pay', tester.pay)}${underpayment === null ? null : button('cashin.pay', tester.underpay(priceOf(underpayment, currency, texts)), underpayment)}${button('cashin.expire', tester.expire)}${button('cashin.refund', tester.refund)}</div>
<a href="../#/transactions/${id}">${tester.dashboard}</a>
<form class="token" hidden><label>${tester.token} <input name="token" type="password" autocomplete="off" required></label><button>${tester.use}</button></form>
<p class="message" role="status"></p>
</aside>`
}

const pageResponse = (body: string | null, etag: string, status = 200) =>
  new Response(body, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      ETag: etag,
      Vary: 'Accept-Language',
      ...pageSecurity,
    },
  })

const tagOf = (text: string) => `"${sha256Hex(text).slice(0, 32)}"`

/** Covers everything that can change on the page except for a clock that runs by itself. */
function etagOf({ nowMs, ...charge }: Charge, language: string): string {
  return tagOf(JSON.stringify({ language, ...charge, ...(charge.isTimeMoving ? {} : { nowMs }) }))
}

async function readPayPage(call: ControlCall<(typeof payRoutes)['readPayPage']>): Promise<Response> {
  const { ws, params, query, request } = call
  const charge = await readCharge(ws, params.id)
  const locale = localeOf(requestedLanguage(query.lang, request.headers.get('accept-language')), charge)
  if (charge === undefined)
    return pageResponse(noSuchCharge(params.id, locale), tagOf(locale.language + params.id), 404)
  const etag = etagOf(charge, locale.language)
  if (request.headers.get('if-none-match') === etag) return pageResponse(null, etag, 304)
  return pageResponse(payPage(charge, locale, etag), etag)
}

export const payHandlers: Handlers<typeof payRoutes> = {
  readPayStyle: (call) => serveAsset(call, 'pay.css'),
  readPayScript: (call) => serveAsset(call, 'pay.js'),
  readPayPage,
}

// * What a payer sees once a charge is paid, expired or refunded: the outcome, and a receipt if it was paid; and the parts that the page of an open charge has too.

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
function networkName({ chain, network }: { chain: string; network: string }): string {
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
const copyable = (label: string, text: string, texts: PayTexts): Html =>
  html`<div class="copy"><p class="label" id="label">${label}</p><code${text.length > oneLine ? null : html` class="number"`} aria-labelledby="label" tabindex="0"><span>${text}</span></code>${copyButton(text, 'label', texts)}</div>`

const languages = { pt, es, en }
type Language = keyof typeof languages

interface RailLocale {
  language: Language
  timeZone: string
}

const railLocales: Record<CurrencyRow['rail'], RailLocale> = {
  pix: { language: 'pt', timeZone: 'America/Sao_Paulo' },
  spei: { language: 'es', timeZone: 'America/Mexico_City' },
  chain: { language: 'en', timeZone: 'UTC' },
}

/** Reads the language of a tag such as `pt-BR`. */
function languageOfTag(tag: string): Language | undefined {
  const name = tag.split('-', 1)[0]?.toLowerCase() ?? ''
  return isKeyOf(languages, name) ? name : undefined
}

/** The most preferred language of the header that the page has. */
function acceptedLanguage(header: string): Language | undefined {
  const tags = parseAccept(header).filter(({ q }) => q > 0)
  return tags.map(({ type }) => languageOfTag(type)).find((language) => language !== undefined)
}

/** What the caller asks for; undefined: the rail decides. */
function requestedLanguage(lang: string | undefined, acceptLanguage: string | null): Language | undefined {
  return languageOfTag(lang ?? '') ?? acceptedLanguage(acceptLanguage ?? '')
}

interface PayLocale {
  language: Language
  texts: PayTexts
  /** Formats a moment in the local time of the rail, with the name of its place. */
  formatTime(atMs: number): string
}

/** Short enough for one line. */
const dateAndTime = { day: '2-digit', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** Without a charge, English is the language if the caller asks for none. */
function localeOf(preference: Language | undefined, charge?: Charge): PayLocale {
  const rail = charge === undefined ? 'chain' : currencyOf(charge.currency).rail
  const language = preference ?? railLocales[rail].language
  const texts = languages[language]
  const { timeZone } = railLocales[rail]
  const { locale, month } = texts
  const format = new Intl.DateTimeFormat(locale, { ...dateAndTime, month, timeZone })
  return { language, texts, formatTime: (atMs) => `${format.format(atMs)} (${texts.zones[rail]})` }
}
