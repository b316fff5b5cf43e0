/** Correct ledgers in four layouts about random months: none is ever accused. And 100,000 entries, with a mistake of every kind. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { booksRuleIds } from '../../src/features/certify/books/rules.js'
import { startSandbox } from '../../src/testing/index.js'
import { plant, planted } from '../support/book-mistakes.js'
import {
  type BookRow,
  certifyRows,
  englishCsv,
  failedRules,
  makeKit,
  portugueseCsv,
  repeatTransactions,
  rowsOf,
  withFeeColumn,
} from '../support/books.js'
import { effortMs, effortSince } from '../support/effort.js'
import { figure, note, seedOf } from '../support/figures.js'

const seed = seedOf('BOOKS_SEED')
let correct = 0
const months = Array.from({ length: figure(2, 100) }, (_, at) => seed + at)

const layouts: Record<string, (rows: readonly BookRow[]) => object[] | Uint8Array<ArrayBuffer>> = {
  'JSON with an entry for each posting': (rows) => [...rows],
  'CSV with English headers': englishCsv,
  'CSV with Portuguese headers, decimal comma and Latin-1': portugueseCsv,
  'net amounts beside a fee column': (rows) => withFeeColumn(rows, 'net'),
  'gross amounts beside a fee column': (rows) => withFeeColumn(rows, 'gross'),
}

test.each(months)('correct ledgers about the random month %i are never accused, in any layout', async (month) => {
  note(`BOOKS_SEED=${seed}: month ${month}`)
  await using sandbox = await startSandbox({ clock: 'manual', seed: `books-${month}` })
  await sandbox.control.call('POST /seed/{name}', { params: { name: 'demo' }, body: { days: figure(12, 30) } })
  for (const account of ['merchant', 'customer']) {
    const { entries } = await sandbox.statement(account)
    const { data } = await sandbox.control.call('GET /transactions', { query: { type: 'cashout', status: 'pending' } })
    const pending = new Set(data.map(({ transaction_id: id }) => id))
    const rows = rowsOf(entries, (id) => pending.has(id))
    for (const [name, layout] of Object.entries(layouts)) {
      const report = await certifyRows(sandbox, layout(rows), `?account=${account}`)
      expect(report.mistakes, `${name} of ${account}, month ${month}`).toEqual([])
      expect(report.verdict).toBe('passed')
    }
  }
  correct++
})

afterAll(() => note(`${correct} random months of correct ledgers, none accused`))

test('in a ledger of 100,000 entries, a mistake of every kind is found by its rule alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-books-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const options = { clock: 'manual', db: join(folder, 'books.db'), cashoutSettle: 'manual' } as const
  const first = await startSandbox(options)
  const kit = await makeKit(first)
  await first.close()
  repeatTransactions(options.db, 2900)
  await using sandbox = await startSandbox(options)
  const { entries } = await sandbox.statement()
  const rows = rowsOf(entries, (id) => id.startsWith(kit.pending))
  expect(rows.length).toBeGreaterThan(100_000)
  const correctMs = await effortMs(async () => {
    expect((await certifyRows(sandbox, englishCsv(rows))).mistakes).toEqual([])
  })

  const [net, others] = [['charge.net'] as const, booksRuleIds.filter((rule) => rule !== 'charge.net')]
  for (const rules of [net, others]) {
    const expected = rules.map((rule, at) => [rule, `${kit[planted[rule].about]}-${100 * (at + 1)}`] as const)
    const book = expected.reduce<readonly BookRow[]>((before, [rule, id]) => plant(planted[rule], before, id), rows)
    const sofar = effortSince()
    const report = await certifyRows(sandbox, englishCsv(book))
    const tookMs = sofar()
    expect(new Set(failedRules(report))).toEqual(new Set(rules))
    const found = report.mistakes.map(({ rule, transaction_id: id }) => `${rule} ${id}`)
    expect(new Set(found)).toEqual(new Set(expected.map(([rule, id]) => `${rule} ${id}`)))
    const layout = rules === net ? 'net amounts' : 'gross amounts'
    const seconds = (tookMs / 1000).toFixed(1)
    note(`${layout} in a ledger of ${book.length} entries: ${rules.length} mistakes found, in ${seconds} s of CPU`)
    expect(tookMs).toBeLessThan(4 * correctMs)
  }
})
