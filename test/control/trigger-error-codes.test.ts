/** Every documented reason of a failed withdrawal with `create`, on every surface, and contradicting parameters. */
import { describe, expect, test } from 'vitest'
import {
  type CashoutFailure,
  cashoutFailureCodes,
  cashoutRoutes,
  failuresOn,
} from '../../src/protocol/platform/failures.js'
import { startSandbox } from '../../src/testing/index.js'
import { button, look, see, start } from '../support/dashboard.js'
import type { Body } from '../support/http.js'
import { openWithReceivers } from '../support/sandbox.js'
import { scenarioSandbox, troubles } from '../support/scenario-api.js'
import { cli, json, shareSandbox } from '../support/shared-sandbox.js'

/** Returns the first currency whose documented codes contain the code. */
const currencyOf: Record<CashoutFailure, string> = {
  TRON_ENERGY_FAIL: 'USDT',
  INSUFFICIENT_BALANCE: 'USDT',
  NO_HOT_WALLET: 'USDT',
  INVALID_ADDRESS: 'MXN',
  BLACKLISTED: 'BRL',
  BLOCKCHAIN_REVERT: 'USDT',
  BROADCAST_FAIL: 'USDT',
  PIX_KEY_NOT_FOUND: 'BRL',
  PROVIDER_TIMEOUT: 'BRL',
  UNKNOWN: 'BRL',
}

describe('the control API', () => {
  test.each(cashoutFailureCodes)('trigger creates a withdrawal that can fail with %s', async (code) => {
    const sandbox = await openWithReceivers()
    const { status, body } = await sandbox.trigger('cashout.fail', undefined, { create: true, error_code: code })
    expect([status, body.object?.currency, body.object?.status]).toEqual([200, currencyOf[code], 'failed'])
    await sandbox.settle()
    expect(sandbox.hooks.dataOf('cashout.failed').map((data) => data.error_code)).toEqual([code])
  })

  test('accepts exactly the codes of the rail and network of each route', async () => {
    const sandbox = await openWithReceivers()
    for (const { currency, network } of cashoutRoutes)
      for (const code of cashoutFailureCodes) {
        const fields = { currency, ...(network === null ? {} : { network }) }
        const given = { create: true, error_code: code, fields }
        const { status, body } = await sandbox.trigger('cashout.fail', undefined, given)
        const isPossible = failuresOn({ currency, network }).includes(code)
        expect([currency, network, code, status]).toEqual([currency, network, code, isPossible ? 200 : 422])
        if (isPossible) continue
        expect(body.error.message).toContain(`error_code ${code} contradicts fields.`)
        expect(body.error.message).toMatch(new RegExp(`(currency ${currency}|network ${network})`))
      }
    expect(failuresOn({ currency: 'USDT', network: 'tron' })).toContain('TRON_ENERGY_FAIL')
    expect(failuresOn({ currency: 'USDT', network: 'solana' })).not.toContain('TRON_ENERGY_FAIL')
    expect(failuresOn({ currency: 'BRL', network: null })).toEqual([
      'BLACKLISTED',
      'PIX_KEY_NOT_FOUND',
      'PROVIDER_TIMEOUT',
      'UNKNOWN',
    ])
  })

  test.each<[string, Body, Body]>([
    ['a currency chooses the network', { currency: 'USDT' }, { currency: 'USDT', network: 'TRC20' }],
    ['a network chooses the currency', { network: 'tron' }, { currency: 'USDT', network: 'TRC20' }],
    ['an amount stays', { amount: 30 }, { amount: '30.00', currency: 'USDT' }],
  ])('%s', async (_what, fields, expected) => {
    const sandbox = await openWithReceivers()
    const given = { create: true, error_code: 'TRON_ENERGY_FAIL', fields }
    expect((await sandbox.trigger('cashout.fail', undefined, given)).body.object).toMatchObject(expected)
  })

  test.each<[string, string, Body, string]>([
    ['cashin.pay', 'amount', { amount: 80 }, '80.00'],
    ['cashin.refund', 'amount', { amount: 80 }, '80.00'],
    ['cashout.refund', 'amount', { amount: 80 }, '80.00'],
    ['dispute.open', 'amount', { amount: 80 }, '80.00'],
  ])('creates an object for %s that allows %s', async (action, _name, params, amount) => {
    const sandbox = await openWithReceivers()
    const { status, body } = await sandbox.trigger(action, undefined, { create: true, ...params })
    expect([status, body.object?.amount]).toEqual([200, amount])
  })

  test.each<[string, Body, Body]>([
    ['cashin.pay', { amount: 30 }, { amount: 20 }],
    ['cashin.refund', { amount: 30 }, { amount: 20 }],
    ['dispute.open', { amount: 30 }, { amount: 20 }],
  ])('%s names both values when they contradict each other', async (action, params, fields) => {
    const sandbox = await openWithReceivers()
    const { code, body } = await sandbox.trigger(action, undefined, { create: true, fields, ...params })
    expect(code).toBe('INVALID_VALUE')
    expect(body.error.message).toContain('amount 30 contradicts fields.amount 20')
    expect((await sandbox.control('GET', '/transactions')).body.data).toEqual([])
  })
})

