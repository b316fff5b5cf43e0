/** Snapshots of a large database: calls continue while it is saved, restored, exported, imported and audited. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { figure } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { manyCharges } from '../support/many-charges.js'
import { run, startHereForTest } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'

const charges = figure(8000, 20_000)

const unfinished = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.new'))

/** This many responses show that calls continue. Later calls are slower, to leave the CPU to the work. */
const enough = 10

/** Returns how many sequential calls were answered while `work` ran. */
async function answeredDuring<T>(url: string, work: Promise<T>): Promise<{ result: T; answered: number }> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  let answered = 0
  while (!isOver) {
    await control(url)('GET', '/clock')
    if (!isOver) answered++
    if (answered > enough) await pause(20)
  }
  return { result: await work, answered }
}

test(`other calls are answered while snapshots of ${charges} paid charges are saved and restored and the ledger is checked`, async () => {
  const folder = temporaryFolder()
  const db = join(folder, 'sandbox.db')
  await manyCharges(db, charges)
  const { url } = await openSandbox({ clock: 'manual' }, { db })
  const call = control(url)
  const ledger = (await call('GET', '/ledger')).body
  expect(ledger.balanced).toBe(true)
  let file = ''
  const steps: Record<string, () => Promise<{ status: number }>> = {
    ledger: () => call('GET', '/ledger'),
    save: () => call('POST', '/snapshots', { name: 'large' }),
    restore: () => call('POST', '/snapshots/large/restore'),
    async export() {
      const answer = await fetch(`${url}/_sandbox/snapshots/large/export`)
      file = await answer.text()
      return answer
    },
    import: () =>
      fetch(`${url}/_sandbox/snapshots/again/import`, { method: 'POST', body: new TextEncoder().encode(file) }),
    'restore of the import': () => call('POST', '/snapshots/again/restore'),
  }
  for (const [step, work] of Object.entries(steps)) {
    const { result, answered } = await answeredDuring(url, work())
    expect([step, result.status]).toEqual([step, 200])
    expect(answered, step).toBeGreaterThan(5)
  }
  expect(file.length).toBeGreaterThan(1700 * charges)
  expect((await call('GET', '/ledger')).body).toEqual(ledger)
  expect(unfinished(folder)).toEqual([])
})

test('an interrupted upload and an interrupted export leave nothing behind', async () => {
  const folder = temporaryFolder()
  const db = join(folder, 'sandbox.db')
  const { url } = await openSandbox({}, { db })
  await control(url)('POST', '/snapshots', { name: 'kept' })
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"format": ')),
    pull: () => new Promise(() => undefined),
  })
  const leaving = new AbortController()
  const sent = fetch(`${url}/_sandbox/snapshots/new/import`, {
    method: 'POST',
    body,
    signal: leaving.signal,
    duplex: 'half',
  } as RequestInit)
  await eventually(
    async () => unfinished(folder),
    (files) => files.length === 1,
  )
  leaving.abort()
  await expect(sent).rejects.toThrow()
  const read = await fetch(`${url}/_sandbox/snapshots/kept/export`)
  await read.body?.cancel()
  expect((await fetch(`${url}/_sandbox/snapshots/kept/export`, { method: 'HEAD' })).status).toBe(200)
  await eventually(
    async () => unfinished(folder),
    (files) => files.length === 0,
  )
  expect((await control(url)('GET', '/snapshots')).body.data).toHaveLength(1)
})

test('a sandbox that stops while it saves a snapshot leaves an intact database and no partial snapshot', async () => {
  const folder = temporaryFolder()
  const db = join(folder, 'sandbox.db')
  await manyCharges(db, 5000)
  const first = await openSandbox({ clock: 'manual' }, { db })
  const saved = control(first.url)('POST', '/snapshots', { name: 'late' }).catch(() => undefined)
  await eventually(
    async () => unfinished(folder),
    (files) => files.length === 1,
  )
  await first.close(0)
  await saved
  const { url } = await openSandbox({ clock: 'manual' }, { db })
  expect(unfinished(folder)).toEqual([])
  expect((await control(url)('GET', '/ledger')).body.balanced).toBe(true)
})

test('a database stays locked to other processes after its snapshots were saved and restored', async () => {
  await built()
  const db = join(temporaryFolder(), 'sandbox.db')
  const { url } = await openSandbox({}, { db })
  for (const path of ['/snapshots', '/snapshots/one/restore', '/snapshots']) {
    expect((await control(url)('POST', path, path === '/snapshots' ? { name: 'one' } : undefined)).status).toBe(200)
    const second = await run(['start', '--port', '0', '--db', db])
    expect([path, second.code]).toEqual([path, 1])
    expect(second.stderr).toContain(db)
  }
})

test('a file over the limit of --max-import-mb is rejected with the limit, and any size is accepted by default', async () => {
  await built()
  const folder = temporaryFolder()
  const golden = join(folder, 'golden.json')
  const limited = await startHereForTest(['--max-import-mb', '1', '--db', join(folder, 'sandbox.db')])
  const env = { PAYMENTS_SANDBOX_URL: limited.url }
  expect((await run(['snapshot', 'export', golden], { env })).code).toBe(0)
  expect((await run(['snapshot', 'import', golden], { env })).code).toBe(0)
  const post = (url: string, megabytes: number) => {
    const padded = readFileSync(golden, 'utf8') + ' '.repeat(megabytes * 1024 ** 2)
    return fetch(`${url}/_sandbox/snapshots/large/import`, { method: 'POST', body: new TextEncoder().encode(padded) })
  }
  const refused = await post(limited.url, 1)
  expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('"max_bytes":1048576')])
  expect(unfinished(folder)).toEqual([])
  // Larger than the limit of other requests.
  expect((await post((await openSandbox()).url, 33)).status).toBe(200)
})
