/** A month of sample data: the same for the same seed, with a balanced ledger. */
import { expect, test } from 'vitest'
import { figure } from '../support/figures.js'
import type { Body } from '../support/http.js'
import { openWithReceivers } from '../support/sandbox.js'

async function seeded(seed: string, days: number) {
  const sandbox = await openWithReceivers({ seed })
  const { status, body } = await sandbox.control('POST', '/seed/demo', { days })
  expect(status).toBe(200)
  const all = async (path: string): Promise<Body[]> => (await sandbox.control('GET', `${path}?limit=500`)).body.data
  return { sandbox, body, all }
}

test('a month of sample data has every kind of object, its webhooks were delivered, and every posting balances', async () => {
  const { sandbox, body, all } = await seeded('a demonstration', 12)
  expect(Date.parse(body.to) - Date.parse(body.from)).toBe(12 * 86_400_000)
  expect(body.happened).toBeGreaterThan(100)
  const transactions = await all('/transactions')
  const kinds = new Set(transactions.map((row) => `${row.type} ${row.status}`))
  for (const kind of ['cashin confirmed', 'cashin expired', 'cashin refunded', 'cashout confirmed', 'cashout failed'])
    expect([kind, kinds.has(kind)]).toEqual([kind, true])
  expect(new Set(transactions.map((row) => row.type))).toEqual(new Set(['cashin', 'cashout', 'transfer', 'conversion']))
  expect(new Set(transactions.map((row) => row.currency)).size).toBeGreaterThan(4)
  expect((await all('/wallets')).length).toBeGreaterThan(0)
  expect((await all('/disputes')).length).toBeGreaterThan(0)
  const hooks = await all('/webhooks')
  expect(new Set(hooks.map((row) => row.status))).toEqual(new Set(['delivered']))
  expect((await sandbox.control('GET', '/ledger')).body.balanced).toBe(true)
  expect((await sandbox.control('GET', '/clock')).body.now).toBe(body.to)
})

test('the same seed gives the same month of sample data, another seed another one', async () => {
  const months = []
  for (const seed of ['one', 'one', 'two']) {
    const { all } = await seeded(seed, figure(4, 12))
    months.push((await all('/transactions')).map((row) => [row.transaction_id, row.type, row.status, row.amount]))
  }
  expect(months[1]).toEqual(months[0])
  expect(months[2]).not.toEqual(months[0])
})

test('an unknown kind of sample data and an invalid number of days are rejected', async () => {
  const sandbox = await openWithReceivers()
  const refused = async (path: string, body: object) => (await sandbox.control('POST', path, body)).code
  expect(await refused('/seed/dmeo', {})).toBe('INVALID_VALUE')
  expect(await refused('/seed/demo', { days: 0 })).toBe('INVALID_VALUE')
  expect(await refused('/seed/demo', { days: 4000 })).toBe('INVALID_VALUE')
  expect(await refused('/seed/demo', { postback_url: 'http://example.com' })).toBe('INVALID_POSTBACK_URL')
})
