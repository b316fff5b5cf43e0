/** `create` for every action of the table: the objects that it creates, and the errors without a suitable object. */
import { describe, expect, test } from 'vitest'
import { type ActionName, actionNames, actionTable } from '../../src/protocol/actions/actions.js'
import { stepsBefore } from '../../src/protocol/actions/creation-steps.js'
import { currencyNames } from '../../src/protocol/platform/currencies.js'
import type { Body } from '../support/http.js'
import { openWithReceivers } from '../support/sandbox.js'

test('the steps before each action follow from the state table', () => {
  const way = (name: ActionName) => [stepsBefore(name).create, ...stepsBefore(name).actions]
  expect(Object.fromEntries(actionNames.map((name) => [name, way(name)]))).toEqual({
    'cashin.pay': ['cashin'],
    'cashin.expire': ['cashin'],
    'cashin.refund': ['cashin', 'cashin.pay'],
    'cashout.confirm': ['cashout'],
    'cashout.fail': ['cashout'],
    'cashout.refund': ['cashout', 'cashout.confirm'],
    'conversion.refund': ['conversion'],
    'wallet.deposit': ['wallet'],
    'dispute.open': ['cashin', 'cashin.pay'],
    'dispute.respond': ['cashin', 'cashin.pay', 'dispute.open'],
    'dispute.confirm': ['cashin', 'cashin.pay', 'dispute.open'],
    'dispute.win': ['cashin', 'cashin.pay', 'dispute.open'],
    'dispute.lose': ['cashin', 'cashin.pay', 'dispute.open'],
    'dispute.cancel': ['cashin', 'cashin.pay', 'dispute.open'],
  })
})

describe('with create, on an empty sandbox,', () => {
  test.each(actionNames)('%s creates its object and succeeds, with its events and a balanced ledger', async (name) => {
    const sandbox = await openWithReceivers()
    const { status, body } = await sandbox.trigger(name, undefined, { create: true })
    expect([status, body.error]).toEqual([200, undefined])
    const { create, actions } = stepsBefore(name)
    expect(body.created.map((one: Body) => one.action)).toEqual([`${create}.create`, ...actions])
    const reported = (await sandbox.control('GET', '/webhooks')).body.data.map((row: Body) => row.event)
    for (const { event } of body.events) expect(reported).toContain(event)
    expect((await sandbox.control('GET', '/ledger')).body.balanced).toBe(true)
    // The same call creates another object.
    const again = (await sandbox.trigger(name, undefined, { create: true })).body
    expect(again.created[0].id).not.toBe(body.created[0].id)
  })

  test.each(currencyNames)('a withdrawal of %s can succeed, and a charge can be paid', async (currency) => {
    const sandbox = await openWithReceivers()
    const payout = await sandbox.trigger('cashout.confirm', undefined, { create: true, fields: { currency } })
    expect([payout.status, payout.body.object?.currency]).toEqual([200, currency])
    const charge = await sandbox.trigger('cashin.pay', undefined, { create: true, fields: { currency } })
    expect([charge.status, charge.body.object?.status]).toEqual([200, 'confirmed'])
    const wallet = await sandbox.trigger('wallet.deposit', undefined, {
      create: true,
      fields: { currency },
    })
    expect([wallet.status, wallet.body.object?.currency]).toEqual([200, currency])
    expect(wallet.body.object.amount).toBe(charge.body.object.amount)
    const refund = { create: true, fields: { base_currency: currency } }
    expect((await sandbox.trigger('conversion.refund', undefined, refund)).body.object.currency_from).toBe(currency)
  })

  test('a created withdrawal settles by itself unless something stops it, to a valid destination', async () => {
    const sandbox = await openWithReceivers()
    const charged = await sandbox.trigger('cashout.refund', undefined, { create: true })
    const { body } = await sandbox.control('GET', `/transactions/${charged.body.created[0].id}`)
    expect(body.history.map((row: Body) => row.action)).toEqual(['create', 'confirm', 'refund'])
  })
})

