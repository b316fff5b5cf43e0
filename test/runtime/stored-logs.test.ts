/** The request log and the inboxes are part of the state: they survive a restart, a kill, a snapshot and a restore. */
import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { requestLogLimits } from '../../src/core/request-log/log.js'
import { built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { type Answer, control, send } from '../support/http.js'
import { startForTest, startProgram } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const merchant = secretsOf('merchant')

/** Makes a charge with a webhook to the inbox and a withdrawal with a wrong signature. Returns the ids of the calls, oldest first. */
async function use(url: string): Promise<string[]> {
  const call = control(url)
  await call('PATCH', `/credentials/${merchant.clientId}`, { postback_url: `${url}/_sandbox/inbox/mine` })
  await call('PUT', '/inbox/mine', { responses: [{ status: 201 }, { status: 202 }] })
  const api = await openClient(url)
  const id = await api.charge({ external_id: 'kept' })
  const body = JSON.stringify({ amount: 10, currency: 'BRL', key: 'x', external_id: 'refused' })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  const signature = createHmac('sha256', merchant.clientSecret).update(`${timestamp}.${nonce}.${body}`).digest('hex')
  await send('POST', `${url}/v2/transactions/cashout`, body, {
    ...api.bearer,
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': signature,
  })
  await call('POST', '/trigger', { action: 'cashin.pay', id })
  await eventually(
    () => call('GET', '/inbox/mine'),
    ({ body }) => body.data.length === 1,
  )
  return (await logged(url)).toReversed()
}

const logged = async (url: string): Promise<string[]> =>
  (await control(url)('GET', '/requests')).body.data.map((entry: { request_id: string }) => entry.request_id)

/** Returns everything that the API shows of both. */
async function seen(url: string): Promise<Answer['body'][]> {
  const call = control(url)
  const ids = await logged(url)
  const entries = await Promise.all(ids.map((id) => call('GET', `/requests/${id}`)))
  return [...entries.map(({ body }) => body), (await call('GET', '/inbox/mine')).body]
}

async function expectKept(url: string, before: Answer['body'][]): Promise<void> {
  expect(await seen(url)).toEqual(before)
  const refused = before.find((entry) => entry.error_code === 'INVALID_SIGNATURE')
  expect(refused.signature.hint).toContain('client_secret')
  expect(before.at(-1).data[0].signature_valid).toBe(true)
}

test('a restarted sandbox shows earlier calls and webhooks, with the reason of a wrong signature', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const first = await openSandbox({}, { db })
  const ids = await use(first.url)
  const before = await seen(first.url)
  await first.close(0)
  const second = await openSandbox({}, { db })
  await expectKept(second.url, before)
  // New messages follow the stored ones, and the inbox continues with its planned responses.
  const api = await openClient(second.url)
  await api.charge()
  expect((await logged(second.url)).toReversed().slice(0, ids.length)).toEqual(ids)
  expect((await send('POST', `${second.url}/_sandbox/inbox/mine`, '{}')).status).toBe(202)
  const cursor = (await control(second.url)('GET', '/inbox/mine?limit=1')).body.next
  expect((await control(second.url)('GET', `/inbox/mine?after=${cursor}`)).body.data).toMatchObject([{ raw: '{}' }])
})

test('log entries that are written in the background survive a kill, masked as shown', async () => {
  await built()
  const db = join(temporaryFolder(), 'sandbox.db')
  const bytes = () => readFileSync(`${db}-wal`, 'latin1') + readFileSync(db, 'latin1')
  const first = await startProgram(['--db', db])
  await use(first.url)
  const { bearer } = await openClient(first.url)
  const before = await seen(first.url)
  await eventually(
    async () => bytes(),
    (written) => written.includes(before[0].request_id),
  )
  await first.stop('SIGKILL')
  expect(bytes()).not.toContain(bearer.Authorization.slice('Bearer '.length))
  const second = await startForTest(['--db', db])
  await expectKept(second.url, before)
})

const places = [
  { place: 'in memory', database: () => ':memory:' },
  { place: 'on a file', database: () => join(temporaryFolder(), 'sandbox.db') },
]

describe.each(places)('$place', ({ database }) => {
  test('request log and inboxes are saved in a snapshot, emptied by a reset, and restored', async () => {
    const { url } = await openSandbox({}, { db: database() })
    const call = control(url)
    await use(url)
    const before = await seen(url)
    await call('POST', '/snapshots', { name: 'base' })
    await (await openClient(url)).charge()
    await send('POST', `${url}/_sandbox/inbox/mine`, 'later')
    await call('POST', '/reset')
    expect(await logged(url)).toEqual([])
    expect((await call('GET', '/inbox/mine')).body.data).toEqual([])
    await (await openClient(url)).charge()
    await call('POST', '/snapshots/base/restore')
    await expectKept(url, before)
    await (await openClient(url)).charge()
    expect(await logged(url)).toHaveLength(before.length + 1)
  })
})

test('the request log stays within its limit, in the database too', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const { url, workspace } = await openSandbox({ rateLimits: false }, { db })
  const api = await openClient(url)
  for (let at = 0; at < requestLogLimits.calls + 200; at += 100)
    await Promise.all(Array.from({ length: 100 }, () => api.get('/v2/account/balance')))
  await control(url)('POST', '/snapshots', { name: 'full' })
  await control(url)('POST', '/snapshots/full/restore')
  const rows = workspace.db.query('select count(*) as count from requests')([])
  expect(rows).toEqual([{ count: requestLogLimits.calls }])
  expect((await control(url)('GET', '/requests?limit=500')).body.data).toHaveLength(500)
})
