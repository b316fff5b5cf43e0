/** The list of transactions: fields, filters, pages, and its speed over 100,000 rows (§4.3, decision 25). */
import { beforeEach, describe, expect, test } from 'vitest'
import { listTransactions, type TransactionFilter } from '../../src/core/operations/lists.js'
import { reader, runner } from '../../src/store/db.js'
import type { Api } from '../support/client.js'
import { databaseDriver } from '../support/database.js'
import { leastEffortMs } from '../support/effort.js'
import { refuseWrite, watchWrites } from '../support/failing-store.js'
import { figure } from '../support/figures.js'
import type { Body } from '../support/http.js'
import { currencies, offsetMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const list = async (body: object = {}): Promise<Body> => (await api.post('/v2/account/transactions/list', body)).data
const idsOf = (page: Body): string[] => page.items.map((item: Body) => item.transaction_id)

/** Creates one transaction of every kind, an hour apart, the oldest first. */
async function oneOfEach(): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  const pix = (await api.cashin({ amount: 100, currency: 'BRL', external_id: 'pix', payer: { name: 'Ana' } })).data
  ids.pix = pix.transaction_id
  await sandbox.trigger('cashin.pay', ids.pix)
  await sandbox.advance('20m')
  ids.usdt = (await api.cashin({ amount: 5, currency: 'USDT', chain: 'tron' })).data.transaction_id
  await sandbox.advance('29m')
  ids.out = (
    await api.cashout({ external_id: 'out', amount: 10, currency: 'BRL', key: 'maria@example.com' })
  ).data.transaction_id
  await sandbox.advance('1m')
  ids.sent = (
    await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 1, currency: 'BRL' })
  ).data.transaction_id
  const pair = { base_currency: 'BRL', destination_currency: 'USDT', amount: 54 }
  ids.conversion = (await api.signed('/v2/conversions/new', pair)).data.conversion_id
  const { data: wallet } = await api.post('/v2/transactions/wallet', { currency: 'BRL' })
  ids.deposit = (await sandbox.trigger('wallet.deposit', wallet.wallet_id, { amount: '7' })).body.object.transaction_id
  return ids
}

describe('the total of the transaction list', () => {
  const asked = [
    {},
    { type: 'cashin' },
    { status: 'pending' },
    { status: 'confirmed', type: 'cashin' },
    { source: 'dynamic_qr' },
    { currency: 'USDT' },
    { currency: 'BRL', status: 'refunded' },
  ]
  /** A date filter that excludes nothing makes the sandbox count rows. */
  const totals = async (more: object) =>
    Promise.all(asked.map(async (filter) => (await list({ ...filter, ...more })).pagination.total))
  const expectRight = async () => expect(await totals({})).toEqual(await totals({ from_date: '1970-01-01' }))

  test('is correct after every change of every kind, a rejected one, a reset and a restored snapshot', async () => {
    await expectRight()
    const ids = await oneOfEach()
    await expectRight()
    for (const action of [
      ['cashin.refund', ids.pix],
      ['cashout.refund', ids.out],
      ['conversion.refund', ids.conversion],
    ]) {
      await sandbox.trigger(...(action as [string, string]))
      await expectRight()
    }
    await sandbox.control('POST', '/snapshots', { name: 'kept' })
    // Only statements of better-sqlite3 can be made to fail.
    const stopWatching = databaseDriver === 'better-sqlite3' ? watchWrites() : () => {}
    for (let at = 1; at < 5; at++) {
      refuseWrite(at, at % 2 === 0 ? 'SQLITE_FULL' : 'SQLITE_CONSTRAINT_CHECK')
      // Together with other calls in the same turn, some of which read.
      await Promise.all([
        api.cashin({ amount: 3, currency: 'BRL' }),
        list(),
        api.cashin({ amount: 4, currency: 'BRL' }),
      ])
      await expectRight()
    }
    stopWatching()
    await sandbox.control('POST', '/snapshots/kept/restore')
    await expectRight()
    await sandbox.control('POST', '/reset')
    api = await sandbox.api()
    await expectRight()
    expect((await list()).pagination.total).toBe(0)
  })
})

