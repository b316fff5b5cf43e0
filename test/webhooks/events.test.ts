/** The sixteen events: when each is sent, with which headers and envelope (§6.1, §6.2, §6.4 to §6.6, decisions 28 to 33). */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { eventNames } from '../../src/protocol/platform/events.js'
import type { Api } from '../support/client.js'
import type { Body } from '../support/http.js'
import { eventSpec, offsetMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

/** Creates one of everything. The receivers compare each event with §6.5, field by field. */
async function story(sandbox: TestSandbox, api: Api): Promise<void> {
  const charge = async () => (await api.cashin({ amount: 100, currency: 'BRL' })).data.transaction_id as string
  const withdraw = async (id: string) => {
    const body = { external_id: id, amount: 10, currency: 'BRL', key: 'maria@example.com' }
    return (await api.cashout(body)).data.transaction_id as string
  }
  const did = async (action: string, id: string) => {
    const answer = await sandbox.trigger(action, id)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.object
  }
  await did('cashin.expire', await charge())
  for (const decision of ['dispute.confirm', 'dispute.win', 'dispute.lose', 'dispute.cancel']) {
    const id = await charge()
    await did('cashin.pay', id)
    const { infraction_id } = await did('dispute.open', id)
    await did('dispute.respond', infraction_id)
    await did(decision, infraction_id)
  }
  await did('cashout.fail', await withdraw('w1'))
  const settled = await withdraw('w2')
  await did('cashout.confirm', settled)
  await did('cashout.refund', settled)
  await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 1, currency: 'BRL' })
  const pair = { base_currency: 'BRL', destination_currency: 'USDT', amount: 10 }
  const { conversion_id } = (await api.signed('/v2/conversions/new', pair)).data
  await did('conversion.refund', conversion_id)
  const { wallet_id } = (await api.post('/v2/transactions/wallet', { currency: 'BRL' })).data
  await sandbox.trigger('wallet.deposit', wallet_id, { amount: 5 })
  await sandbox.settle()
}

test('there are sixteen events, and a history with every transition sends all of them', async () => {
  const sandbox = await openWithReceivers()
  await story(sandbox, await sandbox.api())
  expect([...new Set(sandbox.hooks.names())].sort()).toEqual(Object.keys(eventSpec).sort())
  expect(Object.keys(eventSpec).sort()).toEqual([...eventNames].sort())
  expect(eventNames).toHaveLength(16)
  expect(sandbox.customerHooks.names()).toEqual(['transfer.confirmed'])
})

test('each event arrives once, in order, with its own id', async () => {
  const sandbox = await openWithReceivers()
  await story(sandbox, await sandbox.api())
  const { data } = (await sandbox.control('GET', '/webhooks?limit=500')).body
  const merchants = data.filter((row: Body) => row.url === sandbox.hooks.url).reverse()
  expect(sandbox.hooks.hooks.map((hook) => hook.id).sort()).toEqual(merchants.map((row: Body) => row.id).sort())
  expect(new Set(data.map((row: Body) => row.id)).size).toBe(data.length)
  expect(data.every((row: Body) => row.status === 'delivered' && row.attempts === 1)).toBe(true)
})

test('events have the documented headers, signed over the exact bytes with the secret of the credential', async () => {
  const sandbox = await openWithReceivers()
  await story(sandbox, await sandbox.api())
  for (const { headers, raw, event, id, body } of sandbox.hooks.hooks) {
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/2.0',
      'x-webhook-event': event,
      'x-webhook-id': id,
      'x-webhook-signature': createHmac('sha256', secretsOf('merchant').webhookSecret).update(raw).digest('hex'),
      'x-sandbox': '1',
    })
    expect(Math.abs(Number(headers['x-webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    expect(Object.keys(body)).toEqual(['event', 'timestamp', 'transaction_id', 'data'])
    expect(body.timestamp).toMatch(offsetMoment)
    const { body: kept } = (await sandbox.control('GET', `/webhooks/${id}`)).body
    expect(kept).toBe(raw)
  }
})

test('events have business time in their body and real time in their headers', async () => {
  const sandbox = await openWithReceivers()
  await sandbox.advance('30d')
  const { now } = (await sandbox.control('GET', '/clock')).body
  const { data } = await (await sandbox.api()).cashin({ amount: 10, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', data.transaction_id)
  await sandbox.settle()
  const [hook] = sandbox.hooks.hooks
  expect([Date.parse(hook?.body.timestamp), hook?.data.confirmed_at]).toEqual([Date.parse(now), now])
  expect(Math.abs(Number(hook?.headers['x-webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
})

test('a charge with a postback_url receives its events there, including those of its dispute and refund', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const postback_url = `${sandbox.hooks.url}/own`
  const { data } = await api.cashin({ amount: 100, currency: 'BRL', postback_url })
  await sandbox.trigger('cashin.pay', data.transaction_id)
  await sandbox.trigger('dispute.open', data.transaction_id)
  await sandbox.trigger('dispute.lose')
  await sandbox.settle()
  const { data: rows } = (await sandbox.control('GET', `/webhooks?limit=500`)).body
  expect(rows.map((row: Body) => [row.event, row.url])).toEqual([
    ['cashin.refunded', postback_url],
    ['chargeback.lost', postback_url],
    ['chargeback.opened', postback_url],
    ['cashin.confirmed', postback_url],
  ])
})

test('an event of a recipient goes to its first active credential', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await sandbox.control('PATCH', '/credentials/client_sandbox_customer', { active: false })
  const own = { postback_url: sandbox.hooks.url, webhook_secret: secretsOf('merchant').webhookSecret }
  await sandbox.control('POST', '/accounts/customer/credentials', own)
  await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 1, currency: 'BRL' })
  await sandbox.settle()
  expect(sandbox.customerHooks.names()).toEqual([])
  expect(
    sandbox.hooks
      .dataOf('transfer.confirmed')
      .map((data) => data.direction)
      .sort(),
  ).toEqual(['received', 'sent'])
})

test('chaos repeats an event, but not one that has no address', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await sandbox.control('PUT', '/chaos', { duplicate: '100%' })
  await sandbox.trigger('cashin.pay', await api.charge())
  await sandbox.control('PATCH', '/credentials/client_sandbox_merchant', { postback_url: null })
  await sandbox.trigger('cashin.pay', await api.charge())
  await sandbox.settle()
  const { data: rows } = (await sandbox.control('GET', '/webhooks')).body
  expect(rows.map((row: Body) => [row.status, row.attempts, row.chaos])).toEqual([
    ['failed', 1, undefined],
    ['delivered', 2, ['duplicate']],
  ])
})

test('a rejected call sends no event', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await api.cashout({ external_id: 'w', amount: 99_999, currency: 'BRL', key: 'maria@example.com' })
  await api.signed('/v2/internal_transfers/payment', { username: 'nobody', amount: 1, currency: 'BRL' })
  await api.post('/v2/transactions/wallet', { currency: 'USDT' })
  const { data } = await api.cashin({ amount: 10, currency: 'BRL' })
  for (const action of ['cashin.refund', 'dispute.open', 'cashout.fail'])
    await sandbox.trigger(action, data.transaction_id)
  await sandbox.settle()
  expect((await sandbox.control('GET', '/webhooks')).body.data).toEqual([])
})
