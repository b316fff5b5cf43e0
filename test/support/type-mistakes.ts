/** Compiled but never run: each line below a mark must be a type error, otherwise the compiler reports the mark. */
import type { EventData, Sandbox } from '../../src/testing/index.js'

export async function mistakes({ trigger, webhooks, client, clock, control, ...sandbox }: Sandbox): Promise<unknown> {
  await trigger('cashout.fail', { error_code: 'TRON_ENERGY_FAIL', error_message: 'no energy' })
  await trigger('cashin.pay')
  await trigger('wallet.deposit', { amount: '1.00', id: 7 })
  // @ts-expect-error an unknown action
  await trigger('cashin.payed')
  // @ts-expect-error a parameter of another action
  await trigger('cashin.expire', { amount: 1 })
  // @ts-expect-error a failure that is not documented
  await trigger('cashout.fail', { error_code: 'OUT_OF_MONEY' })
  // @ts-expect-error a missing required parameter
  await trigger('wallet.deposit')
  // @ts-expect-error an amount of a wrong type
  await trigger('wallet.deposit', { amount: true })
  // @ts-expect-error a currency that is not supported
  await client().cashin({ amount: 1, currency: 'EUR' })
  // @ts-expect-error a missing required field
  await client().cashout({ amount: 1, currency: 'BRL', key: 'x' })
  // @ts-expect-error an amount of the platform API is a number
  await client().cashin({ amount: '1.00', currency: 'BRL' })
  // @ts-expect-error an unknown event
  await webhooks.waitFor('cashin.payed')
  // @ts-expect-error an option that the clock does not know
  await clock.advance({ until: 'tomorrow' })
  // The result of one action is the object of the next one, without a cast.
  const { object: deposit } = await trigger('wallet.deposit', { amount: 10 })
  const { object: dispute } = await trigger('dispute.open', { id: deposit.transaction_id })
  const { object: lost } = await trigger('dispute.lose', { id: dispute.infraction_id })
  const state: 'open' | 'responded' | 'confirmed' | 'won' | 'lost' | 'canceled' = lost.status
  const first: string = sandbox.accounts.merchant.credentials[0].client_id
  const [one] = await sandbox.transactions.list({ type: 'cashout' })
  // @ts-expect-error a field that only cash-outs have
  const failure = one?.error_code
  const narrowed = one?.type === 'cashout' ? one.error_code : null
  // @ts-expect-error an unknown status
  await sandbox.transactions.list({ status: 'bogus' })
  // @ts-expect-error a field that disputes do not have
  await trigger('dispute.win', { id: dispute.conversion_id })
  const { username } = await control.call('GET /accounts/{username}', { params: { username: first } })
  // @ts-expect-error a missing required path parameter
  await control.call('GET /accounts/{username}')
  // @ts-expect-error an unknown route
  await control.call('GET /nowhere')
  // @ts-expect-error a field that the body does not have
  await control.call('POST /clock/advance', { body: { bye: '1d' } })
  const hook = await webhooks.waitFor('cashout.failed')
  const code: EventData['cashout.failed']['error_code'] = hook.data.error_code
  // @ts-expect-error a field of another event
  return [code, state, failure, narrowed, username, hook.data.amount_net]
}
