/** What a report about a ledger says in detail: which entries are mistakes, why, and which requirements were not checked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BooksRule } from '../../src/features/certify/books/rules.js'
import { csvLine } from '../../src/http/control/statement.js'
import { type BooksReport, type Sandbox, startSandbox } from '../../src/testing/index.js'
import { added, type BookRow, certifyRows, failedRules, type Kit, makeKit, rowsOf } from '../support/books.js'

let sandbox: Sandbox
let kit: Kit
let rows: BookRow[]
/** A charge of 89.90 BRL: without its fee it has no cents. */
let even: string

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual', cashoutSettle: 'manual' })
  kit = await makeKit(sandbox)
  const { transaction_id: made } = await sandbox.client().cashin({ amount: 89.9, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id: made })
  even = made
  const { entries } = await sandbox.statement()
  rows = rowsOf(entries, (id) => id.startsWith(kit.pending))
}, 120_000)
afterAll(() => sandbox.close())

const rowOf = (id: string, type: string) =>
  rows.find((row) => row.transaction_id === id && row.type === type) ?? fail(`${id} has no ${type}`)
const fail = (text: string): never => {
  throw new Error(text)
}
const resultOf = ({ rules }: BooksReport, wanted: BooksRule) => rules.find(({ id }) => id === wanted)
const csv = (lines: readonly string[][]) => new TextEncoder().encode(lines.map((cells) => csvLine(cells)).join(''))

/** A CSV file with columns for debit and credit; `note` is the text of a further column. */
const sided = (note = '', debitOf = (row: BookRow) => row.amount.slice(1)) =>
  csv([
    ['id', 'type', 'currency', 'debit', 'credit', 'note'],
    ...rows.map((row) => {
      const isOut = row.amount.startsWith('-')
      const sides = isOut ? [debitOf(row), ''] : ['', row.amount]
      return [row.transaction_id, row.type, row.currency, ...sides, note]
    }),
  ])

test('an entry with an id is compared, even with a note that is a word for totals', async () => {
  const report = await certifyRows(sandbox, sided('Total'))
  expect([report.verdict, report.mistakes]).toEqual(['passed', []])
})

test('too many decimals are shown in either column of a ledger with debit and credit', async () => {
  const report = await certifyRows(
    sandbox,
    sided('', (row) => `${row.amount.slice(1)}${row.transaction_id === kit.withdrawn ? '0000001' : ''}`),
  )
  expect(failedRules(report)).toEqual(['amount.rounded'])
  expect(resultOf(report, 'amount.rounded')?.observed).toContain('written as')
})

describe('types that nobody knows', () => {
  const messageFor = async (count: number) => {
    const strange = rows.slice(0, count).map((row, at) => ({ ...row, type: `gift ${String.fromCharCode(97 + at)}` }))
    const answer = await fetch(`${sandbox.url}/_sandbox/certify/books`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ entries: strange }),
    })
    expect(answer.status).toBe(422)
    return (await answer.json()).error.message as string
  }

  test('are listed, twenty of them, with the number of the others', async () => {
    const [twenty, more] = [await messageFor(20), await messageFor(22)]
    expect(twenty.match(/"gift \w"/g)).toHaveLength(20)
    expect(twenty).not.toContain(' more')
    expect(more.match(/"gift \w"/g)).toHaveLength(20)
    expect(more).toContain(' and 2 more')
  })
})

test('a charge that is not booked explains one unknown entry, not two', async () => {
  const paid = rowOf(kit.paid, 'charge')
  const unknown = { ...paid, transaction_id: 'tx_unknown', external_id: '' }
  const net = added(paid.amount, rowOf(kit.paid, 'charge_fee').amount)
  const book = rows.filter(({ transaction_id: id }) => id !== kit.paid)
  const { mistakes } = await certifyRows(sandbox, [...book, unknown, { ...unknown, amount: net }])
  const explained = mistakes.filter(({ observed }) => observed.includes(`its amount is that of ${kit.paid}`))
  expect([mistakes.map(({ rule }) => rule), explained.length]).toEqual([['entry.known', 'entry.known'], 1])
})

test('a charge without its cents is a wrong amount, even if it then equals the net amount', async () => {
  const cut = rows.map((row) =>
    row.type === 'charge' && row.currency === 'BRL' ? { ...row, amount: row.amount.replace(/\d\d$/, '00') } : row,
  )
  const { mistakes } = await certifyRows(sandbox, cut)
  expect(mistakes.map(({ transaction_id: id }) => id)).toContain(even)
})

