/** Ledgers of integrators against the statement: each planted mistake is found by its rule alone, and correct books are never accused. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { booksRuleIds } from '../../src/features/certify/books/rules.js'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'
import { plant, planted } from '../support/book-mistakes.js'
import {
  type BookRow,
  certifyRows,
  failedRules,
  type Kit,
  makeKit,
  repeatTransactions,
  rowsOf,
} from '../support/books.js'
import { note } from '../support/figures.js'

const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-books-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface World {
  sandbox: Sandbox
  kit: Kit
  rows: BookRow[]
}

/** A sandbox with so many copies of every kind of transaction. */
async function openWorld(copies: number): Promise<World> {
  const options = { clock: 'manual', db: join(folder, `${copies}.db`), cashoutSettle: 'manual' } as const
  const first = await startSandbox(options)
  const kit = await makeKit(first)
  await first.close()
  if (copies > 0) repeatTransactions(options.db, copies)
  const sandbox = await startSandbox(options)
  const { entries } = await sandbox.statement()
  return { sandbox, kit, rows: rowsOf(entries, (id) => id.startsWith(kit.pending)) }
}

describe.each([
  { size: '40', copies: 0 },
  { size: '1,000', copies: 28 },
])('in a ledger of about $size entries', ({ copies }) => {
  let world: World
  let found = 0
  beforeAll(async () => {
    world = await openWorld(copies)
  })
  afterAll(async () => {
    note(`${copies === 0 ? 'small' : 'medium'} ledger, ${world.rows.length} entries: ${found} mistakes found`)
    await world.sandbox.close()
  })

  test('the correct ledger passes', async () => {
    const report = await certifyRows(world.sandbox, world.rows)
    expect(report.mistakes).toEqual([])
    expect(report.verdict).toBe('passed')
    expect(report.rules.filter(({ result }) => result !== 'passed')).toEqual([])
  })

  test.each([
    {
      story: 'an entry of an unknown transaction alone',
      kept: () => [{ ...world.rows[0], transaction_id: 'tx_unknown', external_id: '' }],
      passed: [],
    },
    {
      story: 'the entries of one charge alone',
      kept: () => world.rows.filter(({ transaction_id: id }) => id === world.kit.paid),
      passed: [
        ...['entry.once', 'entry.known', 'amount.exact', 'amount.sign', 'amount.rounded', 'amount.decimals'],
        ...['charge.net', 'fee.booked', 'fee.once', 'day.exact'],
      ],
    },
  ])('$story: a requirement that has nothing to compare is inconclusive and says why', async ({ kept, passed }) => {
    const { rules, entries } = await certifyRows(world.sandbox, kept())
    const of = (wanted: string) => rules.filter(({ result }) => result === wanted)
    expect(of('passed').map(({ id }) => id)).toEqual(passed)
    expect(
      of('failed')
        .map(({ id }) => id)
        .filter((id) => id !== 'entry.known'),
    ).toEqual(['entry.missing', 'deposit.booked', 'transfer.both-sides'])
    expect(of('inconclusive').map(({ id }) => id)).toContain('refund.booked')
    for (const { observed } of of('inconclusive')) expect(observed).toMatch(/^the (ledger|statement) has no \w/)
    const { failed, pending } = world.kit
    const ids = new Set(world.rows.map(({ transaction_id: id }) => id))
    const needed = [...ids].filter((id) => !id.startsWith(failed) && !id.startsWith(pending))
    expect(entries.unbooked).toBe(needed.length - (passed.length === 0 ? 0 : 1))
  })

  test('a failed withdrawal that is booked without its fee and never booked back violates both requirements', async () => {
    const id = world.kit.failed
    const isBooked = ({ transaction_id, type }: BookRow) => transaction_id !== id || type === 'withdrawal'
    const report = await certifyRows(world.sandbox, world.rows.filter(isBooked))
    expect(failedRules(report)).toEqual(['fee.booked', 'withdrawal.returned'])
  })

  test.each(booksRuleIds.map((rule) => ({ rule, ...planted[rule] })))(
    '$story: found by $rule alone',
    async ({ rule, ...mistake }) => {
      const id = world.kit[mistake.about] + (copies === 0 ? '' : `-${Math.ceil(copies / 2)}`)
      const report = await certifyRows(world.sandbox, plant(mistake, world.rows, id))
      expect(failedRules(report), JSON.stringify(report.mistakes, null, 1)).toEqual([rule])
      expect(new Set(report.mistakes.map((one) => one.transaction_id))).toEqual(new Set([id]))
      expect(report.verdict).toBe('failed')
      const [{ reason } = { reason: null }] = report.mistakes
      if (rule.endsWith('.once')) {
        expect(report.mistakes).toHaveLength(1)
        expect(reason).toMatch(/^already booked in row \d+$/)
        expect(report.rules.find((one) => one.id === rule)?.fix).toMatch(/unique constraint/)
      }
      found++
    },
  )
})
