/** A full disk: writes are rejected, reads continue, nothing is acknowledged without being stored, and the sandbox recovers by itself. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { deliveriesOf, named } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { gate } from '../support/gate.js'
import { launch, type Running, startProgram } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'

/** Limits the size of the program's files, like a full disk, or removes the limit. */
function setDisk(program: Running, state: 'full' | 'free'): void {
  const limit = state === 'full' ? '4096:unlimited' : 'unlimited:unlimited'
  execFileSync('prlimit', ['--pid', String(program.child.pid), `--fsize=${limit}`])
}

async function started(db: string, ...args: string[]) {
  await built()
  const program = await startProgram(['--db', db, '--no-rate-limits', ...args])
  return { program, api: await openClient(program.url), sandbox: await deliveriesOf(program.url) }
}

const charge = (external_id: string) => ({ amount: 10, currency: 'BRL', external_id })
const refused = { success: false, error: { code: 'SERVICE_UNAVAILABLE', retryable: true, group: 'system' } }

describe('while the disk is full', () => {
  test('writes are rejected with 503, reads continue, and everything works again once there is room', async () => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const { program, api, sandbox } = await started(db)
    await sandbox.pay(named('before', 5))
    setDisk(program, 'full')
    const attempts = await Promise.all(
      named('during', 20).map((name) => api.post('/v2/transactions/cashin', charge(name))),
    )
    for (const { status, body } of attempts) expect([status, body]).toEqual([503, expect.objectContaining({})])
    expect(attempts[0]?.body).toMatchObject(refused)
    for (const [method, path, body] of [
      ['POST', '/trigger', { action: 'cashin.refund', id: 'before-0000' }],
      ['PUT', '/accounts/merchant/balances', { BRL: '1.00' }],
      ['POST', '/reset', undefined],
      ['GET', '/health', undefined],
    ] as const)
      expect([path, (await sandbox.ask(method, path, body)).status]).toEqual([path, 503])
    expect((await api.get('/v2/account/balance')).status).toBe(200)
    expect((await sandbox.call('GET', '/transactions?limit=100')).data).toHaveLength(5)
    expect((await sandbox.call('GET', '/ledger')).balanced).toBe(true)

    setDisk(program, 'free')
    expect((await sandbox.ask('GET', '/health')).status).toBe(200)
    await sandbox.pay(['after'])
    const again = await api.post('/v2/transactions/cashin', charge('during-0000'))
    expect(again.status).toBe(200)
    await program.stop('SIGKILL')

    const second = await started(db)
    const { data } = await second.sandbox.call('GET', '/transactions?limit=100')
    expect(data.map((row: { external_id: string }) => row.external_id).toSorted()).toEqual(
      ['after', ...named('before', 5), 'during-0000'].toSorted(),
    )
    expect((await second.sandbox.call('GET', '/ledger')).balanced).toBe(true)
    await second.program.stop()
  })

  test('health reports a full disk when there is room for a byte but not for a charge', async () => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const { program, api, sandbox } = await started(db)
    await sandbox.pay(['before'])
    const limit = `${statSync(`${db}-wal`).size + 6000}:unlimited`
    execFileSync('prlimit', ['--pid', String(program.child.pid), `--fsize=${limit}`])
    expect((await api.post('/v2/transactions/cashin', charge('during'))).status).toBe(503)
    expect((await sandbox.ask('GET', '/health')).status).toBe(503)
    setDisk(program, 'free')
    expect((await sandbox.ask('GET', '/health')).status).toBe(200)
    await program.stop()
  })

  test('a webhook in flight is recorded once there is room, and sent once', async () => {
    const full = gate()
    const posts = await openReceiver(() => ({ until: full.opened }))
    const { program, sandbox } = await started(join(temporaryFolder(), 'sandbox.db'), '--webhook-url', posts.url)
    await sandbox.pay(['order'])
    await eventually(
      async () => posts.all.length,
      (count) => count === 1,
    )
    setDisk(program, 'full')
    full.open()
    await eventually(
      async () => posts.open,
      (open) => open === 0,
    )
    expect((await sandbox.event('order')).status).toBe('pending')
    expect((await sandbox.ask('POST', '/clock/advance', { by: '1s' })).status).toBe(503)
    setDisk(program, 'free')
    await sandbox.eventOnce('order', ({ status }) => status === 'delivered')
    await sandbox.advance({ by: '1h' })
    expect(posts.all).toHaveLength(1)
    await program.stop()
  })

  test('a rejected reset leaves everything unchanged: rows, clock, ids, webhooks in flight', async () => {
    const refusedReset = gate()
    const posts = await openReceiver((_post, index) => (index === 0 ? { until: refusedReset.opened } : {}))
    const args = ['--webhook-url', posts.url, '--seed', 'fixed']
    const { program, sandbox } = await started(join(temporaryFolder(), 'sandbox.db'), ...args)
    await sandbox.advance({ by: '30d' })
    await sandbox.call('PUT', '/clock', { mode: 'manual' })
    await sandbox.call('POST', '/accounts', { username: 'third' })
    const before = await sandbox.call('GET', '/clock')
    const renewed = await deliveriesOf(program.url)
    await renewed.pay(['order'])
    await eventually(
      async () => posts.open,
      (count) => count === 1,
    )
    setDisk(program, 'full')
    expect((await sandbox.ask('POST', '/reset')).status).toBe(503)
    expect(await sandbox.call('GET', '/clock')).toMatchObject({ now: before.now, mode: 'manual' })
    setDisk(program, 'free')
    refusedReset.open()
    await sandbox.call('POST', '/accounts', { username: 'fourth' })
    await renewed.pay(['later'])
    for (const name of ['order', 'later']) await sandbox.eventOnce(name, ({ status }) => status === 'delivered')
    expect(posts.all).toHaveLength(2)
    await program.stop()
  })

  test('due jobs run once there is room, without another call', async () => {
    const posts = await openReceiver()
    const { program, api, sandbox } = await started(join(temporaryFolder(), 'sandbox.db'), '--webhook-url', posts.url)
    await api.withdraw('payout')
    setDisk(program, 'full')
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect((await sandbox.call('GET', '/transactions?external_id=payout')).data[0].status).toBe('pending')
    setDisk(program, 'free')
    await eventually(
      async () => posts.all.map(({ headers }) => headers['x-webhook-event']),
      (came) => came.includes('cashout.confirmed'),
    )
    await program.stop()
  })
})

