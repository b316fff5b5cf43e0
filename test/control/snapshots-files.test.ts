/** A snapshot as a file: exported from one sandbox and imported into another, with all checks of a restore. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256Hex } from '../../src/base/crypto.js'
import { startSandbox } from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { temporaryFolder } from '../support/folder.js'
import { type Body, control, send } from '../support/http.js'
import { run, startHereForTest } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'

/** Creates a paid charge, an open one, and a pending withdrawal. */
async function use(url: string): Promise<string> {
  const api = await openClient(url)
  const paid = await api.charge({ external_id: 'paid' })
  await control(url)('POST', '/trigger', { action: 'cashin.pay', id: paid })
  await api.signed('/v2/transactions/cashout', {
    amount: 5,
    currency: 'BRL',
    key: '52998224725',
    key_type: 'cpf',
    external_id: 'out',
  })
  return api.charge({ external_id: 'open' })
}

async function stateOf(url: string): Promise<Body> {
  const call = control(url)
  const [transactions, ledger, webhooks, clock, inbox] = await Promise.all(
    ['/transactions', '/ledger', '/webhooks', '/clock', '/inbox/mine'].map(
      async (path) => (await call('GET', path)).body,
    ),
  )
  // Page URLs begin with the sandbox's URL, so they differ.
  return JSON.parse(JSON.stringify({ transactions, ledger, webhooks, clock, inbox }).replaceAll(url, ''))
}

async function exported(url: string, name = 'golden'): Promise<Body> {
  await control(url)('POST', '/snapshots', { name })
  const { status, body } = await control(url)('GET', `/snapshots/${name}/export`)
  expect(status).toBe(200)
  return body
}

const seal = ({ sha256: _, ...file }: Body) => ({
  ...file,
  sha256: sha256Hex(JSON.stringify([file.version, file.schema, file.tables])),
})

test('a snapshot file carries the whole state from one sandbox to another, in memory or on a file', async () => {
  const first = await openSandbox({ clock: 'manual' })
  const charge = await use(first.url)
  await send('POST', `${first.url}/_sandbox/inbox/mine`, '{"kept":true}')
  const before = await stateOf(first.url)
  const file = await exported(first.url)
  for (const db of [':memory:', join(temporaryFolder(), 'sandbox.db')]) {
    const { url } = await openSandbox({}, { db })
    const call = control(url)
    const kept = await send('POST', `${url}/_sandbox/snapshots/here/import`, JSON.stringify(file))
    expect([kept.status, kept.body]).toEqual([200, expect.objectContaining({ name: 'here' })])
    // The import only saves a snapshot; the state has not changed yet.
    expect((await call('GET', '/transactions')).body.data).toEqual([])
    expect((await call('POST', '/snapshots/here/restore')).status).toBe(200)
    expect(await stateOf(url)).toEqual(before)
    const { body } = await call('POST', '/clock/advance', { by: '2h' })
    expect(body.ran).toContainEqual(expect.objectContaining({ job: 'expire', id: charge }))
    // Another export differs only in the values that a restore writes.
    expect((await exported(url, 'here-too')).tables.transactions.columns).toEqual(file.tables.transactions.columns)
  }
})

