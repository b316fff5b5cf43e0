/** `start` as people and CI systems run it: settings and what beats what, the ready line, signals. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { bin, built } from './support/built.js'
import {
  collect,
  launch,
  printed,
  type Ready,
  type Running,
  run,
  startProgram,
  temporaryFolder,
} from './support/program.js'

const running: Running[] = []
const start = async (...given: Parameters<typeof startProgram>) => {
  const sandbox = await startProgram(...given)
  running.push(sandbox)
  return sandbox
}

beforeAll(async () => {
  await built()
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.stop('SIGKILL')))
})

const clockMode = async (url: string) =>
  ((await (await fetch(`${url}/_sandbox/clock`)).json()) as { mode: string }).mode

test('--json prints exactly one line that says where it is and which keys open it', async () => {
  const { child, ready, stop } = await start()
  const more = collect(child, 'stdout')
  expect(Object.keys(ready).sort()).toEqual(['accounts', 'base_url', 'dashboard_url', 'event'])
  expect(ready.event).toBe('ready')
  expect(ready.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(ready.dashboard_url).toBe(`${ready.base_url}/`)
  expect(ready.accounts.map(({ username }) => username)).toEqual(['merchant', 'customer'])
  expect(Object.keys(ready.accounts[0]?.credentials[0] ?? {})).toEqual(
    expect.arrayContaining(['client_id', 'client_secret', 'signing_key', 'webhook_secret']),
  )
  expect(await stop()).toBe(0)
  expect(more()).toBe('')
})

test('the banner names address, keys and one curl, and that curl creates a charge when it is pasted', async () => {
  const child = launch(['start', '--port', '0'])
  const banner = await printed(child, /curl [^\n]*\n/)
  const ended = new Promise((resolve) => child.once('close', resolve))
  for (const word of ['API', 'Dashboard', 'client_id', 'client_secret', 'signing_key', 'webhook_secret', 'merchant'])
    expect(banner).toContain(word)
  expect(banner).not.toContain('\u001b')
  const curl = banner.split('\n').find((line) => line.startsWith('curl ')) ?? ''
  const answer = JSON.parse(execFileSync('sh', ['-c', curl], { encoding: 'utf8' })) as Record<string, unknown>
  expect(answer).toMatchObject({ success: true, data: { amount: 25, currency: 'BRL', status: 'pending' } })
  child.kill('SIGINT')
  expect(await ended).toBe(0)
})

test('a flag beats the environment, which beats the configuration file, which beats the default', async () => {
  const folder = temporaryFolder()
  const config = join(folder, 'sandbox.yaml')
  writeFileSync(config, 'clock: manual\nseed: from-file\n')
  const fromFile = await start(['--config', config])
  expect(await clockMode(fromFile.url)).toBe('manual')
  const fromEnvironment = await start(['--config', config], { env: { PAYMENTS_SANDBOX_CLOCK: 'realtime' } })
  expect(await clockMode(fromEnvironment.url)).toBe('realtime')
  const fromFlag = await start(['--config', config, '--clock', 'manual'], {
    env: { PAYMENTS_SANDBOX_CLOCK: 'realtime' },
  })
  expect(await clockMode(fromFlag.url)).toBe('manual')
  const byDefault = await start()
  expect(await clockMode(byDefault.url)).toBe('realtime')
})

test('a switch of the environment can be turned back by a flag, and the file may be named by a variable', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'c.json'), '{\n\t"no_rate_limits": true\n}')
  const tries = async (url: string) => {
    const answers = Array.from({ length: 31 }, () =>
      fetch(`${url}/v2/oauth/token`, {
        method: 'POST',
        headers: {
          Authorization: `Basic ${btoa('client_sandbox_merchant:secret_sandbox_merchant_0000000000000000000000000000000000000000')}`,
          'Content-Type': 'application/json',
        },
        body: '{"grant_type":"client_credentials"}',
      }),
    )
    return (await Promise.all(answers)).filter(({ status }) => status === 429).length
  }
  const off = await start([], { env: { PAYMENTS_SANDBOX_CONFIG: join(folder, 'c.json') } })
  expect(await tries(off.url)).toBe(0)
  const offByVariable = await start([], { env: { PAYMENTS_SANDBOX_NO_RATE_LIMITS: '1' } })
  expect(await tries(offByVariable.url)).toBe(0)
  const on = await start(['--rate-limits'], { env: { PAYMENTS_SANDBOX_NO_RATE_LIMITS: '1' } })
  expect(await tries(on.url)).toBe(1)
})

test('the configuration file sets how the platform behaves, and makes accounts that a reset brings back', async () => {
  const folder = temporaryFolder()
  const config = join(folder, 'sandbox.yaml')
  writeFileSync(
    config,
    [
      'pix-charge-life: 10m',
      'cashout_settle: manual',
      'below_minimum: INVALID_AMOUNT',
      'rates: { USDT: 6 }',
      'accounts:',
      '  - username: shop',
      '    document: 529.982.247-25',
      '    balances: { BRL: "500.00" }',
      '    credential: { client_id: shop, client_secret: shop-secret, signing_key: shop-key }',
      '  - username: merchant',
      '    balances: { BRL: 7 }',
    ].join('\n'),
  )
  const { url, ready } = await start(['--config', config])
  expect(ready.accounts.map(({ username }) => username)).toEqual(['merchant', 'customer', 'shop'])
  expect(ready.accounts[2]?.credentials[0]).toMatchObject({ client_id: 'shop', client_secret: 'shop-secret' })
  const call = (body: string) =>
    run(['request', 'POST', '/v2/transactions/cashin', '--account', 'shop', '--data', body, '--json', '--url', url])
  const charge = JSON.parse((await call('{"amount":5,"currency":"BRL"}')).stdout)
  expect(charge.data.payment_info.expiration).toBe(600)
  expect(JSON.parse((await call('{"amount":0.5,"currency":"BRL"}')).stdout).error.code).toBe('INVALID_AMOUNT')
  await fetch(`${url}/_sandbox/reset`, { method: 'POST' })
  const balance = async (name: string) =>
    ((await (await fetch(`${url}/_sandbox/accounts/${name}`)).json()) as { balances: { BRL: { available: string } } })
      .balances.BRL.available
  expect(await balance('shop')).toBe('500.00')
  expect(await balance('merchant')).toBe('7.00')
})

test('the same seed gives the same ids', async () => {
  const ids = await Promise.all(
    [0, 1].map(async () => {
      const { url } = await start(['--seed', 'one'])
      const made = await run([
        'request',
        'POST',
        '/v2/transactions/cashin',
        '--data',
        '{"amount":5,"currency":"BRL"}',
        '--json',
        '--url',
        url,
      ])
      return JSON.parse(made.stdout).data.transaction_id
    }),
  )
  expect(ids[0]).toBe(ids[1])
})

test('--config-out writes the ready information for other processes, readable by the owner alone', async () => {
  const file = join(temporaryFolder(), 'ready.json')
  const { ready } = await start(['--config-out', file, '--admin-token', 'open-sesame'])
  expect(JSON.parse(readFileSync(file, 'utf8')) as Ready).toEqual(ready)
  expect(ready.admin_token).toBe('open-sesame')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('--open shows the dashboard in the browser that BROWSER names', async () => {
  const folder = temporaryFolder()
  const seen = join(folder, 'seen')
  const browser = join(folder, 'browser')
  writeFileSync(browser, `#!/bin/sh\necho "$1" > '${seen}.part' && mv '${seen}.part' '${seen}'\n`, { mode: 0o755 })
  const { ready } = await start(['--open'], { env: { BROWSER: browser } })
  await expect
    .poll(() => existsSync(seen) && readFileSync(seen, 'utf8').trim(), { timeout: 5000 })
    .toBe(ready.dashboard_url)
})

test('SIGTERM and SIGINT end it with 0, and the database file keeps what was done', async () => {
  const db = join(temporaryFolder(), 'sandbox.sqlite')
  const first = await start(['--db', db])
  await run([
    'request',
    'POST',
    '/v2/transactions/cashin',
    '--data',
    '{"amount":5,"currency":"BRL","external_id":"kept"}',
    '--url',
    first.url,
  ])
  expect(await first.stop('SIGINT')).toBe(0)
  const second = await start(['--db', db])
  const listed = await run(['transactions', '--json', '--url', second.url])
  expect(JSON.parse(listed.stdout).data[0].external_id).toBe('kept')
  expect(await second.stop('SIGTERM')).toBe(0)
})

test('a second SIGINT does not wait for what still runs', async () => {
  const { child, url } = await start()
  const address = new URL(url)
  const { connect } = await import('node:net')
  const socket = connect(Number(address.port), address.hostname)
  socket.on('error', () => {})
  // Headers without the body that they announce: a call that still runs.
  socket.write(
    `POST /v2/oauth/token HTTP/1.1\r\nHost: ${address.host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  )
  await new Promise((resolve) => socket.once('connect', resolve))
  await fetch(`${url}/_sandbox/health`)
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.kill('SIGINT')
  const refused = async () =>
    fetch(`${url}/_sandbox/health`).then(
      () => false,
      () => true,
    )
  await expect.poll(refused, { timeout: 5000 }).toBe(true)
  child.kill('SIGINT')
  expect(await closed).toBe(130)
  socket.destroy()
})

test('--log-level info prints a line for each call, without token, secret, key or signature', async () => {
  const { child, url, ready } = await start(['--log-level', 'info'])
  const log = collect(child, 'stderr')
  const body = '{"amount":10,"currency":"BRL","key":"ana@example.com","external_id":"w"}'
  await run(['request', 'POST', '/v2/transactions/cashout', '--data', body, '--url', url])
  await expect.poll(log).toContain('/v2/transactions/cashout')
  expect(log()).toContain('/v2/oauth/token')
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${url}/_sandbox/workspaces`, { method: 'POST', headers, body: '{"name":"other"}' })
  await fetch(`${url}/w/other/v2/account/balance`)
  await expect.poll(log).toMatch(/ other 401 GET /)
  for (const credential of ready.accounts.flatMap((account) => account.credentials))
    for (const secret of [credential.client_secret, credential.signing_key, credential.webhook_secret])
      expect(log()).not.toContain(secret)
  expect(log()).not.toMatch(/bearer|signature|token=/i)
})

test('nothing is logged where nobody watches', async () => {
  const { child, url, stop } = await start()
  const log = collect(child, 'stderr')
  await run(['request', 'GET', '/v2/account/balance', '--url', url])
  await stop()
  expect(log()).toBe('')
})

test('--version prints the version of the package and costs little more than starting Node', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  const { stdout, code } = await run(['--version'])
  expect([stdout, code]).toEqual([`${manifest.version}\n`, 0])
  const times = (args: string[]) =>
    Array.from({ length: 9 }, () => {
      const startedMs = performance.now()
      spawnSync(process.execPath, args)
      return performance.now() - startedMs
    })
  // The quickest of each: what else the machine does only ever adds.
  expect(Math.min(...times([bin, '--version']))).toBeLessThan(1.4 * Math.min(...times(['-e', '0'])))
})

test('a port that somebody else has is told in one line before the database is touched', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const db = join(temporaryFolder(), 'never.sqlite')
  const { code, stderr, tookMs } = await run(['start', '--port', String(port), '--db', db])
  other.close()
  expect(code).toBe(1)
  expect(stderr).toBe(
    `payments-sandbox: port ${port} on 127.0.0.1 is in use: stop what runs there, or choose another with --port (0 takes any free one)\n`,
  )
  expect(existsSync(db)).toBe(false)
  expect(tookMs).toBeLessThan(2000)
})
