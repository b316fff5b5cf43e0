/** The statement of an account: every posting that changes `available`, as JSON and CSV, equal to the ledger. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import papa from 'papaparse'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { currencyNames } from '../../src/protocol/platform/currencies.js'
import { postingTypeNames } from '../../src/protocol/platform/entry-types.js'
import { transitions } from '../../src/protocol/platform/transitions.js'
import { type Sandbox, type StatementEntry, startSandbox } from '../../src/testing/index.js'
import { makeKit } from '../support/books.js'
import { figure, note } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { manyCharges } from '../support/many-charges.js'
import { run as payments } from '../support/program.js'
import { requireTools } from '../support/tools.js'

test('every kind of movement of an available balance has a name in the statement', () => {
  const unnamed = transitions.flatMap((row) =>
    row.moves.filter(([from, to, , type, peerType]) => {
      const ends = [from, to].filter((bucket) => bucket === 'available' || bucket === 'peer').length
      return [type, peerType].filter((one) => one !== undefined).length !== ends
    }),
  )
  expect(unnamed).toEqual([])
})

describe('after a month of sample data', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 'statement' })
    await sandbox.control.call('POST /seed/{name}', { params: { name: 'demo' }, body: {} })
  })
  afterAll(() => sandbox.close())

  test.each(['merchant', 'customer'])('the closing balances of %s equal the ledger', async (username) => {
    const { accounts } = await sandbox.ledger()
    const { closing, opening } = await sandbox.statement(username)
    expect(opening).toEqual(Object.fromEntries(currencyNames.map((name) => [name, expect.stringMatching(/^0\.0+$/)])))
    const own = accounts.filter((row) => row.username === username)
    expect(own.length).toBeGreaterThan(0)
    for (const { currency, available } of own) expect(closing[currency], currency).toBe(available)
  })

  test('each balance is the one before it plus the amount, in every currency', async () => {
    for (const currency of currencyNames) {
      const { opening, entries, closing } = await sandbox.statement('merchant', { currency })
      const scale = opening.split('.')[1]?.length ?? 0
      const minor = (text: string) => BigInt(text.replace('.', ''))
      let balance = minor(opening)
      for (const entry of entries) {
        balance += minor(entry.amount)
        expect(minor(entry.balance)).toBe(balance)
        expect(entry.amount.split('.')[1]?.length ?? 0).toBe(scale)
      }
      expect(minor(closing)).toBe(balance)
    }
  })

  test('a period starts with the closing balance of the days before', async () => {
    const { entries } = await sandbox.statement('merchant', { currency: 'BRL' })
    const days = [...new Set(entries.map(({ date }) => date))]
    const [from = '', to = ''] = [days[3], days[9]]
    const period = await sandbox.statement('merchant', { currency: 'BRL', from, to })
    expect(period.entries).toEqual(entries.filter(({ date }) => date >= from && date <= to))
    expect(period.opening).toBe(entries.filter(({ date }) => date < from).at(-1)?.balance)
    expect(period.closing).toBe(period.entries.at(-1)?.balance)
  })

  test('pages of a period are newest first, have the balances of the whole period, and join up to all its entries', async () => {
    const { entries } = await sandbox.statement('merchant', { currency: 'BRL' })
    const days = [...new Set(entries.map(({ date }) => date))]
    const query = { currency: 'BRL', from: days[3] ?? '', to: days[9] ?? '' } as const
    const { entries: all, opening, closing } = await sandbox.statement('merchant', query)
    const found: StatementEntry[] = []
    let after: string | null = ''
    do {
      const search = new URLSearchParams({ ...query, limit: '7', ...(after === '' ? {} : { after }) })
      const page = await (await fetch(`${sandbox.url}/_sandbox/accounts/merchant/statement?${search}`)).json()
      expect([page.opening, page.closing]).toEqual([opening, closing])
      expect(page.entries.length).toBe(Math.min(7, all.length - found.length))
      found.push(...page.entries)
      after = page.next as string | null
    } while (after !== null)
    expect(found.toReversed()).toEqual(all)
  })

  test('the command prints all of a long statement, as a table and as one line of JSON', async () => {
    const { entries, ...sums } = await sandbox.statement('merchant')
    const run = (...args: string[]) => payments(['account', 'statement', 'merchant', '--url', sandbox.url, ...args])
    const lines = (await run()).stdout.trimEnd().split('\n')
    expect(entries.length).toBeGreaterThan(100)
    expect([lines.length, lines[0]?.slice(0, 7), lines.at(-1)?.slice(0, 7)]).toEqual([
      entries.length + 3,
      'opening',
      'closing',
    ])
    const last = entries.at(-1)
    expect(lines.at(-2)).toMatch(new RegExp(`^${last?.date} +${last?.time} .* ${last?.balance} +${last?.currency}$`))
    const { stdout } = await run('--json')
    expect([stdout.indexOf('\n'), JSON.parse(stdout)]).toEqual([stdout.length - 1, { ...sums, entries }])
  })

  test('days are those of America/Sao_Paulo, or of the time zone that the caller names', async () => {
    const home = await sandbox.statement('merchant', { currency: 'BRL' })
    const utc = await sandbox.statement('merchant', { currency: 'BRL', time_zone: 'UTC' })
    const late = home.entries.findIndex(({ time }) => time >= '21:00:00')
    expect(late).toBeGreaterThanOrEqual(0)
    const at = (row: StatementEntry | undefined, zone: string) => Date.parse(`${row?.date}T${row?.time}${zone}`)
    expect(at(utc.entries[late], 'Z')).toBe(at(home.entries[late], '-03:00'))
    expect(utc.entries[late]?.date).not.toBe(home.entries[late]?.date)
  })

  test('the CSV has the entries of the JSON, in the documented columns', async () => {
    const { entries } = await sandbox.statement('merchant')
    const answer = await fetch(`${sandbox.url}/_sandbox/accounts/merchant/statement?format=csv`)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const { data } = papa.parse<Record<string, string>>(await answer.text(), { header: true, skipEmptyLines: true })
    expect(data).toEqual(
      entries.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)])),
      ),
    )
    expect(Object.keys(data[0] ?? {}).join()).toBe(
      'date,time,entry_id,transaction_id,external_id,type,description,currency,amount,balance',
    )
  })

  test('the header of the CSV names the time zone that the caller chose, so that the test of a ledger finds the days', async () => {
    const statement = `${sandbox.url}/_sandbox/accounts/merchant/statement?format=csv&time_zone=`
    const books = async (zone: string) => {
      const csv = await (await fetch(`${statement}${zone}`)).text()
      const headers = { 'Content-Type': 'text/csv' }
      const answer = await fetch(`${sandbox.url}/_sandbox/certify/books`, { method: 'POST', headers, body: csv })
      return [csv.split(',')[0], await answer.json()]
    }
    for (const zone of ['UTC', 'America/Mexico_City'])
      expect(await books(zone)).toEqual([`date (${zone})`, expect.objectContaining({ verdict: 'passed' })])
  })

  test('hledger imports the CSV and finds the same balances, in every currency', async (context) => {
    requireTools(context, 'hledger')
    const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-statement-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const answer = await fetch(`${sandbox.url}/_sandbox/accounts/merchant/statement?format=csv`)
    writeFileSync(join(folder, 'statement.csv'), await answer.text())
    // Uses the rules of docs/statement.md. In its own format, hledger also checks the balance of every row.
    const [, rules = ''] = /```text hledger\n([\s\S]*?)```/.exec(readFileSync('docs/statement.md', 'utf8')) ?? []
    expect(rules).toContain('fields date')
    writeFileSync(join(folder, 'statement.rules'), rules)
    const args = ['-f', 'statement.csv', '--rules-file', 'statement.rules']
    const printed = execFileSync('hledger', [...args, 'balance', 'assets', '--flat', '-N', '-E'], { cwd: folder })
    const printedRows = execFileSync('hledger', [...args, 'print'], { cwd: folder }).toString()
    const check = (text: string) => execFileSync('hledger', ['-f', '-', 'check'], { input: text, stdio: 'pipe' })
    check(printedRows)
    expect(() => check(printedRows.replace(/= BRL\d+/, '= BRL1'))).toThrow('balance assertion')
    const { closing } = await sandbox.statement('merchant')
    const found = Object.fromEntries(
      [...printed.toString().matchAll(/([A-Z]+) ?(-?[\d.]+)/g)].map(([, currency = '', amount = '']) => [
        currency,
        amount,
      ]),
    )
    expect(Object.keys(found).sort()).toEqual([...currencyNames].sort())
    for (const currency of currencyNames) expect(Number(found[currency]), currency).toBe(Number(closing[currency]))
  })
})

test('a statement has a row for every kind of posting, with the transaction and the external_id of its own account', async () => {
  await using sandbox = await startSandbox({ clock: 'manual', cashoutSettle: 'manual' })
  const kit = await makeKit(sandbox)
  const split = [{ username: 'customer', percentage: 10 }]
  const shared = await sandbox.client().cashin({ amount: 40, currency: 'BRL', external_id: 'shared', split })
  await sandbox.trigger('cashin.pay', { id: shared.transaction_id })
  await sandbox.trigger('conversion.refund', { id: kit.converted })
  await sandbox.trigger('cashout.refund', { id: kit.withdrawn })
  await sandbox.configure('merchant', {
    balances: { BRL: '1.00' },
    fees: [{ currency: 'MXN', operation: 'cashin', percent: '1' }],
  })
  const mine = (await sandbox.statement()).entries
  const theirs = (await sandbox.statement('customer')).entries
  expect(new Set([...mine, ...theirs].map(({ type }) => type))).toEqual(new Set(postingTypeNames))
  const { data } = await sandbox.control.call('GET /transactions', { query: { account: 'customer', limit: 500 } })
  const received = theirs.find(({ type }) => type === 'transfer_received')
  expect(data.map(({ transaction_id: id }) => id)).toContain(received?.transaction_id)
  expect(mine.find(({ type }) => type === 'dispute_block')?.transaction_id).toBe(kit.won)
  expect(theirs.find(({ type }) => type === 'split_received')).toMatchObject({
    transaction_id: shared.transaction_id,
    external_id: null,
    amount: '3.96',
  })
  expect(mine.find(({ type }) => type === 'split_sent')).toMatchObject({ external_id: 'shared', amount: '-3.96' })
})

test('hostile text in an external_id stays one cell of the CSV', async () => {
  await using sandbox = await startSandbox({ clock: 'manual' })
  const external_id = 'a","b\n=1+1;\u00e9'
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 5, currency: 'BRL', external_id })
  await sandbox.trigger('cashin.pay', { id })
  const text = await (await fetch(`${sandbox.url}/_sandbox/accounts/merchant/statement?format=csv`)).text()
  const { data } = papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
  expect(data.at(-1)?.external_id).toBe(external_id)
})

test.each([
  ['currency=EUR', 422, 'currency'],
  ['from=2026-02-30', 422, 'from'],
  ['to=yesterday', 422, 'to'],
  ['from=2026-11-02&to=2026-10-01', 422, 'to'],
  ['time_zone=Mars/Olympus', 422, 'time_zone'],
  ['format=xml', 422, 'format'],
  ['limit=0', 422, 'limit'],
  ['limit=5&after=x', 422, 'after'],
  ['after=5', 422, 'after'],
  ['limit=5&format=csv', 422, 'limit'],
])('a statement with %s is rejected and names the parameter', async (query, status, field) => {
  await using sandbox = await startSandbox({ clock: 'manual' })
  const answer = await fetch(`${sandbox.url}/_sandbox/accounts/merchant/statement?${query}`)
  expect(answer.status).toBe(status)
  expect((await answer.json()).error.details.field).toBe(field)
})

test('an unknown account has no statement', async () => {
  await using sandbox = await startSandbox({ clock: 'manual' })
  await expect(sandbox.statement('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a long statement is sent in parts, while other calls are answered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-statement-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const db = join(folder, 'long.db')
  const charges = figure(8000, 500_000)
  await manyCharges(db, charges)
  await using sandbox = await startSandbox({ clock: 'manual', db })
  const answer = await fetch(`${sandbox.url}/_sandbox/accounts/merchant/statement?format=csv&currency=BRL`)
  let [bytes, lines, largest, calls] = [0, 0, 0, 0]
  for await (const piece of answer.body ?? []) {
    bytes += piece.length
    largest = Math.max(largest, piece.length)
    lines += piece.filter((byte) => byte === 10).length
    if (calls++ % 20 === 0) await sandbox.clock.now()
  }
  expect(lines).toBe(1 + 1 + 2 * charges)
  expect(largest).toBeLessThan(bytes / 5)
})

test('a page of a long statement is short, whatever the length of the statement', async () => {
  const db = join(temporaryFolder(), 'long.db')
  const charges = figure(8000, 500_000)
  await manyCharges(db, charges)
  await using sandbox = await startSandbox({ clock: 'manual', db })
  const startedMs = performance.now()
  const answer = await fetch(`${sandbox.url}/_sandbox/accounts/merchant/statement?currency=BRL&limit=25`)
  const text = await answer.text()
  note(
    `a page of a statement of ${2 * charges + 1} entries: ${text.length} bytes in ${Math.round(performance.now() - startedMs)} ms`,
  )
  const { entries, opening, closing, next } = JSON.parse(text)
  const { data } = await sandbox.control.call('GET /activity', { query: { spans: 1 } })
  expect(data[0]?.in).toEqual({ BRL: `${25 * charges}.00` })
  expect([entries.length, opening, closing, typeof next]).toEqual([25, '0.00', entries[0].balance, 'string'])
  expect(text.length).toBeLessThan(10_000)
})

describe('from the command line', () => {
  test('account statement prints a table, JSON and CSV', async () => {
    await using sandbox = await startSandbox({ clock: 'manual' })
    const run = (...args: string[]) => payments(['account', 'statement', 'merchant', '--url', sandbox.url, ...args])
    const table = await run('--currency', 'BRL')
    expect(table.stdout).toMatch(
      /opening\s+0\.00[\s\S]*adjustment\s+10000\.00\s+10000\.00\s+BRL[\s\S]*closing\s+10000\.00/,
    )
    const { entries } = await sandbox.statement('merchant', { currency: 'BRL' })
    expect(JSON.parse((await run('--currency', 'BRL', '--json')).stdout).entries).toEqual(entries)
    expect((await run('--csv')).stdout.split('\n')[0]).toMatch(/^date,time,entry_id/)
    const external_id = '],"closing":[\n'
    const { transaction_id: id } = await sandbox.client().cashin({ amount: 5, currency: 'BRL', external_id })
    await sandbox.trigger('cashin.pay', { id })
    expect((await run('--currency', 'BRL')).stdout).toMatch(
      /\],"closing":\[ +charge +5\.00 [\s\S]*\nclosing +10004\.95\n$/,
    )
    expect((await run('--currency', 'BTC', '--to', '2001-01-01')).stdout).toMatch(
      /^opening +0\S+\nno postings\nclosing +0\S+\n$/,
    )
    expect((await run('--from', 'soon')).code).toBe(1)
  })
})
