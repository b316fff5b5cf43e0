/** The first calls of an integrator, against the real program and only over HTTP. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { type CheckedReceiver, startCheckedReceiver } from '../support/checked-receiver.js'
import { type Api, basicOf, clientWith, requestToken } from '../support/client.js'
import { temporaryFolder } from '../support/folder.js'
import { type Body, send } from '../support/http.js'
import { type Running, startProgram } from '../support/program.js'

beforeAll(async () => void (await built()))

let running: Running
let hooks: CheckedReceiver
beforeEach(async () => {
  hooks = await startCheckedReceiver('whsec_sandbox_merchant_0000000000000000000000000000000000000000')
})
afterEach(async () => {
  await running.stop()
  await hooks.close()
  expect(hooks.problems).toEqual([])
})

const control = (method: string, path: string, body?: unknown) => send(method, `${running.url}/_sandbox${path}`, body)
const trigger = async (action: string, id: string, params: object = {}) => {
  const answer = await control('POST', '/trigger', { action, id, ...params })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
/** Waits until the sandbox reports the event as acknowledged. */
const delivered = async (event: string, id: string): Promise<Body> => {
  const answer = await control('GET', `/webhooks/wait?event=${event}&transaction_id=${id}&timeout=2m`)
  expect(answer.status, answer.text).toBe(200)
  return hooks.hooks.findLast((hook) => hook.event === event)
}

/** Starts the program and requests a token with the printed credentials. */
async function begin(args: string[] = []): Promise<Api> {
  running = await startProgram(['--webhook-url', hooks.url, ...args])
  const [credential] = running.ready.accounts[0]?.credentials ?? []
  if (credential === undefined) throw new Error('no credential was printed')
  const token = await requestToken(running.url, basicOf(credential.client_id, credential.client_secret))
  expect(token.status).toBe(200)
  return clientWith(running.url, token.body.access_token, credential.signing_key)
}

test('a receiver that checks signatures gets cashin.confirmed after token, charge and payment', async () => {
  const api = await begin()
  const { data } = await api.cashin({ amount: 25.5, currency: 'BRL', external_id: 'order-1' })
  await trigger('cashin.pay', data.transaction_id)
  const hook = await delivered('cashin.confirmed', data.transaction_id)
  expect(hook.data).toMatchObject({
    transaction_id: data.transaction_id,
    external_id: 'order-1',
    amount: '25.50',
    status: 'confirmed',
  })
  expect((await control('GET', '/ledger')).body.balanced).toBe(true)
})

test('a USDT withdrawal that fails for lack of energy returns the money', async () => {
  const api = await begin()
  const before = await api.balance('USDT')
  const { data } = await api.cashout({
    external_id: 'w-1',
    amount: 10,
    currency: 'USDT',
    network: 'tron',
    key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  })
  expect(await api.balance('USDT')).not.toEqual(before)
  await trigger('cashout.fail', data.transaction_id, { error_code: 'TRON_ENERGY_FAIL' })
  const hook = await delivered('cashout.failed', data.transaction_id)
  expect(hook.data).toMatchObject({ error_code: 'TRON_ENERGY_FAIL', status: 'failed', amount: '10.00' })
  expect(await api.balance('USDT')).toEqual(before)
})

test('a lost dispute refunds the charge', async () => {
  const api = await begin()
  const { data } = await api.cashin({ amount: 100, currency: 'BRL' })
  await trigger('cashin.pay', data.transaction_id)
  const { object } = await trigger('dispute.open', data.transaction_id)
  await delivered('chargeback.opened', data.transaction_id)
  await trigger('dispute.lose', object.infraction_id)
  await delivered('chargeback.lost', data.transaction_id)
  const refunded = await delivered('cashin.refunded', data.transaction_id)
  expect(refunded.data).toMatchObject({ original_transaction_id: data.transaction_id, amount_refunded: '100.00' })
  expect(await api.balance('BRL')).toEqual({ available: 9999, blocked: 0, pending: 0 })
  const shown = await api.get(`/v2/account/infractions/detail?id=${object.infraction_id}`)
  expect(shown.data.status).toBe('lost')
})

test('a sandbox that is killed between an event and its delivery delivers the event after its next start, with the same id and bytes', async () => {
  const file = join(temporaryFolder(), `${randomUUID()}.db`)
  const api = await begin(['--db', file])
  hooks.refuse(true)
  const { data } = await api.cashin({ amount: 25.5, currency: 'BRL', external_id: 'order-1' })
  const { events } = await trigger('cashin.pay', data.transaction_id)
  const [event] = events
  const kept = (await control('GET', `/webhooks/${event.id}`)).body
  await running.stop('SIGKILL')
  expect(hooks.hooks).toEqual([])

  hooks.refuse(false)
  running = await startProgram(['--webhook-url', hooks.url, '--db', file])
  const hook = await delivered('cashin.confirmed', data.transaction_id)
  expect([hook.id, hook.raw]).toEqual([event.id, kept.body])
  expect(hooks.names()).toEqual(['cashin.confirmed'])
  const transaction = (await control('GET', `/transactions/${data.transaction_id}`)).body
  expect(transaction).toMatchObject({ status: 'confirmed', external_id: 'order-1' })
  expect((await control('GET', '/ledger')).body.balanced).toBe(true)
  // The token also survives the process.
  const { data: held } = await send('GET', `${running.url}/v2/account/balance`, undefined, api.bearer)
  expect(held.balances[0]).toMatchObject({ currency: 'BRL', available: 10025.24 })
})