describe('the fields', () => {
  test('describe the object, and parameters the action', async () => {
    const sandbox = await openWithReceivers()
    const fields = { amount: 80.5, external_id: 'order-7', payer: { name: 'Maria Souza' } }
    const { body } = await sandbox.trigger('cashin.refund', undefined, { create: true, fields, amount: 30 })
    expect(body.object).toMatchObject({ external_id: 'order-7', status: 'refunded', amount: '80.50' })
    const { data } = (await sandbox.control('GET', '/webhooks?event=cashin.refunded')).body
    const hook = (await sandbox.control('GET', `/webhooks/${data[0].id}`)).body
    expect(JSON.parse(hook.body).data.amount_refunded).toBe('30.00')
  })

  test.each<[string, Body, number, string]>([
    ['that nobody knows', { create: true, fields: { amuont: 5 } }, 422, 'INVALID_VALUE'],
    ['that the API refuses', { create: true, fields: { amount: 0.1 } }, 409, 'BELOW_MIN_LIMIT'],
    ['of another kind of object', { create: true, fields: { username: 'customer' } }, 422, 'INVALID_VALUE'],
    ['of no currency', { create: true, fields: { currency: 'BRX' } }, 422, 'INVALID_CURRENCY'],
    ['that are a list', { create: true, fields: [] }, 422, 'INVALID_VALUE'],
    ['without create', { fields: { amount: 5 } }, 422, 'INVALID_VALUE'],
    ['with a create that is no yes or no', { create: 'yes' }, 422, 'INVALID_VALUE'],
    ['with create and an id', { create: true, id: 'x' }, 422, 'INVALID_VALUE'],
  ])('%s are rejected, and nothing is left', async (_how, given, status, code) => {
    const sandbox = await openWithReceivers()
    const { id, ...more } = given
    const answer = await sandbox.trigger('cashin.refund', id, more)
    expect([answer.status, answer.code]).toEqual([status, code])
    expect((await sandbox.control('GET', '/transactions')).body.data).toEqual([])
  })

  test('an action that the new object rejects leaves nothing', async () => {
    const sandbox = await openWithReceivers()
    const given = { create: true, fields: { currency: 'MXN' } }
    expect((await sandbox.trigger('dispute.open', undefined, given)).code).toBe('INVALID_TRANSITION')
    expect((await sandbox.control('GET', '/transactions')).body.data).toEqual([])
    expect((await sandbox.control('GET', '/webhooks')).body.data).toEqual([])
  })
})

describe('without create and without a suitable object,', () => {
  test.each(actionNames)('%s prints the command that would work', async (name) => {
    const sandbox = await openWithReceivers()
    const required = name === 'wallet.deposit' ? { amount: 12.5 } : {}
    const { code, body } = await sandbox.trigger(name, undefined, required)
    const command = `payments-sandbox trigger ${name} --create${name === 'wallet.deposit' ? ' --amount 12.5' : ''}`
    expect([code, body.error.details.command]).toEqual(['NOT_FOUND', command])
    expect(body.error.message).toContain(command)
    expect(body.error.details).toMatchObject({ object: actionTable[name].subject, newest: null })
  })

  test('an object in another state is named with it', async () => {
    const sandbox = await openWithReceivers()
    const { body: failed } = await sandbox.trigger('cashout.fail', undefined, { create: true })
    const { status, body } = await sandbox.trigger('cashout.fail', undefined, { error_code: 'BLACKLISTED' })
    const id = failed.object.transaction_id
    expect([status, body.error.details.newest]).toEqual([404, { id, status: 'failed' }])
    expect(body.error.message).toBe(
      `No cashout allows cashout.fail: the newest, ${id}, is failed. To create one: payments-sandbox trigger cashout.fail --create --error-code BLACKLISTED`,
    )
  })

  test('an empty, null or non-text id is rejected, not treated as missing', async () => {
    const sandbox = await openWithReceivers()
    await (await sandbox.api()).cashin({ amount: 10, currency: 'BRL' })
    for (const id of ['', null, {}, [], true]) {
      const { status, code } = await sandbox.control('POST', '/trigger', { action: 'cashin.pay', id })
      expect([id, status, code]).toEqual([id, 422, 'INVALID_VALUE'])
    }
    expect((await sandbox.control('GET', '/transactions')).body.data[0].status).toBe('pending')
  })
})
