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

test('a month of sample data has every kind of object, problems to solve, and postings that balance', async () => {
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
  for (const { type, external_id } of transactions.filter((row) => row.type === 'cashin' && row.source !== 'static'))
    expect([type, external_id]).toEqual(['cashin', expect.stringMatching(/^order-\d+$/)])
  const hooks = await all('/webhooks')
  const stateOf = (status: string) => hooks.filter((row) => row.status === status).map(({ attempts }) => attempts)
  expect([stateOf('failed'), stateOf('pending')]).toEqual([[6], [5]])
  expect(hooks.flatMap(({ faults = [] }) => faults)).toEqual(['duplicate: 3'])
  const open = (await all('/disputes')).filter((row) => row.status === 'open')
  const daysLeft = open.map(({ deadline_at: at }) => (Date.parse(at) - Date.parse(body.to)) / 86_400_000)
  expect(daysLeft).toContain(2)
  const calls = await all('/requests')
  expect(calls.filter(({ scenario }) => scenario === 'lost-answer')).toHaveLength(1)
  expect(calls.filter(({ error_code: code }) => code === 'DUPLICATE_EXTERNAL_ID')).toHaveLength(1)
  const { data: counts } = (await sandbox.control('GET', '/counts')).body
  const waiting = ['cashin pending', 'cashout pending', 'dispute open', 'webhook failed']
  for (const tile of waiting)
    expect([tile, counts.find((row: Body) => `${row.type} ${row.status}` === tile)?.count > 0]).toEqual([tile, true])
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
