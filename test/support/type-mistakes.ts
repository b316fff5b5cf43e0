/** Compiled, never run: each line below a mark must be an error, or the compiler complains of the mark. */
import type { EventData, Sandbox } from '../../src/testing/index.js'

export async function mistakes({ trigger, webhooks, client, clock }: Sandbox): Promise<unknown> {
  await trigger('cashout.fail', { error_code: 'TRON_ENERGY_FAIL', error_message: 'no energy' })
  await trigger('cashin.pay')
  await trigger('wallet.deposit', { amount: '1.00', id: 7 })
  // @ts-expect-error an action that there is not
  await trigger('cashin.payed')
  // @ts-expect-error a parameter of another action
  await trigger('cashin.expire', { amount: 1 })
  // @ts-expect-error a failure that is not documented
  await trigger('cashout.fail', { error_code: 'OUT_OF_MONEY' })
  // @ts-expect-error a parameter that is required
  await trigger('wallet.deposit')
  // @ts-expect-error an amount that is none
  await trigger('wallet.deposit', { amount: true })
  // @ts-expect-error a currency that is not supported
  await client().cashin({ amount: 1, currency: 'EUR' })
  // @ts-expect-error a field that is required
  await client().cashout({ amount: 1, currency: 'BRL', key: 'x' })
  // @ts-expect-error an amount of the faked API is a number
  await client().cashin({ amount: '1.00', currency: 'BRL' })
  // @ts-expect-error an event that there is not
  await webhooks.waitFor('cashin.payed')
  // @ts-expect-error a wish that the clock does not know
  await clock.advance({ until: 'tomorrow' })
  const hook = await webhooks.waitFor('cashout.failed')
  const code: EventData['cashout.failed']['error_code'] = hook.data.error_code
  // @ts-expect-error a field of another event
  return [code, hook.data.amount_net]
}
