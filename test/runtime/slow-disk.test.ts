/** A slow disk: nothing leaves the sandbox before it is durable, and calls continue meanwhile. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/testing/index.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { openReceiver } from '../support/receiver.js'

type Done = (error: NodeJS.ErrnoException | null) => void

const { fdatasync } = fs
/** Unfinished syncs. */
let asked: Done[] = []
let isHeld = false
let syncs = 0

/** Watches files, with their contents at the start of the last finished sync: a power failure keeps at least this. */
let files: string[] = []
let safe: Buffer[] = []

function watched(fd: number, done: Done): () => void {
  const held = files.map((file) => fs.readFileSync(file))
  return () =>
    fdatasync(fd, (error) => {
      safe = held
      done(error)
    })
}

/** Holds syncs until the test finishes them. */
beforeEach(() => {
  asked = []
  isHeld = false
  syncs = 0
  files = []
  const slow = (fd: number, done: Done) => {
    syncs++
    const sync = watched(fd, done)
    if (isHeld) asked.push((error) => (error === null ? sync() : done(error)))
    else sync()
  }
  Object.assign(fs, { fdatasync: slow })
  syncBuiltinESMExports()
})
afterEach(() => {
  Object.assign(fs, { fdatasync })
  syncBuiltinESMExports()
})

function answer(error: NodeJS.ErrnoException | null = null): void {
  isHeld = false
  for (const done of asked.splice(0)) done(error)
}

async function started(webhookUrl?: string) {
  const db = join(temporaryFolder(), 'sandbox.db')
  const sandbox = await startSandbox({ db, webhookUrl, rateLimits: false })
  onTestFinished(() => {
    answer()
    return sandbox.close()
  })
  const api = sandbox.client('merchant')
  // Requests the token now, so that the next method makes only one call.
  await api.balance()
  const charge = (external_id: string) => api.cashin({ amount: 10, currency: 'BRL', external_id })
  return { db, sandbox, api, charge }
}

/** Whether a promise has settled after all pending work has run. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  let open = true
  const end = () => {
    open = false
  }
  promise.then(end, end)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
  return open
}

test('no response, webhook or change is sent before it is durable', async () => {
  const posts = await openReceiver()
  const { sandbox, api, charge } = await started(posts.url)
  const { transaction_id: id } = await charge('a')
  const seen: string[] = []
  const following = new AbortController()
  const stream = await fetch(`${sandbox.url}/_sandbox/stream`, { signal: following.signal })
  const reading = (async () => {
    const reader = stream.body?.getReader()
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
      seen.push(Buffer.from(part.value).toString())
  })().catch(() => undefined)
  isHeld = true
  const paid = sandbox.trigger('cashin.pay', { id })
  await eventually(
    async () => asked.length,
    (waiting) => waiting > 0,
  )
  // A read of data that is not durable waits for it: this balance contains the payment.
  const balance = api.balance()
  const listed = sandbox.transactions.list()
  for (const waiting of [paid, balance, listed]) expect(await isOpen(waiting)).toBe(true)
  expect(posts.all).toHaveLength(0)
  expect(seen.join('')).not.toContain('confirmed')
  answer()
  await Promise.all([paid, balance, listed])
  await eventually(
    async () => [posts.all.length, seen.join('').includes('"status":"confirmed"')],
    ([arrived, reported]) => arrived === 1 && reported === true,
  )
  following.abort()
  await reading
})

test('calls during a sync are handled, and are durable with the next sync', async () => {
  const { sandbox, charge } = await started()
  isHeld = true
  const first = charge('first')
  await eventually(
    async () => asked.length,
    (waiting) => waiting === 1,
  )
  const others = Array.from({ length: 20 }, (_, at) => charge(`other-${at}`))
  expect(await isOpen(Promise.any(others))).toBe(true)
  const before = syncs
  answer()
  await Promise.all([first, ...others])
  // One sync covers all calls that have arrived; separate waits would need one sync for each call.
  expect(syncs - before).toBeLessThan(others.length)
  expect(await sandbox.transactions.list()).toHaveLength(21)
})

test('a failed sync is 503, and the whole log is rewritten before anything else is acknowledged', async () => {
  const posts = await openReceiver()
  const { db, sandbox, charge } = await started(posts.url)
  await charge('kept')
  isHeld = true
  const refused = charge('refused')
  await eventually(
    async () => asked.length,
    (waiting) => waiting === 1,
  )
  answer(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  await expect(refused).rejects.toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
  const before = syncs
  // After a 503 the call may have taken effect; repeating it with the same external_id shows it.
  const again = await charge('refused')
  expect(syncs).toBe(before)
  expect(fs.statSync(`${db}-wal`).size).toBe(0)
  await sandbox.trigger('cashin.pay', { id: again.transaction_id })
  expect(syncs).toBeGreaterThan(before)
  await eventually(
    async () => posts.all.length,
    (arrived) => arrived === 1,
  )
})

test('a webhook whose event could not be stored waits until it is durable', async () => {
  const posts = await openReceiver()
  const { sandbox, charge } = await started(posts.url)
  const { transaction_id: id } = await charge('a')
  isHeld = true
  const paid = sandbox.trigger('cashin.pay', { id })
  await eventually(
    async () => asked.length,
    (waiting) => waiting > 0,
  )
  answer(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  await expect(paid).rejects.toMatchObject({ status: 503 })
  await eventually(
    async () => posts.all.length,
    (arrived) => arrived === 1,
  )
  expect(posts.all).toHaveLength(1)
})

test('acknowledged calls survive a power failure', async () => {
  const { db, charge } = await started()
  files = [db, `${db}-wal`]
  const acknowledged: string[] = []
  const moments: { names: string[]; left: Buffer[] }[] = []
  for (let round = 0; round < 4; round++) {
    const names = Array.from({ length: 10 }, (_, at) => `order-${round}-${at}`)
    await Promise.all(
      names.map(async (name) => {
        await charge(name)
        acknowledged.push(name)
        // One sync does not answer all calls of a round.
        if (name.endsWith('5')) moments.push({ names: [...acknowledged], left: safe })
      }),
    )
  }
  files = []
  for (const { names, left } of moments) {
    const again = join(temporaryFolder(), 'sandbox.db')
    for (const [at, bytes] of left.entries()) fs.writeFileSync(at === 0 ? again : `${again}-wal`, bytes)
    const sandbox = await startSandbox({ db: again })
    const found = (await sandbox.transactions.list()).map((row) => row.external_id)
    expect(found).toEqual(expect.arrayContaining(names))
    await sandbox.close()
  }
})
