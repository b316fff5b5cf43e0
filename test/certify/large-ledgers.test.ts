/** Large ledgers: refused before anything is kept, or handled in a thread while other callers are answered. */
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { control } from '../support/http.js'
import { answeredDuring, busyDuring, many, mostBusy } from '../support/large-bodies.js'
import { openSandbox } from '../support/sandbox.js'

const idOf = (at: number) => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`
const entry = (at: number) => ({ transaction_id: idOf(at), type: 'charge', currency: 'BRL', amount: '10.00' })

test('a ledger of 30,000 entries is certified in a thread, as JSON and as CSV', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const { transaction_id: known } = (await (await openClient(url)).cashin({ amount: 10, currency: 'BRL' })).data
  await control(url)('POST', '/trigger', { action: 'cashin.pay', id: known })
  // Without an entry of the account, the ledger would only be asked for its column of ids.
  const rows = [{ ...entry(0), transaction_id: known }, ...many(29_999, entry)]
  const csv = `transaction_id,type,currency,amount\n${rows.map((row) => Object.values(row).join(',')).join('\n')}`
  const json = await busyDuring(url, '/certify/books', 'application/json', JSON.stringify({ entries: rows }))
  const table = await busyDuring(url, '/certify/books', 'text/csv', csv)
  for (const { status, body, busy } of [json, table]) {
    expect([status, body.verdict, body.entries.total]).toEqual([200, 'failed', 30_000])
    expect(busy).toBeLessThan(mostBusy)
  }
})

test('an entry, entries together and a CSV header with more than 200 columns are refused', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const names = many(300_000, (at) => `k${at}`)
  const bodies: [type: string, text: string][] = [
    ['application/json', JSON.stringify({ entries: [Object.fromEntries(names.map((name) => [name, 1]))] })],
    ['application/json', JSON.stringify({ entries: names.map((name) => ({ [name]: 1 })) })],
    ['text/csv', `${names.join(',')}\n${names.map(() => '1').join(',')}`],
  ]
  for (const [type, text] of bodies) {
    const { status, body, answered } = await answeredDuring(url, '/certify/books', type, text)
    expect([status, body.error.details.rule]).toEqual([
      422,
      'The ledger has more than 200 columns; at most 200 are allowed.',
    ])
    expect(answered).toBeGreaterThan(2)
  }
})

test('errors in large ledgers are those of small ones', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const entries = many(5000, entry)
  const cases: [text: string, expected: unknown[]][] = [
    [`${JSON.stringify({ entries })}}`, [400, 'INVALID_JSON']],
    [JSON.stringify({ entries, acount: 'merchant' }), [422, 'INVALID_VALUE']],
    [JSON.stringify({ entries, account: 'nobody' }), [404, 'NOT_FOUND']],
  ]
  for (const [text, expected] of cases) {
    const { status, body } = await answeredDuring(url, '/certify/books', 'application/json', text)
    expect([status, body.error.code], text.slice(-100)).toEqual(expected)
  }
})
