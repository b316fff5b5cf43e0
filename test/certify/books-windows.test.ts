/** Correct ledgers of any period in any layout: none is accused. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, type StatementEntry, startSandbox } from '../../src/testing/index.js'
import { type BookRow, certifyRows, failedRules, makeKit, rowsOf, withFeeColumn } from '../support/books.js'
import { chanceOf } from '../support/chance.js'
import { seedOf } from '../support/figures.js'

const cases = 200
const seed = seedOf('BOOKS_SEED')
let sandbox: Sandbox
let entries: StatementEntry[]

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual', cashoutSettle: 'manual' })
  // The days of the first half of a month can be read with the month first.
  await sandbox.clock.set('2031-12-01T15:00:00Z')
  await makeKit(sandbox)
  await makeDays(sandbox)
  ;({ entries } = await sandbox.statement())
}, 120_000)
afterAll(() => sandbox.close())

/** Some days with payments and withdrawals of which few days have every kind, as small ledgers do. */
async function makeDays({ client, trigger, clock }: Sandbox): Promise<void> {
  const merchant = client()
  const split = [{ username: 'customer', percentage: 10 }]
  for (const day of [1, 2, 3, 4, 5, 6, 7]) {
    await clock.advance('26h')
    for (const amount of [10 * day + 0.5, 7 * day + 0.99]) {
      const shared = day === 5 ? { split } : {}
      const { transaction_id: id } = await merchant.cashin({ amount, currency: 'BRL', ...shared })
      await trigger('cashin.pay', { id })
      if (day === 3) await trigger('cashin.refund', { id, ...(amount > 30 ? {} : { amount: '3' }) })
    }
    if (day % 2 === 1) continue
    const to = { currency: 'BRL', key: '52998224725', key_type: 'cpf' } as const
    const { transaction_id: id } = await merchant.cashout({ ...to, amount: 5 + day, external_id: `out-day-${day}` })
    await trigger(day === 4 ? 'cashout.fail' : 'cashout.confirm', { id })
    if (day === 6) {
      await clock.advance('24h')
      await trigger('cashout.refund', { id })
    }
  }
}

const generic: Record<string, string> = {
  ...{ charge: 'payment', deposit: 'payment', charge_fee: 'fee', deposit_fee: 'fee', withdrawal: 'payout' },
  ...{ withdrawal_fee: 'fee', withdrawal_return: 'payout_failure', withdrawal_fee_return: 'fee' },
  ...{ dispute_block: 'hold', dispute_release: 'release', dispute_loss: 'chargeback', transfer_sent: 'transfer' },
  ...{ transfer_received: 'transfer', transfer_fee: 'fee', conversion_sent: 'fx', conversion_received: 'fx' },
  conversion_fee: 'fee',
}
type Row = BookRow & { fee?: string; gross?: string }
const negated = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)

const signs: Record<string, (amount: string) => string> = {
  signed: (amount) => amount,
  inverted: negated,
  unsigned: (amount) => amount.replace('-', ''),
}
const layouts: Record<string, (rows: BookRow[]) => Row[]> = {
  'fee rows': (rows) => rows,
  net: (rows) => withFeeColumn(rows, 'net').map(({ fee: _fee, ...row }) => row),
  'gross and fee': (rows) => withFeeColumn(rows, 'gross'),
  'net and fee': (rows) => withFeeColumn(rows, 'net'),
  'gross, fee and net': (rows) => {
    const gross = withFeeColumn(rows, 'gross')
    return withFeeColumn(rows, 'net').map(({ amount, ...row }, at) => ({
      ...{ ...row, gross: gross[at]?.amount ?? '', amount },
    }))
  },
}
const words: Record<string, (row: BookRow) => string> = {
  'types of the statement': ({ type }) => type,
  'general words': ({ type }) => generic[type] ?? type,
}

/** Ledgers of days between `from` and `to`, each written in one way. */
interface Case {
  from: string
  to: string
  sign: string
  layout: string
  word: string
}

/** Returns the accusation of a correct ledger; null if there is none. */
async function accusationOf({ from, to, sign, layout, word }: Case): Promise<string | null> {
  const posted = rowsOf(entries).filter(({ date }) => date >= from && date <= to)
  const signOf = signs[sign] ?? String
  const book = (layouts[layout]?.(posted) ?? []).map((row) => ({
    ...{ ...row, type: words[word]?.(row) ?? row.type, amount: signOf(row.amount), status: '' },
    ...(row.gross === undefined ? {} : { gross: signOf(row.gross) }),
  }))
  const report = await certifyRows(sandbox, book, `?from=${from}&to=${to}`)
  if (report.verdict !== 'failed') return null
  const names = `${from} to ${to}, ${sign}, ${layout}, ${word}`
  return `${names}: ${failedRules(report)}: ${report.mistakes[0]?.observed}`
}

const daysOf = () => [...new Set(rowsOf(entries).map(({ date }) => date))].sort()

test('no correct ledger of a single day is accused, in any layout', async () => {
  const cases = daysOf().flatMap((day) =>
    Object.keys(signs).flatMap((sign) =>
      Object.keys(layouts).map((layout) => ({ from: day, to: day, sign, layout, word: 'general words' })),
    ),
  )
  const accused: (string | null)[] = []
  for (const one of cases) accused.push(await accusationOf(one))
  expect(accused.filter((one) => one !== null)).toEqual([])
})

test('dates with the month first are read by the postings where they do not show their order', async () => {
  const day = rowsOf(entries).at(-1)?.date ?? ''
  const [, month = '', ofMonth = ''] = day.split('-')
  expect(Number(ofMonth)).toBeLessThanOrEqual(12)
  const book = rowsOf(entries)
    .filter(({ date }) => date === day)
    .map((row) => ({ ...row, status: '', date: `${month}/${ofMonth}/${day.slice(0, 4)}` }))
  expect(failedRules(await certifyRows(sandbox, book, `?from=${day}&to=${day}`))).toEqual([])
})

test(`no correct ledger of ${cases} periods and layouts is accused (BOOKS_SEED=${seed})`, async () => {
  const chance = chanceOf(seed)
  const one = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T
  const accused: (string | null)[] = []
  for (let made = 0; made < cases; made++) {
    const [from = '', to = ''] = [one(daysOf()), one(daysOf())].sort()
    const [sign, layout, word] = [one(Object.keys(signs)), one(Object.keys(layouts)), one(Object.keys(words))]
    accused.push(await accusationOf({ from, to, sign, layout, word }))
  }
  expect(accused.filter((one) => one !== null)).toEqual([])
})
