/** How a suite with node's own test runner uses the sandbox: `node --test`. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { startSandbox } from 'payments-sandbox'

const sandbox = await startSandbox({ clock: 'manual' })
const receiver = await sandbox.receiver()
const api = sandbox.client('merchant')

// Within a file tests run one after the other, so one sandbox serves them all; files have processes of their own.
beforeEach(() => sandbox.reset())
after(() => sandbox.close())

test('an order is paid', async () => {
  const charge = await api.cashin({ amount: 25, currency: 'BRL', external_id: 'order-1' })
  await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
  const webhook = await receiver.waitFor('cashin.confirmed', { external_id: 'order-1' })
  assert.equal(webhook.signature_valid, true)
  assert.equal(webhook.data.amount_net, '24.75')
})

test('a charge that nobody pays expires, an hour later', async () => {
  await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
  await sandbox.clock.advance('1h')
  assert.deepEqual(await sandbox.webhooks.names(), ['cashin.expired'])
})

test('each test may also have a workspace of its own', async () => {
  const own = await sandbox.workspace()
  await own.client('merchant').cashin({ amount: 10, currency: 'BRL', external_id: 'order-1' })
  assert.equal((await own.transactions.list()).length, 1)
  assert.equal((await sandbox.transactions.list()).length, 0)
  await own.close()
})
