/** Rotation of the admin token of a shared sandbox over its control API. */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { closeAfter } from '../support/hooks.js'
import { send } from '../support/http.js'
import { startHereForTest } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'

const first = 'the-first-token-of-this-test'
const asked = (url: string, token: string, method = 'GET', path = '/ledger', body?: unknown) =>
  send(method, `${url}/_sandbox${path}`, body, { 'X-Sandbox-Admin-Token': token })
const statuses = async (url: string, ...tokens: string[]) =>
  Promise.all(tokens.map(async (token) => (await asked(url, token)).status))
const rotated = async (url: string, token: string): Promise<string> => {
  const { status, body } = await asked(url, token, 'POST', '/admin-token')
  expect([status, Object.keys(body)]).toEqual([200, ['admin_token']])
  return body.admin_token
}

test('the new token opens every workspace at once, and the old one is rejected', async () => {
  const { url } = await openSandbox({}, { host: '0.0.0.0', adminToken: first })
  await asked(url, first, 'POST', '/workspaces', { name: 'team' })
  const second = await rotated(url, first)
  expect(second).toMatch(/^[a-z0-9]{40}$/)
  for (const base of [url, `${url}/w/team`]) expect(await statuses(base, first, second, '')).toEqual([401, 200, 401])
  const third = await rotated(`${url}/w/team`, second)
  expect(await statuses(url, first, second, third)).toEqual([401, 401, 200])
  expect((await asked(url, second, 'POST', '/admin-token')).status).toBe(401)
})

test('one of many concurrent rotations with the same token succeeds', async () => {
  const { url } = await openSandbox({}, { host: '0.0.0.0', adminToken: first })
  const answers = await Promise.all(Array.from({ length: 20 }, () => asked(url, first, 'POST', '/admin-token')))
  const [made, ...others] = answers.filter(({ status }) => status === 200)
  expect([others, answers.filter(({ status }) => status === 401).length]).toEqual([[], 19])
  expect(await statuses(url, first, made?.body.admin_token)).toEqual([401, 200])
})

test('a stream that was opened with the old token ends, and sends no later changes', async () => {
  const { url } = await openSandbox({}, { host: '0.0.0.0', adminToken: first })
  const stop = new AbortController()
  closeAfter(() => stop.abort())
  const stream = await fetch(`${url}/_sandbox/stream`, {
    headers: { 'X-Sandbox-Admin-Token': first },
    signal: stop.signal,
  })
  const text = stream.text()
  const second = await rotated(url, first)
  await asked(url, second, 'POST', '/accounts', { username: 'later' })
  expect(await text).not.toContain('later')
})

test('a sandbox without an admin token rejects a rotation', async () => {
  const { url } = await openSandbox()
  const { status, body } = await send('POST', `${url}/_sandbox/admin-token`)
  expect([status, body.error.code]).toEqual([409, 'CONFLICT'])
  expect(body.error.message).toContain('--admin-token')
})

describe('a sandbox on a file:', () => {
  const shared = (db: string, adminToken: string | null) => openSandbox({}, { host: '0.0.0.0', adminToken, db })

  test('a rotated token survives a restart, a reset and a restore, and the initial one stays invalid', async () => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const before = await shared(db, first)
    await asked(before.url, first, 'POST', '/snapshots', { name: 'golden' })
    const second = await rotated(before.url, await rotated(before.url, first))
    await asked(before.url, second, 'POST', '/snapshots/golden/restore')
    await asked(before.url, second, 'POST', '/reset')
    await before.close()
    for (const given of [first, null]) {
      const again = await shared(db, given)
      expect([again.adminToken, again.adminTokenIsRotated]).toEqual([null, true])
      expect(await statuses(again.url, first, second)).toEqual([401, 200])
      await again.close()
    }
    expect(readFileSync(`${db}.admin-token`, 'utf8')).not.toContain(second)
  })

  test('another token given at the start replaces a rotated one', async () => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const before = await shared(db, first)
    const second = await rotated(before.url, first)
    await before.close()
    const again = await shared(db, 'another-token')
    expect(await statuses(again.url, first, second, 'another-token')).toEqual([401, 401, 200])
  })

  test('a rotation that cannot be stored leaves the old token valid', async () => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const { url } = await shared(db, first)
    // A file cannot replace a folder, so storing the token fails.
    mkdirSync(`${db}.admin-token`)
    expect((await asked(url, first, 'POST', '/admin-token')).body.error.code).toBe('SERVICE_UNAVAILABLE')
    expect(await statuses(url, first)).toEqual([200])
    rmdirSync(`${db}.admin-token`)
    expect(await statuses(url, first, await rotated(url, first))).toEqual([401, 200])
  })
})

describe('the command line:', () => {
  beforeAll(async () => void (await built()))

  test('start reports that the token was rotated, and names a file that it cannot read', async () => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const args = ['--host', '0.0.0.0', '--admin-token', first, '--db', db]
    const before = await startHereForTest(args)
    expect(before.errors()).toBe('')
    const second = await rotated(before.url, first)
    await before.stop()
    const again = await startHereForTest(args)
    expect(again.errors()).toMatch(/^payments-sandbox: the admin token was rotated: /)
    expect([again.ready.admin_token, await statuses(again.url, first, second)]).toEqual([undefined, [401, 200]])
    await again.stop()
    writeFileSync(`${db}.admin-token`, '{')
    await expect(startHereForTest(args)).rejects.toThrow(`${db}.admin-token`)
  })
})
