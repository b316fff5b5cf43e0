/** Assertions on received calls, and replays of calls: over HTTP, with the library, and on the command line. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { connectSandbox } from '../../src/testing/index.js'
import { openClient } from '../support/client.js'
import { run } from '../support/program.js'
import { openWithReceivers } from '../support/sandbox.js'
import { requireTools } from '../support/tools.js'

test('calls are counted by method, path, status, headers and the named fields of the body', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await api.cashin({ amount: 25.5, currency: 'BRL', payer: { name: 'Ana' }, external_id: 'one' }, { 'X-Trace': 't-1' })
  await api.cashin({ amount: 25, currency: 'BRL' })
  await api.cashin({ amount: -1, currency: 'BRL' })
  const verify = async (expected: object) => (await sandbox.control('POST', '/requests/verify', expected)).body
  const path = '/v2/transactions/cashin'
  expect(await verify({ path })).toEqual({ matched: 3, near: [] })
  expect((await verify({ path, status: 422 })).matched).toBe(1)
  expect((await verify({ method: 'post', path, body: { payer: { name: 'Ana' } } })).matched).toBe(1)
  expect((await verify({ path, headers: { 'x-trace': 't-1' } })).matched).toBe(1)
  expect((await verify({ path: '/v2/oauth/token', body: { grant_type: 'client_credentials' } })).matched).toBe(1)
  const { matched, near } = await verify({ path, body: { amount: 25.25, currency: 'BRL' } })
  expect(matched).toBe(0)
  expect(near).toHaveLength(3)
  expect(near[0].differs).toEqual([{ field: 'body.amount', expected: 25.25, received: -1 }])
})

test('a wrong count is 409 and lists the calls that nearly matched', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await api.cashin({ amount: 25.5, currency: 'BRL' })
  const given = { method: 'POST', path: '/v2/transactions/cashin', body: { amount: 25 }, times: 1 }
  const { status, code, body } = await sandbox.control('POST', '/requests/verify', given)
  expect([status, code]).toEqual([409, 'CONFLICT'])
  expect(body.error.message).toMatch(/Expected 1 such call, received 0; req_\w+ had body\.amount 25\.5 instead of 25/)
  expect(body.error.details).toMatchObject({ times: 1, matched: 0, near: [{ differs: [{ received: 25.5 }] }] })
  expect((await sandbox.control('POST', '/requests/verify', { ...given, body: { amount: 25.5 } })).body.matched).toBe(1)
  expect((await sandbox.control('POST', '/requests/verify', { pth: '/v2' })).body.error.details.field).toBe('pth')
})

test('a call is replayed with a fresh token and a fresh signature', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: 100 })
  const payout = { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-1' }
  const first = await api.cashout(payout)
  await sandbox.advance('2h')
  const id = first.headers.get('x-request-id')
  const again = await sandbox.control('POST', `/requests/${id}/replay`)
  expect([again.status, again.body.status, again.body.request_id === id]).toEqual([200, 202, false])
  expect(JSON.parse(again.body.response_body).data.transaction_id).toBe(first.data.transaction_id)
  expect(again.body.signature.verdict).toBe('valid')
  const refused = await api.signed('/v2/transactions/cashout', { ...payout, external_id: 'two' }, { 'X-Nonce': 'no' })
  expect(refused.status).toBe(401)
  const fixed = await sandbox.control('POST', `/requests/${refused.headers.get('x-request-id')}/replay`)
  expect([fixed.body.status, fixed.body.account]).toEqual([202, 'merchant'])
})

test('an incomplete call is not replayed, and an unknown one is reported', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const long = await api.cashin({ amount: 10, currency: 'BRL', note: 'x'.repeat(9000) })
  const cut = await sandbox.control('POST', `/requests/${long.headers.get('x-request-id')}/replay`)
  expect([cut.status, cut.code]).toEqual([422, 'INVALID_VALUE'])
  expect((await sandbox.control('POST', '/requests/req_0/replay')).status).toBe(404)
})

test('the library asserts on calls, lists those that were rejected, and replays one', async () => {
  const { url } = await openWithReceivers()
  const sandbox = await connectSandbox(url)
  const api = sandbox.client()
  const path = '/v2/transactions/cashin'
  await expect(sandbox.requests.expect({ path })).rejects.toMatchObject({ code: 'CONFLICT' })
  const charge = await api.cashin({ amount: 25.5, currency: 'BRL' })
  await api.cashin({ amount: 0.5, currency: 'BRL' }).catch(() => undefined)
  expect(await sandbox.requests.expect({ path, body: { amount: 25.5 }, times: 1 })).toBe(1)
  expect(await sandbox.requests.expect({ path })).toBe(2)
  await expect(sandbox.requests.expect({ path, body: { amount: 25 } })).rejects.toThrow(/amount 25\.5 instead of 25/)
  await expect(sandbox.requests.expect({ path, times: 3 })).rejects.toThrow(/Expected 3 such calls, received 2/)
  const unexpected = await sandbox.requests.unexpected()
  expect(unexpected.map(({ error_code }) => error_code)).toEqual(['BELOW_MIN_LIMIT'])
  const [, made] = await sandbox.requests.list({ path })
  const again = await sandbox.requests.replay(made?.request_id ?? '')
  expect([again.status, again.account]).toEqual([200, 'merchant'])
  expect(again.response_body).not.toContain(charge.transaction_id)
  await sandbox.close()
})

test('requests ID --curl prints a command that works when pasted, and --replay makes the call', async (context) => {
  requireTools(context, 'curl')
  const { url, ...sandbox } = await openWithReceivers()
  await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: 100 })
  const payout = { amount: 10, currency: 'BRL', key: "o'neil@example.com", external_id: 'payout-1' }
  const first = await (await sandbox.api()).cashout(payout)
  const id = first.headers.get('x-request-id') ?? ''
  const env = { PAYMENTS_SANDBOX_URL: url }
  const { stdout: shown } = await run(['requests', id], { env })
  expect(shown).toMatch(/Request headers\n[\s\S]*authorization +Bearer \*\*\*\n[\s\S]*x-signature +\*\*\*\n/)
  expect(shown).toMatch(/Response headers\n[\s\S]*X-Request-Id +req_\w+\n/)
  const { stdout } = await run(['requests', id, '--curl'], { env })
  const pasted = JSON.parse(await shell(stdout))
  expect(pasted.data.transaction_id).toBe(first.data.transaction_id)
  const again = JSON.parse((await run(['requests', id, '--replay', '--json'], { env })).stdout)
  expect([again.status, again.request_id === id]).toEqual([202, false])
  expect((await run(['requests', '--curl'], { env })).code).toBe(2)
})

/** Returns the output of a command. */
const shell = async (commands: string) => (await promisify(execFile)('bash', ['-c', commands])).stdout