test('a second start on the same file stops at once and does not harm the first', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const { program, sandbox } = await started(db)
  await sandbox.pay(['before'])
  for (let count = 0; count < 3; count += 1) {
    const child = launch(['start', '--port', '0', '--db', db])
    expect(await new Promise((resolve) => child.once('close', resolve))).not.toBe(0)
  }
  await sandbox.pay(['after'])
  expect((await sandbox.call('GET', '/transactions')).data).toHaveLength(2)
  expect((await sandbox.ask('GET', '/health')).status).toBe(200)
  expect(await program.stop()).toBe(0)
})

test('while the folder of the database is gone calls are rejected, and afterwards everything works again', async () => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  const db = join(folder, 'sandbox.db')
  const { program, api, sandbox } = await started(db)
  await sandbox.ask('POST', '/workspaces', { name: 'other' })
  await sandbox.pay(named('before', 5))
  rmSync(folder, { recursive: true })
  const refusals = await Promise.all([
    ...named('during', 10).map((name) => api.post('/v2/transactions/cashin', charge(name))),
    ...(
      [
        ['POST', '/trigger', { action: 'cashin.refund', id: 'before-0000' }],
        ['POST', '/snapshots', { name: 'x' }],
        ['POST', '/workspaces', { name: 'more' }],
        ['POST', '/reset', undefined],
        ['GET', '/health', undefined],
      ] as const
    ).map(([method, path, body]) => sandbox.ask(method, path, body)),
  ])
  for (const { status, body } of refusals) expect({ status, body }).toMatchObject({ status: 503, body: refused })
  expect((await api.get('/v2/account/balance')).status).toBe(200)
  expect((await sandbox.call('GET', '/transactions?limit=100')).data).toHaveLength(5)

  mkdirSync(folder)
  expect((await sandbox.ask('GET', '/health')).status).toBe(200)
  expect((await api.post('/v2/transactions/cashin', charge('after'))).status).toBe(200)
  expect(program.errors()).not.toMatch(/^\s+at /m)
  await program.stop('SIGKILL')
  const again = await started(db)
  const { data } = await again.sandbox.call('GET', '/transactions?limit=100')
  const names = data.map(({ external_id }: { external_id: string }) => external_id)
  expect(names.toSorted()).toEqual(['after', ...named('before', 5)])
  expect((await again.sandbox.call('GET', '/ledger')).balanced).toBe(true)
  await again.program.stop()
})

test('a folder that was moved away is used again when it is back, and another file in its place stays untouched', async () => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  const db = join(folder, 'sandbox.db')
  const { program, api, sandbox } = await started(db)
  await sandbox.pay(named('before', 1))
  renameSync(folder, `${folder}-away`)
  mkdirSync(folder)
  writeFileSync(db, 'of somebody else')
  expect((await api.post('/v2/transactions/cashin', charge('during'))).body).toMatchObject(refused)
  expect(readFileSync(db, 'utf8')).toBe('of somebody else')
  rmSync(folder, { recursive: true })
  renameSync(`${folder}-away`, folder)
  expect((await api.post('/v2/transactions/cashin', charge('after'))).status).toBe(200)
  expect((await sandbox.call('GET', '/transactions?limit=100')).data).toHaveLength(2)
  expect(await program.stop()).toBe(0)
})

test('health reports whether a charge would succeed, however little room is left', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const { program, api, sandbox } = await started(db)
  await sandbox.pay(named('before', 2))
  const log = statSync(`${db}-wal`).size
  // Frees room for one small change at a time.
  execFileSync('prlimit', ['--pid', String(program.child.pid), `--fsize=${log + 3 * 4120}:unlimited`])
  const charges = []
  for (const name of named('during', 3)) charges.push((await api.post('/v2/transactions/cashin', charge(name))).status)
  const health = (await sandbox.ask('GET', '/health')).status
  expect([charges.at(-1), health]).toEqual([503, 503])
  setDisk(program, 'free')
  expect((await sandbox.ask('GET', '/health')).status).toBe(200)
  expect((await api.post('/v2/transactions/cashin', charge('after'))).status).toBe(200)
  await program.stop()
})
