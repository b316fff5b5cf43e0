/** How a suite with Vitest uses the sandbox: no sleeps, no shared state, tests side by side. */
import { describe, expect } from 'vitest'
import { test } from './sandbox.js'

describe.concurrent('payments', () => {
  test('an order is paid', async ({ sandbox }) => {
    const receiver = await sandbox.receiver()
    const api = sandbox.client('merchant')
    const charge = await api.cashin({ amount: 25, currency: 'BRL', external_id: 'order-1' })
    await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
    const webhook = await receiver.waitFor('cashin.confirmed', { external_id: 'order-1' })
    expect(webhook.signature_valid).toBe(true)
    expect(webhook.data.amount_net).toBe('24.75')
  })

  test('a withdrawal fails and the money comes back', async ({ sandbox }) => {
    const before = await sandbox.balances('merchant')
    const api = sandbox.client('merchant')
    await api.cashout({ amount: 100, currency: 'BRL', key: '52998224725', external_id: 'order-1' })
    await sandbox.trigger('cashout.fail', { error_code: 'PROVIDER_TIMEOUT' })
    const webhook = await sandbox.webhooks.waitFor('cashout.failed')
    expect(webhook.data.error_code).toBe('PROVIDER_TIMEOUT')
    expect(await sandbox.balances('merchant')).toEqual(before)
  })

  test('a charge that nobody pays expires, an hour later', async ({ sandbox }) => {
    await sandbox.client('merchant').cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
    await sandbox.clock.advance('1h')
    expect(await sandbox.webhooks.names()).toEqual(['cashin.expired'])
  })
})
