/** The payer's page: what a customer sees of a charge, with a toolbar for testers below. Works without its script. */
import type { Currency } from '../../protocol/platform/currencies.js'
import { type Html, html } from '../html.js'
import type { Charge } from './charge.js'
import { qrCode } from './qr.js'

const frame = (title: string, main: Html, bar: Html | null) =>
  html`<!doctype html>
<html lang="en">
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

/** The script compares `etag` to detect changes. */
export function payPage(charge: Charge, etag: string): string {
  const price = priceOf(charge.amount, charge.currency)
  const outcomeText = outcomeTexts[charge.status] ?? outcomeTexts.pending
  const main = html`<main data-etag="${etag}">
<section class="card ${charge.status}" aria-labelledby="amount">
<header><p class="to">${outcomeText.lead} <strong>${charge.merchant}</strong></p>
<h1 id="amount">${price}</h1>
${charge.externalId === null ? null : html`<p class="reference">${charge.externalId}</p>`}
${charge.status === 'pending' ? timeLeft(charge) : null}</header>
<div class="body">${charge.status === 'pending' ? howToPay(charge, price) : outcome(charge, outcomeText)}</div>
</section>
</main>`
  return frame(`${outcomeText.title}: ${price}`, main, testerToolbar(charge))
}

export function noSuchCharge(id: string): string {
  const main = html`<main><section class="card expired"><header><p class="to">Nothing to pay here</p><h1>Unknown charge</h1></header>
<div class="body"><p class="note">There is no charge <code>${id}</code> in this sandbox. A reset deletes earlier charges.</p></div></section></main>`
  return frame('Unknown charge', main, null)
}

interface OutcomeTexts {
  title: string
  lead: string
  note: string
}

const outcomeTexts: Record<string, OutcomeTexts> & { pending: OutcomeTexts } = {
  pending: { title: 'Pay', lead: 'Pay to', note: '' },
  confirmed: { title: 'Paid', lead: 'Paid to', note: 'The payment has arrived. You can close this page.' },
  expired: { title: 'Expired', lead: 'Requested by', note: 'This charge can no longer be paid. Ask for a new one.' },
  refunded: { title: 'Refunded', lead: 'Refunded by', note: 'The money is on its way back to you.' },
}

/** ISO 4217 currencies, which `Intl` formats with a symbol. */
const currenciesWithSymbol = new Set(Intl.supportedValuesOf('currency'))

/** Formats amounts for people: `R$25.50`, `0.01 BTC`. */
function priceOf(amount: string, currency: Currency): string {
  if (!currenciesWithSymbol.has(currency)) return `${withoutZeros(amount)} ${currency}`
  // A number is exact here: amounts of these currencies have at most 15 digits.
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount))
}

/** Removes zeros at the end, except for the first two decimals. */
function withoutZeros(amount: string): string {
  const minLength = amount.indexOf('.') + 3
  let end = amount.length
  while (end > minLength && amount[end - 1] === '0') end--
  return amount.slice(0, end)
}

function timeLeft({ expiresAtMs, nowMs, isTimeMoving }: Charge): Html | null {
  if (expiresAtMs === null) return null
  const left = Math.max(0, Math.ceil((expiresAtMs - nowMs) / 1000))
  const pad = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(left / 3600)
  const text = `${hours > 0 ? `${hours}:` : ''}${pad(Math.floor(left / 60) % 60)}:${pad(left % 60)}`
  return html`<p class="left">Time left <time role="timer" data-left="${left}" data-moving="${isTimeMoving ? 'yes' : 'no'}">${text}</time></p>`
}

function howToPay({ info }: Charge, price: string): Html | null {
  if (info === null) return null
  if ('qrcode' in info)
    return html`${qrCode(info.qrcode, 'PIX QR code')}
<p class="note">Open your bank&rsquo;s app, choose PIX, and scan the code. Or paste this text:</p>
${copyable('PIX copy and paste', info.qrcode)}`
  if ('address' in info)
    return html`${qrCode(info.address, 'Deposit address as a QR code')}
<p class="note">Send exactly <strong>${price}</strong> over <strong>${info.network}</strong>, and over no other network.</p>
${copyable('Address', info.address)}
${facts([
  ['Network', info.network],
  ['Confirmations needed', String(info.min_confirmations)],
])}`
  return html`<p class="note">Make a SPEI transfer from your bank&rsquo;s app to this account:</p>
${copyable('CLABE', info.clabe)}
${facts([
  ['Bank', info.bank_name ?? ''],
  ['Beneficiary', info.beneficiary_name],
  ['Reference', info.reference],
])}`
}

const copyable = (label: string, text: string) =>
  html`<div class="copy"><p class="label" id="label">${label}</p><code aria-labelledby="label" tabindex="0">${text}</code><button type="button" data-copy="${text}" hidden>Copy</button></div>`

const facts = (rows: readonly (readonly [string, string])[]) =>
  html`<dl>${rows.filter(([, value]) => value !== '').map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

const iconPaths: Record<string, string> = {
  confirmed: 'M14 25l7 7 14-15',
  expired: 'M24 13v12l8 5',
  refunded: 'M33 18H19a7 7 0 1 0 0 14h12M24 12l-7 6 7 6',
}

function outcome(charge: Charge, { title, note }: OutcomeTexts): Html {
  const refundedAmount = charge.refunded
  const isPartialRefund = refundedAmount !== null && refundedAmount !== charge.amount
  const at = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return html`<svg class="mark" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="21"/><path d="${iconPaths[charge.status] ?? ''}"/></svg>
<p class="state" role="status">${title}</p>
<p class="note">${isPartialRefund ? 'A part of the money is on its way back to you.' : note}</p>
${facts([
  ...(refundedAmount === null ? [] : [['Returned', priceOf(refundedAmount, charge.currency)] as const]),
  ...(charge.payerName === null ? [] : [['Payer', charge.payerName] as const]),
  ['When', `${at.format(charge.updatedAtMs)} UTC`],
  ['Transaction', charge.id],
])}`
}

/** Toolbar for testers: the actions of the control API that are allowed now, in place of a real payer. */
function testerToolbar({ id, allowed, underpayment, currency, isTimeMoving }: Charge): Html {
  const button = (action: string, text: string, amount: string | null = null) =>
    allowed.some((one) => one === action)
      ? html`<button type="button" data-action="${action}"${amount === null ? null : html` data-amount="${amount}"`}>${text}</button>`
      : null
  return html`<aside aria-label="For testers" data-id="${id}" hidden>
<p><strong>Sandbox</strong> no real money moves${isTimeMoving ? null : html`; the clock stands still`}</p>
<div class="buttons">${button('cashin.pay', 'Pay')}${underpayment === null ? null : button('cashin.pay', `Pay ${priceOf(underpayment, currency)} only`, underpayment)}${button('cashin.expire', 'Expire')}${button('cashin.refund', 'Refund')}<a href="../#/transactions/${id}">Dashboard</a></div>
<form class="token" hidden><label>Admin token <input name="token" type="password" autocomplete="off" required></label><button>Use</button></form>
<p class="message" role="status"></p>
</aside>`
}
