/** Which amounts count towards a daily limit, and which are returned to it: by failure, by expiry, and by refunds if the setting says so. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Api, openClient } from '../support/client.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { openSandbox, openWithReceivers, type TestSandbox } from '../support/sandbox.js'

const limits = (['cashin', 'cashout', 'conversion'] as const).flatMap((operation) =>
  ['BRL', 'USDT'].map((currency) => ({ currency, operation, daily_limit: '100.00' })),
)

async function limited(config: Parameters<typeof openWithReceivers>[0] = {}, db?: string) {
  const sandbox = await openWithReceivers({ cashoutSettle: 'manual', ...config }, db)
  const now = `${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)}T15:00:00Z`
  await sandbox.control('PUT', '/clock', { now })
  await sandbox.control('PATCH', '/accounts/merchant', { limits })
  return { sandbox, api: await sandbox.api() }
}

const usedOf = async (api: Api, operation: string, currency = 'BRL') =>
  (await api.get('/v2/account/limits')).data.limits.find(
    (row: { operation: string; currency: string }) => row.operation === operation && row.currency === currency,
  ).daily_used

let turn = 0
const withdraw = (api: Api, amount: number) =>
  api.cashout({ amount, currency: 'BRL', key: 'ana@example.com', external_id: `daily-${++turn}` })

test('a withdrawal that fails is returned to the limit of the day', async () => {
  const { sandbox, api } = await limited()
  const first = await withdraw(api, 60)
  expect((await withdraw(api, 60)).code).toBe('LIMIT_EXCEEDED')
  await sandbox.trigger('cashout.fail', first.data.transaction_id)
  expect(await usedOf(api, 'cashout')).toBe(0)
  expect((await withdraw(api, 100)).status).toBe(202)
  const over = await withdraw(api, 1)
  expect([over.code, over.body.error.details.remaining]).toEqual(['LIMIT_EXCEEDED', 0])
})

test('a charge that expires unpaid is returned to the limit, whether its rail sends an event or not', async () => {
  const { sandbox, api } = await limited()
  for (const more of [{ currency: 'BRL' }, { currency: 'USDT', chain: 'tron' }]) {
    expect((await api.cashin({ amount: 60, ...more })).status).toBe(200)
    expect((await api.cashin({ amount: 60, ...more })).code).toBe('LIMIT_EXCEEDED')
  }
  await sandbox.advance('1h')
  const later = await sandbox.api()
  for (const more of [{ currency: 'BRL' }, { currency: 'USDT', chain: 'tron' }])
    expect((await later.cashin({ amount: 100, ...more })).status).toBe(200)
})

test("a withdrawal of yesterday that fails today is returned to yesterday's limit", async () => {
  const { sandbox, api } = await limited()
  const old = await withdraw(api, 60)
  await sandbox.advance('24h')
  const later = await sandbox.api()
  expect((await withdraw(later, 70)).status).toBe(202)
  await sandbox.trigger('cashout.fail', old.data.transaction_id)
  expect(await usedOf(later, 'cashout')).toBe(70)
  expect((await withdraw(later, 40)).code).toBe('LIMIT_EXCEEDED')
})

test('a rejected or repeated call returns nothing twice', async () => {
  const { sandbox, api } = await limited()
  const first = await withdraw(api, 30)
  await withdraw(api, 40)
  const id = first.data.transaction_id
  expect((await sandbox.trigger('cashout.fail', id)).status).toBe(200)
  expect((await sandbox.trigger('cashout.fail', id)).code).toBe('INVALID_TRANSITION')
  expect(await usedOf(api, 'cashout')).toBe(40)
})

/** Refunds 20 of a charge of 60, loses a disputed charge, refunds a withdrawal and reverses a conversion. */
async function refundAll({ sandbox, api }: { sandbox: TestSandbox; api: Api }) {
  const charge = await api.cashin({ amount: 60, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', charge.data.transaction_id)
  await sandbox.trigger('cashin.refund', charge.data.transaction_id, { amount: 20 })
  const disputed = await api.cashin({ amount: 30, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', disputed.data.transaction_id)
  await sandbox.trigger('dispute.open', disputed.data.transaction_id)
  await sandbox.trigger('dispute.lose')
  const payout = await withdraw(api, 50)
  await sandbox.trigger('cashout.confirm', payout.data.transaction_id)
  await sandbox.trigger('cashout.refund', payout.data.transaction_id)
  const pair = { amount: 40, base_currency: 'BRL', destination_currency: 'USDT' }
  const converted = await api.signed('/v2/conversions/new', pair)
  await sandbox.trigger('conversion.refund', converted.data.conversion_id)
  return Promise.all(['cashin', 'cashout', 'conversion'].map((operation) => usedOf(api, operation)))
}

test('a refund, a lost dispute and a reversal return nothing by default', async () => {
  expect(await refundAll(await limited())).toEqual([90, 50, 40])
})

test('daily_limit_returns: refunded returns refunded amounts, in part or in full', async () => {
  expect(await refundAll(await limited({ dailyLimitReturns: 'refunded' }))).toEqual([40, 0, 0])
})

test('daily_limit_returns: never returns nothing', async () => {
  const { sandbox, api } = await limited({ dailyLimitReturns: 'never' })
  const first = await withdraw(api, 60)
  await sandbox.trigger('cashout.fail', first.data.transaction_id)
  expect(await usedOf(api, 'cashout')).toBe(60)
})

test('the refund of an overpaid charge returns the requested amount to the limit, and that of an underpaid one at most the refunded amount', async () => {
  const { sandbox, api } = await limited({ dailyLimitReturns: 'refunded' })
  const paidWith = async (amount: number) => {
    const { data } = await api.cashin({ amount: 40, currency: 'USDT', chain: 'tron' })
    await sandbox.trigger('cashin.pay', data.transaction_id, { amount })
    await sandbox.trigger('cashin.refund', data.transaction_id)
  }
  const { data: other } = await api.cashin({ amount: 10, currency: 'USDT', chain: 'tron' })
  expect(other.status).toBe('pending')
  await paidWith(80)
  expect(await usedOf(api, 'cashin', 'USDT')).toBe(10)
  await paidWith(15)
  expect(await usedOf(api, 'cashin', 'USDT')).toBe(35)
})

test('a deposit to a fixed wallet counts towards no limit, and its refund returns nothing', async () => {
  const { sandbox, api } = await limited({ dailyLimitReturns: 'refunded' })
  await api.cashin({ amount: 60, currency: 'BRL' })
  await api.post('/v2/transactions/wallet', { currency: 'BRL' })
  const deposit = await sandbox.trigger('wallet.deposit', undefined, { amount: 50 })
  await sandbox.trigger('cashin.refund', deposit.body.object.transaction_id)
  expect(await usedOf(api, 'cashin')).toBe(60)
})

test('after limit_day has changed, a withdrawal that fails leaves no negative amount as used', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const config = { clock: 'manual', cashoutSettle: 'manual' } as const
  const first = await openSandbox(config, { db })
  const id = await (await openClient(first.url)).withdraw('moved')
  await first.close()
  const { url } = await openSandbox({ ...config, limitDayOffsetMs: 0 }, { db })
  const api = await openClient(url)
  expect((await control(url)('POST', '/trigger', { action: 'cashout.fail', id })).status).toBe(200)
  expect(await usedOf(api, 'cashout')).toBe(0)
})

test('returned amounts survive a restart and a snapshot', async () => {
  const { sandbox, api } = await limited({}, join(temporaryFolder(), 'sandbox.db'))
  const kept = await withdraw(api, 60)
  await sandbox.control('POST', '/snapshots', { name: 'before' })
  await sandbox.trigger('cashout.fail', kept.data.transaction_id)
  await sandbox.restart()
  let again = await sandbox.api()
  expect(await usedOf(again, 'cashout')).toBe(0)
  await sandbox.control('POST', '/snapshots/before/restore')
  again = await sandbox.api()
  expect(await usedOf(again, 'cashout')).toBe(60)
  await sandbox.restart()
  await sandbox.trigger('cashout.fail', kept.data.transaction_id)
  again = await sandbox.api()
  expect(await usedOf(again, 'cashout')).toBe(0)
})