describe('the command line', () => {
  shareSandbox()

  test('takes every code with --create --error-code and nothing else', async () => {
    for (const code of cashoutFailureCodes) {
      const done = await json('trigger', 'cashout.fail', '--create', '--error-code', code)
      expect([code, done.object.currency]).toEqual([code, currencyOf[code]])
    }
  })

  test('exits with 1 and one line that names both contradicting values', async () => {
    const typed = ['trigger', 'cashout.fail', '--create', '--error-code', 'PIX_KEY_NOT_FOUND', '--set', 'currency=BTC']
    const { code, stderr } = await cli(...typed)
    expect(code).toBe(1)
    expect(stderr).toContain('error_code PIX_KEY_NOT_FOUND contradicts fields.currency BTC')
  })
})

describe('the library', () => {
  test('takes every code with create, and rejects an id that is undefined', async () => {
    const sandbox = await startSandbox({ clock: 'manual' })
    try {
      for (const code of cashoutFailureCodes) {
        const { object } = await sandbox.trigger('cashout.fail', { create: true, error_code: code })
        expect([code, object.currency]).toEqual([code, currencyOf[code]])
      }
      // JavaScript callers can pass undefined.
      const given = { id: undefined } as unknown as { id: string }
      await expect(sandbox.trigger('cashin.pay', given)).rejects.toMatchObject({ status: 422, code: 'INVALID_VALUE' })
      await expect(sandbox.trigger('cashin.pay', { id: '' })).rejects.toMatchObject({ status: 422 })
    } finally {
      await sandbox.close()
    }
  })
})

describe('scenarios', () => {
  test('create an object in a step with create: true, and continue with it', async () => {
    const { play } = await scenarioSandbox({ clock: 'manual' })
    const steps = cashoutFailureCodes.map(
      (code) => `  - cashout.fail: { create: true, error_code: ${code}, as: made }
  - expect: { status: failed }
  - expect: { event: cashout.failed, where: { error_code: ${code}, currency: ${currencyOf[code]} } }`,
    )
    const run = await play(`name: every-code\nsteps:\n${steps.join('\n')}`)
    expect(troubles(run)).toEqual([])
  })

  test('describe the created object by fields, for the account of the run', async () => {
    const { play, call } = await scenarioSandbox({ clock: 'manual' })
    const run = await play(`name: fields
params: { sum: 60 }
steps:
  - dispute.open: { create: true, fields: { amount: "\${sum}", external_id: order-9 }, as: dispute }
  - dispute.lose`)
    expect(troubles(run)).toEqual([])
    const [charge] = (await call('GET', '/transactions')).body.data
    expect(charge).toMatchObject({ external_id: 'order-9', amount: '60.00', status: 'refunded' })
  })

  test.each([
    ['cashin.pay: { create: true, id: x }', 'id', 'cannot be combined with create: true'],
    ['cashin.pay: { fields: { amount: 5 } }', 'fields', 'create: true'],
    ['cashin.pay: { create: true, fields: { amuont: 5 } }', 'amuont', 'amount'],
    ['cashin.pay: { id: "" }', 'id', 'empty'],
    ['cashin.pay: { id: null }', 'id', 'id'],
  ])('%s is rejected on upload', async (step, path, words) => {
    const { upload } = await scenarioSandbox()
    const { status, body } = await upload(`name: bad\nsteps:\n  - ${step}`)
    expect(status).toBe(422)
    expect(JSON.stringify(body.error.details)).toContain(path)
    expect(JSON.stringify(body.error)).toContain(words)
  })

  test('fail on contradicting values, and name both', async () => {
    const { play } = await scenarioSandbox({ clock: 'manual' })
    const run = await play(`name: contradiction
steps:
  - cashout.fail: { create: true, error_code: TRON_ENERGY_FAIL, fields: { currency: BRL } }`)
    expect(troubles(run).join()).toContain('error_code TRON_ENERGY_FAIL contradicts fields.currency BRL')
  })
})

describe('the dashboard', () => {
  test('offers only the codes that the withdrawal can fail with', async () => {
    const sandbox = await start({ clock: 'manual' })
    const payout = await sandbox
      .client()
      .cashout({ amount: 20, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-1' })
    const page = await look(sandbox, `#/transactions/${payout.transaction_id}`)
    await page.getByRole('button', { name: 'Fail with parameters' }).click()
    const offered = await page
      .getByLabel(/error_code/)
      .locator('option')
      .allTextContents()
    expect(offered.filter((text) => /^[A-Z_]+$/.test(text))).toEqual(failuresOn({ currency: 'BRL', network: null }))
  })

  test('performs a search action on an object that it creates', async () => {
    const sandbox = await start({ clock: 'manual' })
    const page = await look(sandbox)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cashout.fail on a new')
    await see(page, '.palette [aria-selected=true]', 'cashout.fail on a new object')
    await page.keyboard.press('Enter')
    await page.getByLabel(/error_code/).selectOption('TRON_ENERGY_FAIL')
    await button(page, 'Create and trigger').click()
    await see(page, '.toast', 'cashout.failed sent')
    expect((await sandbox.transactions.list())[0]).toMatchObject({ currency: 'USDT', status: 'failed' })
  })
})
