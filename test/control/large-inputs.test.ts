/** Large inputs of one caller: refused before anything is kept, or handled in a thread while other callers are answered. */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { manyCharges } from '../support/many-charges.js'
import { recordTraffic } from '../support/recorded-traffic.js'
import { harOf } from '../support/recording.js'
import { openSandbox } from '../support/sandbox.js'

/** Sends a large body, and measures the share of the time for which the event loop of the sandbox, which is that of the test, is busy. */
async function busyDuring(url: string, path: string, type: string, text: string) {
  const body = new TextEncoder().encode(text)
  const before = performance.eventLoopUtilization()
  const answer = await fetch(`${url}/_sandbox${path}`, { method: 'POST', headers: { 'Content-Type': type }, body })
  const { utilization: busy } = performance.eventLoopUtilization(before)
  return { status: answer.status, body: await answer.json(), busy }
}

/** Without a thread the loop is always busy, with one for less than a quarter of the time. */
const mostBusy = 0.6

/** This many responses show that calls continue. Later calls are slower, to leave the CPU to the work. */
const enough = 10

/** Sends a large body, and counts the calls that are answered one after the other until its response. */
async function answeredDuring(url: string, path: string, type: string, text: string) {
  const body = new TextEncoder().encode(text)
  let answered = 0
  let isOver = false
  const sent = fetch(`${url}/_sandbox${path}`, { method: 'POST', headers: { 'Content-Type': type }, body })
    .then(async (answer) => ({ status: answer.status, body: await answer.json() }))
    .finally(() => {
      isOver = true
    })
  // Until the body has arrived, calls are answered in any case.
  await pause(50)
  while (!isOver) {
    await control(url)('GET', '/health')
    if (!isOver) answered++
    if (answered > enough) await pause(20)
  }
  return { ...(await sent), answered }
}

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
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

test('a recording of a thousand calls is compared in a thread, and the report is that of a small one', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const recorded = await recordTraffic({}, async ({ api }) => void (await api.cashin({ amount: 10, currency: 'BRL' })))
  const [call] = recorded.filter(({ _webhook }) => !_webhook)
  const repeated = many(1000, (at) => ({
    ...call,
    startedDateTime: new Date(Date.parse(call.startedDateTime) + at * 1000).toISOString(),
  }))
  const { status, body, busy } = await busyDuring(url, '/compare', 'application/json', harOf(repeated))
  expect([status, body.exchanges]).toEqual([200, 1000])
  expect(busy).toBeLessThan(mostBusy)
})

test('a recording with a field beside its log is refused before the field is read', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const log = JSON.parse(harOf([])).log
  const large = Object.fromEntries(many(300_000, (at) => [`k${at}`, 1]))
  for (const value of [1, large]) {
    const { status, body } = await answeredDuring(
      url,
      '/compare',
      'application/json',
      JSON.stringify({ log, x: value }),
    )
    expect([status, body.error.details]).toEqual([
      422,
      { field: 'x', rule: 'is not a field of this call', fields: ['log'] },
    ])
  }
})

test('errors in large inputs are those of small ones', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const entries = many(5000, entry)
  const cases: [path: string, text: string, expected: unknown[]][] = [
    ['/certify/books', `${JSON.stringify({ entries })}}`, [400, 'INVALID_JSON']],
    ['/certify/books', JSON.stringify({ entries, acount: 'merchant' }), [422, 'INVALID_VALUE']],
    ['/certify/books', JSON.stringify({ entries, account: 'nobody' }), [404, 'NOT_FOUND']],
    ['/compare', ' '.repeat(100_000), [422, 'INVALID_VALUE']],
    ['/compare', `${' '.repeat(100_000)}[]`, [422, 'INVALID_VALUE']],
  ]
  for (const [path, text, expected] of cases) {
    const { status, body } = await answeredDuring(url, path, 'application/json', text)
    expect([status, body.error.code], text.slice(-100)).toEqual(expected)
  }
})

test('a large snapshot is imported, restored and exported in a thread by a sandbox in memory', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  await manyCharges(db, 4000)
  const file = await openSandbox({ clock: 'manual' }, { db })
  await control(file.url)('POST', '/snapshots', { name: 'large' })
  const text = await (await fetch(`${file.url}/_sandbox/snapshots/large/export`)).text()
  const { url } = await openSandbox({ clock: 'manual' })
  const imported = await answeredDuring(url, '/snapshots/copy/import', 'application/json', text)
  expect([imported.status, imported.body.name]).toEqual([200, 'copy'])
  expect(imported.answered).toBeGreaterThan(5)
  const damaged = await answeredDuring(url, '/snapshots/other/import', 'application/json', text.slice(0, -100))
  expect([damaged.status, damaged.body.error.details.rule]).toEqual([422, expect.stringContaining('damaged')])
  expect((await answeredDuring(url, '/snapshots/copy/restore', 'application/json', '')).status).toBe(200)
  expect((await control(url)('GET', '/counts')).body).toEqual((await control(file.url)('GET', '/counts')).body)
  expect(await (await fetch(`${url}/_sandbox/snapshots/copy/export`)).text()).toBe(text)
  // A large image is sealed in pieces. The export checks the seal.
  expect((await answeredDuring(url, '/snapshots', 'application/json', '{"name":"again"}')).status).toBe(200)
  expect((await fetch(`${url}/_sandbox/snapshots/again/export`)).status).toBe(200)
})
