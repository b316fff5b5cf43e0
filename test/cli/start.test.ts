/** `start` for people and CI systems: settings and their precedence, and the ready information. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { collect, launch, printed, type Ready, run, startForTest, startHereForTest } from '../support/program.js'
import { talk } from '../support/raw-http.js'
import { secretsOf } from '../support/signing.js'
import { requireTools } from '../support/tools.js'

beforeAll(async () => {
  await built()
})
const clockMode = async (url: string) =>
  ((await (await fetch(`${url}/_sandbox/clock`)).json()) as { mode: string }).mode

test('start --json prints exactly one line with its address and its credentials', async () => {
  const { child, ready, stop } = await startForTest()
  const more = collect(child, 'stdout')
  expect(Object.keys(ready).sort()).toEqual(['accounts', 'base_url', 'dashboard_url', 'database_driver', 'event'])
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

test('the banner shows the address, the keys and one curl command, which creates a charge when pasted', async (context) => {
  requireTools(context, 'curl')
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

test.each([
  [[], /State +in memory, until the sandbox stops\n/],
  [['--db', 'sandbox.sqlite'], /State +\/\S+\/sandbox\.sqlite\n/],
])('the banner of start %j says where the state is', async (flags, line) => {
  const child = launch(['start', '--port', '0', ...flags], { cwd: temporaryFolder() })
  expect(await printed(child, /curl [^\n]*\n/)).toMatch(line)
  child.kill('SIGINT')
  await new Promise((resolve) => child.once('close', resolve))
})

test('a flag beats the environment, which beats the configuration file, which beats the default', async () => {
  const folder = temporaryFolder()
  const config = join(folder, 'sandbox.yaml')
  writeFileSync(config, 'clock: manual\nseed: from-file\n')
  const fromFile = await startHereForTest(['--config', config])
  expect(await clockMode(fromFile.url)).toBe('manual')
  const fromEnvironment = await startHereForTest(['--config', config], { env: { PAYMENTS_SANDBOX_CLOCK: 'realtime' } })
  expect(await clockMode(fromEnvironment.url)).toBe('realtime')
  const fromFlag = await startHereForTest(['--config', config, '--clock', 'manual'], {
    env: { PAYMENTS_SANDBOX_CLOCK: 'realtime' },
  })
  expect(await clockMode(fromFlag.url)).toBe('manual')
  const byDefault = await startHereForTest()
  expect(await clockMode(byDefault.url)).toBe('realtime')
})

test('a flag switches off a setting of the environment, and a variable can name the configuration file', async () => {
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
  const off = await startHereForTest([], { env: { PAYMENTS_SANDBOX_CONFIG: join(folder, 'c.json') } })
  expect(await tries(off.url)).toBe(0)
  const offByVariable = await startHereForTest([], { env: { PAYMENTS_SANDBOX_NO_RATE_LIMITS: '1' } })
  expect(await tries(offByVariable.url)).toBe(0)
  const on = await startHereForTest(['--rate-limits'], { env: { PAYMENTS_SANDBOX_NO_RATE_LIMITS: '1' } })
  expect(await tries(on.url)).toBe(1)
})

test("the configuration file sets the platform's behavior and its accounts, which a reset restores", async () => {
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
  const { url, ready } = await startHereForTest(['--config', config])
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

test('start takes a folder of scenarios, an armed scenario, its own secrets, and one more host name', async () => {
  const config = join(temporaryFolder(), 'sandbox.yaml')
  writeFileSync(config, 'demo_secrets: random\n')
  const folder = temporaryFolder()
  const refused = 'name: refused\non: { operation: cashin }\nsteps:\n  - respond: { code: PROVIDER_ERROR }\n'
  writeFileSync(join(folder, 'refused.yaml'), refused)
  const own = ['--scenarios', folder, '--arm', 'refused', '--allow-host', 'payments.test']
  const { url, ready } = await startHereForTest(['--config', config, ...own])
  const keys = ready.accounts.map(({ credentials: [first] }) => first?.signing_key)
  expect(keys.filter((key) => key === secretsOf('merchant').signingKey || key === undefined)).toEqual([])
  const scenario = await (await fetch(`${url}/_sandbox/scenarios/refused`)).json()
  expect(scenario).toMatchObject({ origin: 'folder', armed: [{ scenario: 'refused' }] })
  const answerTo = (host: string) =>
    talk(Number(new URL(url).port), `GET /_sandbox/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(await answerTo('payments.test')).toMatch(/^HTTP\/1\.1 200 /)
  expect(await answerTo('other.test')).toMatch(/^HTTP\/1\.1 403 /)
})

test('the same seed generates the same ids', async () => {
  const ids = await Promise.all(
    [0, 1].map(async () => {
      const { url } = await startHereForTest(['--seed', 'one'])
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

test('--config-out writes the ready information for other processes, readable by its owner alone', async () => {
  const file = join(temporaryFolder(), 'ready.json')
  const { ready } = await startHereForTest(['--config-out', file, '--admin-token', 'open-sesame'])
  expect(JSON.parse(readFileSync(file, 'utf8')) as Ready).toEqual(ready)
  expect(ready.admin_token).toBe('open-sesame')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('--open opens the dashboard in the browser that BROWSER names', async () => {
  const folder = temporaryFolder()
  const seen = join(folder, 'seen')
  const browser = join(folder, 'browser')
  writeFileSync(browser, `#!/bin/sh\necho "$1" > '${seen}.part' && mv '${seen}.part' '${seen}'\n`, { mode: 0o755 })
  const { ready } = await startHereForTest(['--open'], { env: { BROWSER: browser } })
  await eventually(
    () => existsSync(seen) && readFileSync(seen, 'utf8').trim(),
    (address) => address === ready.dashboard_url,
  )
})
