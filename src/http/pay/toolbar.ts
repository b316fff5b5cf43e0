/** Toolbar for testers, in English: the actions of the control API that are allowed now, in place of a real payer. */
import { type Html, html } from '../html.js'
import type { Charge } from './charge.js'
import { priceOf } from './price.js'
import { en } from './texts/en.js'

export function testerToolbar({ id, allowedActions, underpayment, currency, isTimeMoving }: Charge): Html {
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
