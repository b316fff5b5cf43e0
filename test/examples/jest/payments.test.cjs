/**
 * How a suite with Jest uses the sandbox (`testEnvironment: 'node'`, which is the default).
 * Only names that Jest provides everywhere are used: `beforeAll`, `beforeEach`, `afterAll`, `test`.
 */
const assert = require('node:assert/strict')
const { startSandbox } = require('payments-sandbox')

let sandbox
let receiver

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual' })
  receiver = await sandbox.receiver()
})
beforeEach(() => sandbox.reset())
afterAll(() => sandbox.close())

test('an order is paid', async () => {
  const charge = await sandbox.client('merchant').cashin({ amount: 25, currency: 'BRL', external_id: 'order-1' })
  await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
  const webhook = await receiver.waitFor('cashin.confirmed', { external_id: 'order-1' })
  assert.equal(webhook.signature_valid, true)
  assert.equal(webhook.data.amount_net, '24.75')
})

test('a dispute is lost on the seventh day', async () => {
  const run = await sandbox.scenarios.run('med-dispute-lost', { fast_forward: true })
  assert.equal(run.status, 'passed')
  assert.ok((await sandbox.webhooks.names()).includes('chargeback.lost'))
})

test('the state of an earlier test is gone', async () => {
  const snapshot = await sandbox.snapshot()
  await sandbox.client('merchant').cashin({ amount: 1, currency: 'BRL' })
  await sandbox.restore(snapshot)
  assert.deepEqual(await sandbox.transactions.list(), [])
})