describe('an item of the transaction list', () => {
  test('has the common fields of every kind, and those of its own', async () => {
    const ids = await oneOfEach()
    const page = await list()
    expect(idsOf(page)).toEqual([ids.deposit, ids.conversion, ids.sent, ids.out, ids.usdt, ids.pix])
    for (const item of page.items) {
      expect(item.created_at).toMatch(offsetMoment)
      expect(item.updated_at).toMatch(offsetMoment)
    }
    const [deposit, conversion, sent, out, usdt, pix] = page.items
    expect(pix).toMatchObject({
      external_id: 'pix',
      type: 'cashin',
      status: 'confirmed',
      source: 'dynamic_qr',
      currency: 'BRL',
      currency_type: 'fiat',
      network: 'PIX',
      amount: 100,
      fee: 1,
      e2e_id: expect.stringMatching(/^E/),
      payer: { name: 'Ana', document: null },
    })
    expect(usdt).toMatchObject({
      external_id: null,
      type: 'cashin',
      status: 'expired',
      currency_type: 'crypto',
      network: 'TRC20',
    })
    expect(out).toMatchObject({
      type: 'cashout',
      status: 'confirmed',
      source: null,
      network: 'PIX',
      wallet: 'maria@example.com',
      key_type: 'email',
    })
    expect(sent).toMatchObject({
      type: 'transfer',
      direction: 'sent',
      from_user: 'merchant',
      to_user: 'customer',
      amount: 1,
      status: 'confirmed',
    })
    expect(conversion).toMatchObject({
      type: 'conversion',
      status: 'completed',
      currency: 'BRL',
      currency_to: 'USDT',
      amount: 54,
      amount_to: 9.89,
    })
    expect(deposit).toMatchObject({ type: 'cashin', source: 'static', status: 'confirmed', amount: 7 })
  })

  test('shows a failure and a refund with their reasons', async () => {
    const out = (await api.cashout({ external_id: 'o', amount: 10, currency: 'BRL', key: 'maria@example.com' })).data
    await sandbox.trigger('cashout.fail', out.transaction_id, { error_code: 'BLACKLISTED' })
    const charge = (await api.cashin({ amount: 10, currency: 'BRL' })).data
    await sandbox.trigger('cashin.pay', charge.transaction_id)
    await sandbox.trigger('cashin.refund', charge.transaction_id, { amount: 4, reason: 'SORRY' })
    const [refunded, failed] = (await list()).items
    expect(refunded).toMatchObject({ status: 'refunded', amount: 10, amount_refunded: 4, reason: 'SORRY' })
    expect(failed).toMatchObject({ status: 'failed', error_code: 'BLACKLISTED', error_message: expect.any(String) })
  })

  test('shows the proof of payment under the name of its rail, for incoming and outgoing money', async () => {
    const cases: [string, object, string, string][] = [
      ['BRL', {}, 'e2e_id', 'ana@example.com'],
      ['MXN', {}, 'tracking_key', '646180110400000007'],
      ['USDT', { chain: 'tron', network: 'tron' }, 'hash', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ]
    for (const [currency, more, field, key] of cases) {
      const { data: charge } = await api.cashin({ amount: 50, currency, ...more })
      expect((await list({ currency })).items[0][field], currency).toBeNull()
      await sandbox.trigger('cashin.pay', charge.transaction_id)
      await api.cashout({ external_id: currency, amount: 50, currency, key, ...more })
      await sandbox.trigger('cashout.confirm')
      const [out, paid] = (await list({ currency })).items
      const others = ['e2e_id', 'tracking_key', 'hash'].filter((name) => name !== field)
      expect(paid, currency).toMatchObject({
        [field]: expect.any(String),
        [others[0] ?? '']: null,
        [others[1] ?? '']: null,
      })
      // The event of a withdrawal has `hash` on every rail.
      expect(out[field], currency).toEqual(expect.any(String))
      expect(out.hash).toBe(out[field])
    }
  })

  test('belongs to its account: the recipient of a transfer sees only its own side', async () => {
    await oneOfEach()
    const { data } = await (await sandbox.api('customer')).post('/v2/account/transactions/list', {})
    expect(data.items).toMatchObject([{ type: 'transfer', direction: 'received', from_user: 'merchant', amount: 1 }])
  })
})

describe('the filters of the transaction list', () => {
  test('for type, status, source and currency narrow the list, alone and together', async () => {
    const ids = await oneOfEach()
    const cases: [object, string[]][] = [
      [{ type: 'cashin' }, ['deposit', 'usdt', 'pix']],
      [{ type: 'cashout' }, ['out']],
      [{ type: 'transfer' }, ['sent']],
      [{ type: 'conversion' }, ['conversion']],
      [{ status: 'confirmed' }, ['deposit', 'sent', 'out', 'pix']],
      [{ status: 'expired' }, ['usdt']],
      [{ status: 'completed' }, ['conversion']],
      [{ status: 'cancelled' }, []],
      [{ source: 'static' }, ['deposit']],
      [{ source: 'dynamic_qr' }, ['usdt', 'pix']],
      [{ currency: 'USDT' }, ['conversion', 'usdt']],
      [{ currency: 'BRL', type: 'conversion' }, ['conversion']],
      [{ currency: 'MXN' }, []],
      [{ currency: 'BRL', type: 'cashin', status: 'confirmed', source: 'dynamic_qr' }, ['pix']],
    ]
    for (const [filter, names] of cases) {
      const page = await list(filter)
      expect(idsOf(page), JSON.stringify(filter)).toEqual(names.map((name) => ids[name]))
      expect(page.pagination.total).toBe(names.length)
    }
  })

  test('from_date and to_date take days of São Paulo and moments, both inclusive', async () => {
    const { now } = (await sandbox.control('GET', '/clock')).body
    const noon = new Date(Math.floor(Date.parse(now) / 86_400_000) * 86_400_000 + 2 * 86_400_000 + 15 * 3600_000)
    const ids: string[] = []
    const at = ['02:59:59.999Z', '03:00:00.000Z', '15:00:00.000Z']
    const day = noon.toISOString().slice(0, 10)
    for (const time of at) {
      await sandbox.control('PUT', '/clock', { now: `${day}T${time}` })
      api = await sandbox.api()
      ids.push((await api.cashin({ amount: 50, currency: 'MXN' })).data.transaction_id)
    }
    const [yesterday, midnight, midday] = ids
    const before = new Date(noon.getTime() - 86_400_000).toISOString().slice(0, 10)
    expect(idsOf(await list({ from_date: day }))).toEqual([midday, midnight])
    expect(idsOf(await list({ to_date: before }))).toEqual([yesterday])
    expect(idsOf(await list({ from_date: before, to_date: day }))).toEqual([midday, midnight, yesterday])
    expect(idsOf(await list({ from_date: day, to_date: before }))).toEqual([])
    expect(idsOf(await list({ from_date: `${day}T03:00:00Z`, to_date: `${day}T12:00:00-03:00` }))).toEqual([
      midday,
      midnight,
    ])
    expect(idsOf(await list({ from_date: `${day}T00:00:00.001-03:00` }))).toEqual([midday])
    expect(idsOf(await list({ to_date: `${day}T14:59:59.999Z` }))).toEqual([midnight, yesterday])
  })

  test.each([
    [{ page: 0 }, 'INVALID_VALUE'],
    [{ page: -1 }, 'INVALID_VALUE'],
    [{ page: 1.5 }, 'INVALID_VALUE'],
    [{ page: 'x' }, 'INVALID_VALUE'],
    [{ page_size: 0 }, 'INVALID_VALUE'],
    [{ page_size: 101 }, 'INVALID_VALUE'],
    [{ type: 'dispute' }, 'INVALID_VALUE'],
    [{ from_date: 'yesterday' }, 'INVALID_VALUE'],
    [{ from_date: '2026-02-30' }, 'INVALID_VALUE'],
    [{ to_date: '2026-11-21T10:00:00' }, 'INVALID_VALUE'],
    [{ to_date: 5 }, 'INVALID_VALUE'],
    [{ from_date: '2026-02-30T00:00:00Z' }, 'INVALID_VALUE'],
    [{ to_date: '2026-02-29T12:00:00-03:00' }, 'INVALID_VALUE'],
    [{ to_date: '2026-04-31T12:00:00.000+02:00' }, 'INVALID_VALUE'],
    [{ from_date: '2026-13-01T00:00:00Z' }, 'INVALID_VALUE'],
    [{ from_date: '2026-01-01T24:00:00Z' }, 'INVALID_VALUE'],
    [{ from_date: '2026-01-01T00:00:00+24:00' }, 'INVALID_VALUE'],
  ])('reject %j with %s', async (body, code) => {
    const answer = await api.post('/v2/account/transactions/list', body)
    expect([answer.status, answer.code]).toEqual([422, code])
  })
})

describe('an unknown filter value', () => {
  test.each([
    ['type', 'dispute', ['cashin', 'cashout', 'transfer', 'conversion']],
    ['status', 'nonsense', ['cancelled', 'pending', 'confirmed', 'expired', 'refunded', 'failed', 'completed']],
    ['source', 'dynamic', ['dynamic_qr', 'static']],
    ['currency', 'brl', [...currencies]],
  ])('%s %s is rejected with all valid values', async (field, value, supported) => {
    const { status, body } = await api.post('/v2/account/transactions/list', { [field]: value })
    expect([status, body.error.code]).toEqual([422, 'INVALID_VALUE'])
    expect(body.error.details).toMatchObject({ field, supported })
  })

  test('is rejected for disputes in the same way', async () => {
    const { status, body } = await api.get('/v2/account/infractions?status=lots')
    expect([status, body.error.code]).toEqual([422, 'INVALID_VALUE'])
    expect(body.error.details.supported).toEqual(['open', 'responded', 'confirmed', 'won', 'lost', 'canceled'])
  })
})

describe('the pages of the transaction list', () => {
  test('have 50 items by default, at most 100, and the total', async () => {
    await Promise.all(Array.from({ length: 105 }, (_, n) => api.cashin({ amount: 1 + n, currency: 'BRL' })))
    expect((await list()).pagination).toEqual({ page: 1, page_size: 50, total: 105, total_pages: 3 })
    expect((await list()).items).toHaveLength(50)
    expect((await list({ page_size: 100 })).items).toHaveLength(100)
    expect((await list({ page: 3 })).items).toHaveLength(5)
    expect(await list({ page: 4 })).toMatchObject({ items: [], pagination: { page: 4, total: 105, total_pages: 3 } })
    const pages = await Promise.all([1, 2, 3, 4, 5, 6].map((page) => list({ page, page_size: 20 })))
    expect(new Set(pages.flatMap(idsOf)).size).toBe(105)
    expect(await list({ status: 'cancelled' })).toEqual({
      items: [],
      pagination: { page: 1, page_size: 50, total: 0, total_pages: 0 },
    })
  })

  test('are empty for a new account', async () => {
    expect(await list()).toEqual({ items: [], pagination: { page: 1, page_size: 50, total: 0, total_pages: 0 } })
  })
})

describe('over 100,000 transactions', () => {
  /** Writes a long history directly into the database. Its numbers are below zero, older than all transactions of the API. */
  const cashoutDetail = JSON.stringify({
    wallet: '646180110400000007',
    keyType: null,
    description: null,
    receiver: { name: null, document: null, bank: null },
  })
  function fill(count: number): void {
    const { db } = sandbox.running.workspace
    db.transaction(() =>
      runner(`
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        insert into transactions (seq, id, account_seq, credential_seq, type, status, source, currency, amount_minor, fee_minor,
          external_id, fingerprint, postback_url, network, detail, created_at_ms, updated_at_ms)
        select i - ?, 'bulk_' || i, 1, 1, case i % 4 when 0 then 'cashout' else 'cashin' end, case i % 3 when 0 then 'pending' else 'confirmed' end,
          case i % 4 when 0 then null else 'dynamic_qr' end, case i % 5 when 0 then 'MXN' else 'BRL' end, i, 0,
          null, null, null, null,
          case i % 4 when 0 then ? else '{}' end, 1600000000000 + (i / 10) * 1000, 1600000000000 from n`)(
        db,
        count,
        count,
        cashoutDetail,
      ),
    )
  }
  test('a page is read by index, without a scan or a sort of everything, in a few milliseconds', async () => {
    fill(100_000)
    const { db } = sandbox.running.workspace
    const explain = reader<{ detail: string }>(
      `explain query plan select seq from transactions where account_seq = 1 and type = 'cashin' and status = 'confirmed'
        order by created_at_ms desc, seq desc limit 50 offset 1000`,
    )
    const plan = explain(db)
      .map((row) => row.detail)
      .join('; ')
    expect(plan).toMatch(/USING COVERING INDEX transactions_by_time/)
    expect(plan).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER BY/)
    const filters: TransactionFilter[] = [
      {},
      { type: 'cashin' },
      { status: 'pending' },
      { currency: 'MXN', type: 'cashout' },
      { source: 'dynamic_qr' },
    ]
    const unindexed = reader(
      'select * from transactions not indexed where account_seq = 1 order by created_at_ms desc limit 50',
    )
    const scan = () => unindexed(db)
    for (const filter of filters) {
      // The ratio distinguishes a page, which uses the index, from a scan, which sorts rows.
      const page = await leastEffortMs(5, () => listTransactions(db, 1, filter, { limit: 50, offset: 0 }))
      const whole = await leastEffortMs(figure(2, 5), scan)
      expect(page, JSON.stringify(filter)).toBeLessThan(whole / 2)
    }
    expect((await list({ page: 1000, page_size: 100 })).pagination).toEqual({
      page: 1000,
      page_size: 100,
      total: 100_000,
      total_pages: 1000,
    })
    expect((await list({ currency: 'MXN', type: 'cashout' })).pagination.total).toBe(5000)
  })

  test('no row is lost or repeated while others are added, as long as the pages are anchored by to_date', async () => {
    fill(1000)
    const anchor = '2020-12-31'
    const seen: string[] = []
    for (let page = 1; page <= 10; page++) {
      seen.push(...idsOf(await list({ page, page_size: 100, to_date: anchor })))
      await api.cashin({ amount: 10 + page, currency: 'BRL' })
    }
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, n) => `bulk_${1000 - n}`))
  })

  test('without an anchor new rows shift old ones: some are repeated, none is lost', async () => {
    fill(300)
    const seen = new Set<string>()
    for (let page = 1; page <= 4; page++) {
      for (const id of idsOf(await list({ page, page_size: 100 }))) seen.add(id)
      await api.cashin({ amount: 10 + page, currency: 'BRL' })
    }
    expect([...seen].filter((id) => id.startsWith('bulk_'))).toHaveLength(300)
  })

  test('rows of the same moment have the same order on every page', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => api.cashin({ amount: 10, currency: 'BRL' })))
    const first = (await list({ page_size: 100 })).items.map((item: Body) => item.transaction_id)
    const paged: string[] = []
    for (let page = 1; page <= 6; page++) paged.push(...idsOf(await list({ page, page_size: 5 })))
    expect(paged).toEqual(first)
    expect(new Set(paged)).toEqual(new Set(ids.map(({ data }) => data.transaction_id)))
  })
})
