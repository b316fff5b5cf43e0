/** Commands that keep running: listen, --follow and long runs. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { connectControl } from '../../src/client/control.js'
import { connectSandbox } from '../../src/testing/index.js'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { figure } from '../support/figures.js'
import { control } from '../support/http.js'
import { collect, ended, launch, printed, run, startProgram } from '../support/program.js'
import { charge, cli, json, paidCharge, sandbox, shareSandbox } from '../support/shared-sandbox.js'

shareSandbox()

const sandboxControl = (method: string, path: string, body?: unknown) => control(sandbox.url)(method, path, body)

test('--follow prints new rows, and exits with 0 when it is stopped', async () => {
  const child = launch(['requests', '--follow', '--json', '--url', sandbox.url])
  const said = collect(child, 'stdout')
  const over = ended(child)
  await eventually(
    async () => (await charge()) && said(),
    (text) => text.includes('/v2/transactions/cashin'),
  )
  for (const line of said().split('\n').slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('request_id')
  child.kill('SIGINT')
  expect((await over).code).toBe(0)
})

test('--follow loses no row of a burst, and prints each delivery once', async () => {
  const child = launch(['webhooks', '--follow', '--json', '--url', sandbox.url])
  const said = collect(child, 'stdout')
  const over = ended(child)
  const lines = () =>
    said()
      .split('\n')
      .filter((line) => line !== '')
  const held = await connectSandbox(sandbox.url)
  /** Creates and pays a charge. */
  const paid = async () => {
    const { transaction_id: id } = await held.client().cashin({ amount: 25, currency: 'BRL' })
    await held.trigger('cashin.pay', { id })
    return id
  }
  await eventually(
    async () => (await paid()) && lines().length,
    (count) => Number(count) > 0,
  )
  const ids = await Promise.all(Array.from({ length: figure(80, 250) }, paid))
  const seen = () => lines().map((line) => JSON.parse(line) as { transaction_id: string; status: string })
  await eventually(
    () => ids.filter((id) => !seen().some(({ transaction_id }) => transaction_id === id)),
    (missing) => missing.length === 0,
  )
  child.kill('SIGINT')
  expect((await over).code).toBe(0)
  expect(new Set(lines()).size).toBe(lines().length)
})