test('calls of a workspace are found by their path with and without the workspace, replayed, and repeated by curl', async (context) => {
  requireTools(context, 'curl')
  const { url, control } = await openWithReceivers()
  await control('POST', '/workspaces', { name: 'team' })
  const team = `${url}/w/team`
  const made = await (await openClient(team)).cashin({ amount: 10, currency: 'BRL', external_id: 'one' })
  const id = made.headers.get('x-request-id') ?? ''
  const sandbox = await connectSandbox(url, { workspace: 'team' })
  for (const path of ['/v2/transactions/cashin', '/w/team/v2/transactions/cashin']) {
    expect(await sandbox.requests.expect({ path, times: 1 })).toBe(1)
    expect(await sandbox.requests.list({ path })).toHaveLength(1)
  }
  await expect(sandbox.requests.expect({ path: '/w/other/v2/transactions/cashin' })).rejects.toThrow(/received 0/)
  const { stdout } = await run(['requests', id, '--curl', '--workspace', 'team', '--url', url])
  expect(JSON.parse(await shell(stdout)).data.transaction_id).toBe(made.data.transaction_id)
  expect((await sandbox.requests.replay(id)).status).toBe(200)
  await sandbox.close()
})

test('nearly matching calls are found without a path, by status, body or headers alone', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await api.cashin({ amount: 25.5, currency: 'BRL', payer: { name: 'Ana' } }, { 'X-Trace': 't-1' })
  await api.cashin({ amount: 30, currency: 'MXN' })
  const near = async (expected: object) =>
    (await sandbox.control('POST', '/requests/verify', expected)).body.near.map(
      ({ differs }: { differs: { field: string; received: unknown }[] }) =>
        differs.map(({ field, received }) => `${field} ${received}`).join(', '),
    )
  expect(await near({ body: { amount: 77 } })).toEqual(['body.amount 30', 'body.amount 25.5'])
  expect(await near({ body: { amount: 77, currency: 'BRL' } })).toEqual([
    'body.amount 25.5',
    'body.amount 30, body.currency MXN',
  ])
  expect(await near({ body: { payer: { name: 'Eva' } } })).toEqual(['body.payer.name Ana'])
  expect(await near({ status: 499 })).toEqual(['status 200', 'status 200', 'status 200'])
  expect(await near({ headers: { 'X-Trace': 't-2' } })).toEqual(['headers.x-trace t-1'])
  expect(await near({ status: 200, body: { amount: 77 } })).toHaveLength(3)
  expect(await near({ path: '/v2/none' })).toEqual([])
})