test('a damaged, foreign or newer snapshot file is rejected with the reason, and changes nothing', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  await use(url)
  const file = await exported(url)
  const text = JSON.stringify(file)
  const before = await stateOf(url)
  const edited = (change: (copy: Body) => unknown) => {
    const copy = structuredClone(file)
    change(copy)
    return JSON.stringify(seal(copy))
  }
  const rowsOf = (copy: Body, table: string): Body[][] => copy.tables[table].rows
  const bad: Record<string, string | Uint8Array> = {
    'cut off': text.slice(0, text.length / 2),
    empty: '',
    'a text': 'hello',
    'a number': '42',
    'a list': '[]',
    'another JSON': '{"version":1}',
    'a database': readFileSync(join(import.meta.dirname, '../support/hostile-certs/ca.pem')),
    'one digit changed': text.replace('25.5', '25.6').replace('2550', '2560'),
    'of a newer form': JSON.stringify(seal({ ...file, version: 2 })),
    'of a newer schema': JSON.stringify(seal({ ...file, schema: 999 })),
    'of a much newer form': JSON.stringify({ ...file, version: 99, tables: {} }),
    'of no schema': JSON.stringify(seal({ ...file, schema: 0 })),
    'without tables': JSON.stringify(seal({ ...file, tables: {} })),
    'with a table too many': edited((copy) => (copy.tables.notes = { columns: ['text'], rows: [['x']] })),
    'with a column too many': edited((copy) => copy.tables.accounts.columns.push('age')),
    'with a column that is none': edited((copy) => (copy.tables.accounts.columns[0] = 'seq") values (1); --')),
    'with a row too short': edited((copy) => rowsOf(copy, 'accounts')[0]?.pop()),
    'with a fraction': edited((copy) => rowsOf(copy, 'balances')[0]?.splice(2, 1, 0.5)),
    'with an object': edited((copy) => rowsOf(copy, 'balances')[0]?.splice(2, 1, {})),
    'out of balance': edited((copy) => rowsOf(copy, 'balances')[0]?.splice(2, 1, 1)),
    'with a row twice': edited((copy) => rowsOf(copy, 'accounts').push(rowsOf(copy, 'accounts')[0] ?? [])),
    'with a credential of nobody': edited((copy) => rowsOf(copy, 'accounts').pop()),
  }
  const newer = [
    ['of a newer form', 'its version is 2, this sandbox supports version 1'],
    ['of a much newer form', 'its version is 99, this sandbox supports version 1'],
    ['of a newer schema', 'its schema is 999, this sandbox supports schema'],
  ]
  for (const [kind, body] of Object.entries(bad)) {
    const answer = await fetch(`${url}/_sandbox/snapshots/bad/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream' },
      body: Buffer.from(body),
    })
    const refusal = (await answer.json()) as Body
    expect([kind, answer.status, refusal.error?.code]).toEqual([kind, 422, 'INVALID_VALUE'])
    expect(refusal.error.details.rule, kind).toMatch(/\w/)
    const [, differs] = newer.find(([name]) => name === kind) ?? []
    if (differs !== undefined) expect(refusal.error.message).toContain(differs)
  }
  expect(await stateOf(url)).toEqual(before)
  expect((await control(url)('GET', '/snapshots')).body.data).toHaveLength(1)
})

test('an invalid name, a missing snapshot and form content types are rejected', async () => {
  const { url } = await openSandbox()
  const call = control(url)
  const text = JSON.stringify(await exported(url))
  const post = (name: string, body: BodyInit, type?: string) =>
    fetch(`${url}/_sandbox/snapshots/${name}/import`, {
      method: 'POST',
      body,
      ...(type === undefined ? {} : { headers: { 'Content-Type': type } }),
    })
  expect((await call('GET', '/snapshots/nope/export')).status).toBe(404)
  expect((await call('GET', '/snapshots/No/export')).status).toBe(422)
  expect((await post('No', text, 'application/json')).status).toBe(422)
  expect((await post('yes', new TextEncoder().encode(text))).status).toBe(200)
  for (const form of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect((await post('form', text, form)).status, form).toBe(415)
})

test('the command line exports, imports and starts with a snapshot, and a reset returns to it', async () => {
  await built()
  const folder = temporaryFolder()
  const golden = join(folder, 'golden.json')
  const first = await startHereForTest(['--clock', 'manual'])
  const env = { PAYMENTS_SANDBOX_URL: first.url }
  const charge = await use(first.url)
  const before = await stateOf(first.url)
  expect((await run(['snapshot', 'export', golden], { env })).code).toBe(0)
  // One row in each line, so that a diff shows the changes.
  expect(
    readFileSync(golden, 'utf8')
      .split('\n')
      .filter((line) => line.includes(charge)).length,
  ).toBeGreaterThan(0)
  expect((await run(['reset'], { env })).code).toBe(0)
  expect((await stateOf(first.url)).transactions.data).toEqual([])
  const imported = await run(['snapshot', 'import', golden, '--json'], { env })
  expect(JSON.parse(imported.stdout)).toMatchObject({ file: golden, name: null })
  expect(await stateOf(first.url)).toEqual(before)
  expect((await run(['snapshot', 'list', '--json'], { env })).stdout).toContain('"data":[]')
  expect((await run(['snapshot', 'import', golden, '--name', 'base'], { env })).code).toBe(0)
  expect((await run(['snapshot', 'export', join(folder, 'base.json'), '--name', 'base'], { env })).code).toBe(0)

  for (const args of [[], ['--db', join(folder, 'sandbox.db')]]) {
    const second = await startHereForTest(['--snapshot', golden, '--seed', 'same', ...args])
    const { clock: _, ...state } = before
    expect(await stateOf(second.url)).toMatchObject(state)
    const api = await openClient(second.url)
    const id = await api.charge({ external_id: 'new' })
    await control(second.url)('POST', '/workspaces', { name: 'other' })
    expect(await stateOf(`${second.url}/w/other`)).toMatchObject(state)
    for (let round = 0; round < 2; round++) {
      expect((await control(second.url)('POST', '/reset')).status).toBe(200)
      expect(await stateOf(second.url)).toEqual(before)
      expect(await (await openClient(second.url)).charge({ external_id: 'new' })).toBe(id)
    }
    expect(await second.stop()).toBe(0)
  }
  // A database file that already has a state keeps it.
  const third = await startHereForTest(['--snapshot', golden, '--db', join(folder, 'sandbox.db')])
  expect((await stateOf(third.url)).transactions.data).toHaveLength(4)
  await control(third.url)('POST', '/reset')
  expect(await stateOf(third.url)).toEqual(before)
})

test('a start with an unusable snapshot prints one line that names it', async () => {
  await built()
  const folder = temporaryFolder()
  const file = join(folder, 'golden.json')
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run(['start', '--port', '0', '--snapshot', file, ...args])
    expect([code, stderr.trim().split('\n').length]).toEqual([expect.any(Number), 1])
    expect(code).not.toBe(0)
    return stderr
  }
  expect(await refused()).toContain('there is no such file')
  writeFileSync(file, '{}')
  expect(await refused()).toContain('is not a snapshot')
  expect(await refused('--db', join(folder, 'sandbox.db'))).toContain('--snapshot')
  writeFileSync(join(folder, 'config.yaml'), 'accounts:\n  - username: shop\n')
  expect(await refused('--config', join(folder, 'config.yaml'))).toContain('accounts')
})

test('the library restores a prepared state for every test', async () => {
  const file = join(temporaryFolder(), 'golden.json')
  {
    await using first = await startSandbox({ clock: 'manual' })
    await first.client().cashin({ amount: 10, currency: 'BRL', external_id: 'golden' })
    writeFileSync(file, await first.exportSnapshot())
    await first.reset()
    await first.importSnapshot(readFileSync(file, 'utf8'))
    expect(await first.transactions.list()).toMatchObject([{ external_id: 'golden' }])
  }
  await using second = await startSandbox({ snapshot: file })
  await second.client().cashin({ amount: 20, currency: 'BRL', external_id: 'more' })
  await second.reset()
  expect(await second.transactions.list()).toMatchObject([{ external_id: 'golden' }])
  await expect(startSandbox({ snapshot: file, accounts: [{ username: 'shop' }] })).rejects.toThrow('snapshot')
})