test('listen prints each webhook with a verdict, forwards it, and restores the old address', async () => {
  const client = connectControl(sandbox.url)
  const before = `${sandbox.url}/_sandbox/inbox/before`
  await client.call('PATCH', '/credentials/client_sandbox_merchant', { postback_url: before })
  const got: string[] = []
  const receiver = createServer((request, response) => {
    request
      .setEncoding('utf8')
      .on('data', (chunk: string) => got.push(`${request.headers['x-webhook-event']} ${chunk}`))
    request.on('end', () => response.writeHead(202).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
  const child = launch(['listen', '--forward-to', url, '--json', '--url', sandbox.url])
  const over = ended(child)
  await printed(child, /"listening"/)
  const heard = printed(child, /cashin\.confirmed/)
  await paidCharge()
  const line = (await heard).split('\n').find((text) => text.includes('cashin.confirmed')) ?? ''
  expect(JSON.parse(line)).toMatchObject({
    event: 'cashin.confirmed',
    signature: 'valid',
    answered: 202,
    forwarded_to: url,
  })
  expect(got[0]).toMatch(/^cashin\.confirmed \{"event":"cashin\.confirmed"/)
  child.kill('SIGINT')
  expect((await over).code).toBe(0)
  receiver.close()
  const account = await client.call<{ credentials: { postback_url: string }[] }>('GET', '/accounts/merchant')
  expect(account.credentials[0]?.postback_url).toBe(before)
})

test('listen continues after a connection that breaks in the middle of a body', async () => {
  const child = launch(['listen', '--json', '--url', sandbox.url])
  const over = ended(child)
  const [line = ''] = (await printed(child, /"listening".*\n/)).split('\n')
  const { port, pathname } = new URL(JSON.parse(line).url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"half":`)
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.resetAndDestroy()
  const heard = printed(child, /cashin\.confirmed/)
  await paidCharge()
  expect(await heard).toContain('"signature":"valid"')
  child.kill('SIGINT')
  expect((await over).code).toBe(0)
})

test('listen still receives webhooks after a reset', async () => {
  const child = launch(['listen', '--json', '--url', sandbox.url])
  const over = ended(child)
  const [line = ''] = (await printed(child, /"listening".*\n/)).split('\n')
  const { url } = JSON.parse(line)
  await sandboxControl('POST', '/reset', {})
  const urlOf = async () => (await sandboxControl('GET', '/accounts/merchant')).body.credentials[0].postback_url
  await eventually(urlOf, (present) => present === url)
  child.kill('SIGINT')
  expect((await over).code).toBe(0)
})

test('listen shows where it forwards to, the status and the beginning of the answer', async () => {
  const refusal = `{"error":\n "unknown order"}\u001b[31m${'x'.repeat(1000)}`
  const app = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(422).end(refusal)),
  )
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/hook`
  const child = launch(['listen', '--forward-to', url, '--url', sandbox.url])
  await printed(child, /listening/)
  const output = collect(child, 'stdout')
  await paidCharge()
  await eventually(
    async () => output(),
    (text) => text.includes('xxx'),
  )
  const line =
    output()
      .split('\n')
      .find((one) => one.includes('→')) ?? ''
  expect(line).toContain(`→ ${url} 422 {"error": "unknown order"}\ufffd[31mxxx`)
  expect(line.length).toBeLessThan(url.length + 320)
  child.kill('SIGINT')
  await ended(child)
  app.close()
})

test('listen reports a webhook that it cannot forward as failed, so that the sandbox retries it', async () => {
  const child = launch(['listen', '--forward-to', 'http://127.0.0.1:1/', '--url', sandbox.url])
  const over = ended(child)
  await printed(child, /listening/)
  await paidCharge()
  const status = async () => (await sandboxControl('GET', '/webhooks')).body.data[0]
  await eventually(status, (one) => one.status === 'pending' && one.attempts === 1)
  child.kill('SIGTERM')
  expect((await over).code).toBe(0)
})

test('doctor finds nothing wrong with a healthy sandbox, and reports a failing receiver and a wrong signature', async () => {
  const well = await cli('doctor')
  expect(well.code).toBe(0)
  expect(well.stdout).toContain('balanced')
  expect(well.stdout).toMatch(
    /divergence: unknown; no recording of the platform exists\. Coverage of the probes: \d+ of \d+/,
  )
  const client = connectControl(sandbox.url)
  await client.call('PATCH', '/credentials/client_sandbox_merchant', { postback_url: 'http://127.0.0.1:1/' })
  await paidCharge()
  await sandboxControl('POST', '/clock/advance', { by: '1h' })
  const { bearer } = await openClient(sandbox.url)
  await fetch(`${sandbox.url}/v2/transactions/cashout`, {
    method: 'POST',
    headers: {
      ...bearer,
      'Content-Type': 'application/json',
      'X-Timestamp': String(Math.floor(Date.now() / 1000)),
      'X-Nonce': crypto.randomUUID(),
      'X-Signature': '0'.repeat(64),
    },
    body: '{}',
  })
  const { code, stdout } = await cli('doctor')
  expect(code).toBe(1)
  expect(stdout).toContain('cashin.confirmed')
  expect(stdout).toContain('nothing listens at this URL')
  expect(stdout).toContain('INVALID_SIGNATURE at /v2/transactions/cashout')
})

test('every command can act on a workspace as if it were a separate sandbox', async () => {
  await connectControl(sandbox.url).call('POST', '/workspaces', { name: 'other' })
  const body = '{"amount":5,"currency":"BRL"}'
  await json('request', 'POST', '/v2/transactions/cashin', '--data', body, '--workspace', 'other')
  expect((await json('transactions', '--workspace', 'other')).data).toHaveLength(1)
  expect((await sandboxControl('GET', '/transactions')).body.data).toEqual([])
  expect((await json('env', '--workspace', 'other')).PAYMENTS_SANDBOX_URL).toBe(`${sandbox.url}/w/other`)
})

test('commands take an admin token by flag or variable, and report that it is missing', async () => {
  const shared = await startProgram(['--admin-token', 'open-sesame'])
  const without = await run(['clock', '--url', shared.url])
  expect(without.code).toBe(1)
  expect(without.stderr).toContain('UNAUTHORIZED')
  expect((await run(['clock', '--url', shared.url, '--admin-token', 'open-sesame'])).code).toBe(0)
  expect(
    (await run(['clock', '--url', shared.url], { env: { PAYMENTS_SANDBOX_ADMIN_TOKEN: 'open-sesame' } })).code,
  ).toBe(0)
  await shared.stop()
})
