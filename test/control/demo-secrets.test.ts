/** The published secrets of the demonstration accounts give access on loopback only. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { send } from '../support/http.js'
import { startHereForTest } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const adminToken = 'a-token-for-this-test'
const headers = { 'X-Sandbox-Admin-Token': adminToken }
const off = { host: '0.0.0.0', adminToken }

const token = async (base: string, clientId: string, clientSecret: string) => {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const asked = { grant_type: 'client_credentials' }
  return (await send('POST', `${base}/v2/oauth/token`, asked, { Authorization: `Basic ${basic}` })).status
}

/** Returns the statuses of token requests with the published secrets of both accounts. */
async function byPublished(base: string) {
  const statuses: number[] = []
  for (const username of ['merchant', 'customer']) {
    const { clientId, clientSecret } = secretsOf(username)
    const account = (await send('GET', `${base}/_sandbox/accounts/${username}`, undefined, headers)).body
    for (const id of new Set([clientId, account.credentials[0].client_id]))
      statuses.push(await token(base, id, clientSecret))
  }
  return [...new Set(statuses)]
}

const control = async (base: string, method: string, path: string, body?: unknown) => {
  const answer = await send(method, `${base}/_sandbox${path}`, body, headers)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

const credentialsAt = async (base: string) => {
  const { data } = await control(base, 'GET', '/accounts')
  return data.map(({ credentials }: { credentials: object[] }) => credentials)
}

describe('off loopback', () => {
  test('the published secrets open no workspace, before and after a reset, and each workspace has its own', async () => {
    const { url } = await openSandbox({}, off)
    const made = await control(url, 'POST', '/workspaces', { name: 'team' })
    const first = await credentialsAt(url)
    expect(made.accounts[0].credentials).not.toEqual(first[0])
    for (const base of [url, `${url}/w/team`]) {
      expect(await byPublished(base)).toEqual([401])
      await control(base, 'POST', '/reset')
      expect(await byPublished(base)).toEqual([401])
    }
    // A reset between two tests must not change the credentials of a test suite.
    expect(await credentialsAt(url)).toEqual(first)
    const [{ client_id, client_secret }] = first[0]
    expect(await token(url, client_id, client_secret)).toBe(200)
  })

  test('a database that was made on loopback gets other secrets, in each of its workspaces, and keeps its ids', async () => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const before = await openSandbox({}, { db })
    await send('POST', `${before.url}/_sandbox/workspaces`, { name: 'team' })
    expect(await byPublished(before.url)).toEqual([200])
    await before.close()
    const { url, close } = await openSandbox({}, { ...off, db })
    for (const base of [url, `${url}/w/team`]) expect(await byPublished(base)).toEqual([401])
    const [[merchant]] = await credentialsAt(url)
    expect(merchant.client_id).toBe(secretsOf('merchant').clientId)
    for (const name of ['signing_key', 'webhook_secret']) expect(merchant[name]).not.toContain('_sandbox_')
    expect(await token(url, merchant.client_id, merchant.client_secret)).toBe(200)
    await close()
    const again = await openSandbox({}, { ...off, db })
    expect((await credentialsAt(again.url))[0]).toEqual([merchant])
  })

  test('a snapshot from a sandbox on loopback contains no published secrets after a restore or a start', async () => {
    const local = await openSandbox()
    await send('POST', `${local.url}/_sandbox/snapshots`, { name: 'golden' })
    const file = JSON.stringify((await send('GET', `${local.url}/_sandbox/snapshots/golden/export`)).body)
    const shared = await openSandbox({}, off)
    await send('POST', `${shared.url}/_sandbox/snapshots/golden/import`, file, headers)
    await control(shared.url, 'POST', '/snapshots/golden/restore')
    expect(await byPublished(shared.url)).toEqual([401])
    const begun = await openSandbox({}, { ...off, snapshot: file })
    expect(await byPublished(begun.url)).toEqual([401])
    await control(begun.url, 'POST', '/reset')
    expect(await byPublished(begun.url)).toEqual([401])
  })

  test('the page of the API shows commands with the credentials of the sandbox, and with its admin token', async () => {
    const { url } = await openSandbox({}, off)
    const [[merchant]] = await credentialsAt(url)
    const page = await control(url, 'GET', '/docs')
    expect(page).toContain(`${merchant.client_id}:${merchant.client_secret}`)
    expect(page).not.toContain(secretsOf('merchant').clientSecret)
    expect(page).toContain('X-Sandbox-Admin-Token: $PAYMENTS_SANDBOX_ADMIN_TOKEN')
  })
})

describe('the start of a sandbox', () => {
  beforeAll(async () => void (await built()))

  const shared = ['--host', '0.0.0.0', '--admin-token', adminToken]

  test('prints a warning when the published secrets are allowed off loopback, by flag, variable or file', async () => {
    const config = join(temporaryFolder(), 'sandbox.yaml')
    writeFileSync(config, 'demo_secrets: known\n')
    for (const [args, env] of [
      [[...shared, '--demo-secrets', 'known'], {}],
      [shared, { PAYMENTS_SANDBOX_DEMO_SECRETS: 'known' }],
      [[...shared, '--config', config], {}],
    ] as const) {
      const started = await startHereForTest([...args], { env })
      expect(await byPublished(started.url)).toEqual([200])
      expect(started.errors()).toMatch(/^payments-sandbox: warning: .*published secrets \(demo_secrets: known\)/)
    }
  })

  test('prints no warning otherwise or on loopback', async () => {
    for (const args of [shared, ['--demo-secrets', 'known']]) {
      const started = await startHereForTest(args)
      expect(started.errors()).toBe('')
    }
  })
})
