/** The audit of the ledger recomputes everything from the postings and reports every difference. */
import { expect, test } from 'vitest'
import type { Db } from '../../src/store/db.js'
import { openClient } from '../support/client.js'
import { type Body, control } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

const mine = "where account_seq = (select seq from accounts where username = 'merchant') and currency = 'BRL'"

test.each([
  ['more is available than was posted', `update balances set available = available + 1 ${mine}`],
  ['more is blocked than was posted', `update balances set blocked = blocked + 1 ${mine}`],
  ['more is pending than was posted', `update balances set pending = pending + 1 ${mine}`],
  ['a balance is not there at all', `delete from balances ${mine}`],
  [
    'there is one that nothing was posted to',
    "insert into balances (account_seq, currency, available, blocked, pending) values (99, 'BRL', 0, 0, 0)",
  ],
  ['an entry does not come out even', `update postings set amount_minor = amount_minor + 1 ${mine}`],
])('the ledger audit fails if %s', async (_case, damage) => {
  const { url, workspace } = await openSandbox()
  const api = await openClient(url)
  expect((await api.signed('/v2/internal_transfers/payment', transfer)).status).toBe(200)
  const audit = async () => (await control(url)('GET', '/ledger')).body.balanced
  expect(await audit()).toBe(true)
  workspace.db.exec(damage)
  expect(await audit()).toBe(false)
})

/** Inserts postings of the platform; `entry` and `amount` are SQL with their number `i`. */
const insertPostings = (db: Db, count: number, entry: string, amount: string) =>
  db.exec(`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})
    insert into postings (entry, account_seq, bucket, currency, amount_minor, object_id, memo, at_ms)
    select 1000000 + ${entry}, 0, 'rail', 'BRL', ${amount}, 'none', 'test', 0 from n`)

test.each([
  [0, true],
  [1, false],
])(
  'entries that stand in two parts of a long ledger are audited as one, and a rest of %d is found',
  async (rest, expected) => {
    const { url, workspace } = await openSandbox()
    // Three postings an entry, so that the ends of parts fall within entries.
    insertPostings(workspace.db, 9000, 'i / 3', `iif(i % 3 = 0, -2, 1) + iif(i = 3000, ${rest}, 0)`)
    expect((await control(url)('GET', '/ledger')).body.balanced).toBe(expected)
  },
)

test.each([
  [10_000, 'reads on after'],
  [10_001, 'ends with'],
])('the audit of a damaged ledger with %d incomplete entries %s them', async (count, outcome) => {
  const { url, workspace } = await openSandbox()
  const call = control(url)
  await call('POST', '/accounts', { username: 'third' })
  insertPostings(workspace.db, count, 'i', '1')
  insertPostings(workspace.db, 4000, '20000 + i', '0')
  expect((await call('PUT', '/accounts/third/balances', { BRL: '5.00' })).status).toBe(200)
  const { balanced, accounts } = (await call('GET', '/ledger')).body
  const isListed = accounts.some((row: Body) => row.username === 'third')
  expect([balanced, isListed]).toEqual([false, outcome === 'reads on after'])
})

test('the audit lists the balances of an account by currency, although the postings of one stand in a later part', async () => {
  const { url, workspace } = await openSandbox()
  const call = control(url)
  await call('POST', '/accounts', { username: 'third' })
  const put = (balance: object) => call('PUT', '/accounts/third/balances', balance)
  expect((await put({ USDT: '5.00' })).status).toBe(200)
  insertPostings(workspace.db, 2000, 'i / 2', 'iif(i % 2 = 0, 1, -1)')
  expect((await put({ BTC: '5.00', ETH: '5.00' })).status).toBe(200)
  const { accounts } = (await call('GET', '/ledger')).body
  const usernames = accounts.map((row: Body) => row.username)
  const runs = usernames.filter((name: string, index: number) => name !== usernames[index - 1])
  expect(runs).toEqual(['merchant', 'customer', 'third'])
  const own = accounts.filter((row: Body) => row.username === 'third').map((row: Body) => row.currency)
  expect(own.filter((name: string) => ['BTC', 'ETH', 'USDT'].includes(name))).toEqual(['BTC', 'ETH', 'USDT'])
})

test('only the platform has external and earnings accounts', async () => {
  const { url, workspace } = await openSandbox()
  const api = await openClient(url)
  const call = control(url)
  expect((await api.signed('/v2/internal_transfers/payment', transfer)).status).toBe(200)
  expect((await call('POST', '/trigger', { action: 'cashin.pay', id: await api.charge() })).status).toBe(200)
  expect((await call('PUT', '/accounts/merchant/balances', { BRL: '5.00' })).status).toBe(200)
  const owners = workspace.db.query("select distinct account_seq from postings where bucket in ('rail', 'fees')")([])
  expect(owners).toEqual([{ account_seq: 0 }])
})

test("an account's balance can be raised and lowered by one cent", async () => {
  const { url } = await openSandbox()
  const call = control(url)
  for (const available of ['10000.01', '10000.00']) {
    await call('PUT', '/accounts/merchant/balances', { BRL: available })
    expect((await call('GET', '/accounts/merchant')).body.balances.BRL.available).toBe(available)
  }
})

test('a posting has the type of its entry if it changes the available balance, and no type otherwise', async () => {
  const { url } = await openSandbox()
  const call = control(url)
  const id = await (await openClient(url)).charge()
  expect((await call('POST', '/trigger', { action: 'cashin.pay', id })).status).toBe(200)
  const { ledger } = (await call('GET', `/transactions/${id}`)).body
  expect(ledger.map((row: Body) => [row.bucket, row.type])).toEqual([
    ['rail', null],
    ['available', 'charge'],
    ['available', 'charge_fee'],
    ['fees', null],
  ])
})

test('both transactions of an internal transfer show the same postings', async () => {
  const { url } = await openSandbox()
  const api = await openClient(url)
  const call = control(url)
  for (const external_id of ['gift-1', 'gift-2']) {
    const sent = await api.signed('/v2/internal_transfers/payment', { ...transfer, external_id })
    const [received] = (await call('GET', '/transactions?account=customer&type=transfer')).body.data
    const ledgerOf = async (id: string) => (await call('GET', `/transactions/${id}`)).body.ledger
    const postings = await ledgerOf(sent.body.data.transaction_id)
    expect(postings).toMatchObject([
      { account: 'merchant', amount: '-10.00' },
      { account: 'customer', amount: '10.00' },
    ])
    expect(await ledgerOf(received.transaction_id)).toEqual(postings)
  }
})

const transfer = { username: 'customer', amount: 10, currency: 'BRL' }