test('one net charge without its fee is right in a ledger that books fees as entries', async () => {
  const net = added(rowOf(kit.paid, 'charge').amount, rowOf(kit.paid, 'charge_fee').amount)
  const book = rows.flatMap((row) => {
    if (row.transaction_id !== kit.paid) return [row]
    return row.type === 'charge' ? [{ ...row, amount: net }] : []
  })
  expect((await certifyRows(sandbox, book)).mistakes).toEqual([])
})

test('the fee that a failed withdrawal gives back is missing if it is not booked', async () => {
  const book = rows.filter((row) => row.transaction_id !== kit.failed || row.type !== 'withdrawal_fee_return')
  const report = await certifyRows(sandbox, book)
  expect(failedRules(report)).toEqual(['withdrawal.returned'])
  expect(report.mistakes.map(({ transaction_id: id }) => id)).toEqual([kit.failed])
})

test('only what is booked twice is blamed on a missing constraint', async () => {
  const changed = (type: string, amount: string) =>
    rows.map((row) => (row.transaction_id === kit.paid && row.type === type ? { ...row, amount } : row))
  const fee = rowOf(kit.paid, 'charge_fee').amount
  const twice = await certifyRows(sandbox, changed('charge_fee', added(fee, fee)))
  expect([failedRules(twice), resultOf(twice, 'fee.once')?.fix]).toEqual([
    ['fee.once'],
    expect.stringContaining('unique constraint'),
  ])
  const wrong = await certifyRows(sandbox, changed('charge', '21.37'))
  expect(failedRules(wrong)).toEqual(['amount.exact'])
  expect(resultOf(wrong, 'amount.exact')?.fix).not.toContain('unique constraint')
})

test.each<[BooksRule, string, (row: BookRow) => boolean]>([
  [
    'withdrawal.returned',
    'the ledger has no entry for any failed or refunded withdrawal',
    ({ type }) => !type.startsWith('withdrawal'),
  ],
  [
    'dispute.released',
    'the ledger has no entry for any blocked amount of a decided dispute',
    ({ type }) => !['dispute_block', 'dispute_release'].includes(type),
  ],
  [
    'withdrawal.confirmed',
    'the ledger has no entry for any pending withdrawal, and none for the return of a failed one',
    ({ transaction_id: id }) => id !== kit.failed && id !== kit.pending,
  ],
])('without entries that it may omit, a ledger skips the requirement %s', async (rule, observed, isBooked) => {
  const report = await certifyRows(sandbox, rows.filter(isBooked))
  expect(resultOf(report, rule)).toMatchObject({ result: 'skipped', observed })
})

test('a period with deposits only has no charge, withdrawal or conversion that can be missing', async () => {
  const own = await startSandbox({ clock: 'manual' })
  try {
    const { wallet_id: id } = await own.client().wallet({ currency: 'BRL' })
    await own.trigger('wallet.deposit', { id, amount: '33' })
    const { entries } = await own.statement()
    const report = await certifyRows(own, rowsOf(entries))
    expect(resultOf(report, 'deposit.booked')).toMatchObject({ result: 'passed' })
    expect(resultOf(report, 'entry.missing')).toMatchObject({
      result: 'skipped',
      observed: 'the statement has no charge, withdrawal or conversion in this period',
    })
  } finally {
    await own.close()
  }
})

test('dates with the day first, of which one shows it, are never read with the month first', async () => {
  const own = await startSandbox({ clock: 'manual' })
  try {
    const year = new Date(Date.parse((await own.clock.read()).now)).getUTCFullYear() + 1
    const pay = async (now: string) => {
      await own.control.call('PUT /clock', { body: { now } })
      const { transaction_id: id } = await own.client().cashin({ amount: 10, currency: 'BRL' })
      await own.trigger('cashin.pay', { id })
    }
    for (const day of ['05', '06', '20']) await pay(`${year}-07-${day}T15:00:00.000Z`)
    const { entries } = await own.statement()
    const lines = rowsOf(entries).map((row) => {
      const [, month = '', day = ''] = row.date.split('-')
      // Days up to 12 are written with the month first, by mistake.
      const date = Number(day) > 12 ? `${day}/${month}/${year}` : `${month}/${day}/${year}`
      return [row.transaction_id, row.type, row.currency, row.amount, date]
    })
    const report = await certifyRows(own, csv([['id', 'type', 'currency', 'amount', 'date'], ...lines]))
    expect(failedRules(report)).toEqual(['day.exact'])
  } finally {
    await own.close()
  }
})
