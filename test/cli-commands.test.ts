/** What the commands do to a running sandbox, and what they say to people and to programs. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectControl } from '../src/client/control.js'
import { built } from './support/built.js'
import { collect, ended, launch, printed, type Running, run, startProgram, temporaryFolder } from './support/program.js'

let sandbox: Running
beforeAll(async () => {
  await built()
  sandbox = await startProgram(['--no-rate-limits', '--clock', 'manual'])
})
afterAll(async () => {
  await sandbox.stop()
})
beforeEach(async () => {
  await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' })
})

const cli = (...args: string[]) => run(args, { env: { PAYMENTS_SANDBOX_URL: sandbox.url } })

/** The JSON that a command prints, which is one line of it. */
async function json(...args: string[]) {
  const { stdout, stderr, code } = await cli(...args, '--json')
  expect(stdout).toMatch(/^[^\n]+\n$/)
  expect([code, stderr.replace(/^20\d [A-Z]\w+ req_\w+\n$/, '')]).toEqual([0, ''])
  return JSON.parse(stdout)
}

const charge = async (more = {}): Promise<string> =>
  (
    await json(
      'request',
      'POST',
      '/v2/transactions/cashin',
      '--data',
      JSON.stringify({ amount: 25, currency: 'BRL', ...more }),
    )
  ).data.transaction_id
const withdraw = async (more = {}): Promise<string> =>
  (
    await json(
      'request',
      'POST',
      '/v2/transactions/cashout',
      '--data',
      JSON.stringify({ amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'w', ...more }),
    )
  ).data.transaction_id

test('env prints what a shell, a dotenv file and a program need', async () => {
  const [credential] = sandbox.ready.accounts[0]?.credentials ?? []
  const shell = await cli('env')
  expect(shell.stdout).toContain(`export PAYMENTS_SANDBOX_URL='${sandbox.url}'\n`)
  expect(shell.stdout).toContain(`export PAYMENTS_SANDBOX_SIGNING_KEY='${credential?.signing_key}'\n`)
  expect((await cli('env', '--format', 'dotenv')).stdout).toContain(
    `PAYMENTS_SANDBOX_CLIENT_ID=${credential?.client_id}\n`,
  )
  expect(await json('env', '--account', 'customer')).toMatchObject({
    PAYMENTS_SANDBOX_URL: sandbox.url,
    PAYMENTS_SANDBOX_CLIENT_ID: 'client_sandbox_customer',
  })
})

test('request fetches a token, signs where the route wants it, and prints the answer', async () => {
  const made = await cli('request', 'post', 'v2/transactions/cashin', '--data', '{"amount":25,"currency":"BRL"}')
  expect([made.code, made.stderr.slice(0, 6)]).toEqual([0, '200 OK'])
  expect(JSON.parse(made.stdout)).toMatchObject({ success: true, data: { amount: 25 } })
  expect(await withdraw()).toMatch(/^tx_/)
  const balance = await json('request', 'GET', '/v2/account/balance', '--account', 'customer')
  expect(balance.data.balances[0]).toMatchObject({ currency: 'BRL', available: 1000 })
})

test('request sends the body exactly as typed, and ends with 1 where the API refuses it', async () => {
  const { code, stdout, stderr } = await cli(
    'request',
    'POST',
    '/v2/transactions/cashin',
    '--data',
    '{"amount":1e400',
    '--json',
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(/^400 /)
  expect(JSON.parse(stdout).error.code).toBe('INVALID_JSON')
  const [refused] = (await json('requests', '--error-code', 'INVALID_JSON')).data
  expect((await json('requests', refused.request_id)).request_body).toBe('{"amount":1e400')
})

test('request says which path was probably meant', async () => {
  const { code, stderr } = await cli('request', 'GET', '/v2/account/balanc')
  expect(code).toBe(1)
  expect(stderr).toContain('did you mean /v2/account/balance?')
})

test('request attaches files to the reply of a dispute', async () => {
  const id = await charge()
  await cli('trigger', 'cashin.pay', id)
  const opened = await json('trigger', 'dispute.open', id)
  const file = join(temporaryFolder(), 'proof.pdf')
  writeFileSync(file, '%PDF-1.4\n%%EOF\n')
  const data = JSON.stringify({ id: opened.object.infraction_id, message: 'It was delivered.' })
  await json('request', 'POST', '/v2/account/infractions/reply', '--data', data, '--file', file)
  expect((await json('transactions', opened.object.infraction_id)).replies[0].files[0].name).toBe('proof.pdf')
})

test('trigger does the action to the object that is named, or to the newest it is allowed on', async () => {
  const first = await charge({ external_id: 'first' })
  const second = await charge()
  expect((await json('trigger', 'cashin.pay')).object.transaction_id).toBe(second)
  const paid = await json(
    'trigger',
    'cashin.pay',
    'first',
    '--set',
    'payer.name=Ana',
    '--set',
    'payer.document=52998224725',
  )
  expect(paid.object).toMatchObject({ transaction_id: first, payer: { name: 'Ana', document: '52998224725' } })
  await withdraw()
  const failed = await cli('trigger', 'cashout.fail', '--error-code', 'PIX_KEY_NOT_FOUND')
  expect(failed.code).toBe(0)
  expect(failed.stdout).toContain('is failed')
  expect(failed.stdout).toContain('cashout.failed')
})

test('trigger tells what the state allows where it refuses, to people and to programs', async () => {
  const id = await charge()
  await cli('trigger', 'cashin.pay', id)
  const { code, stderr, stdout } = await cli('trigger', 'cashin.expire', id, '--json')
  expect(code).toBe(1)
  expect(stderr).toContain('payments-sandbox: INVALID_TRANSITION')
  expect(stderr).toContain('cashin.refund')
  expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'INVALID_TRANSITION' } })
})

test('clock reads, walks, freezes and resumes', async () => {
  await charge()
  const before = await json('clock')
  expect(before).toMatchObject({ mode: 'manual', due: 1 })
  const walked = await json('clock', 'advance', '61m')
  expect(walked.ran.map(({ job }: { job: string }) => job)).toContain('expire')
  expect(Date.parse(walked.now) - Date.parse(before.now)).toBe(61 * 60_000)
  expect((await json('clock', 'resume')).mode).toBe('realtime')
  expect((await json('clock', 'freeze')).mode).toBe('manual')
  expect((await cli('clock', 'advance', '--until', 'idle')).stdout).toContain('nothing is due')
})

test('lists filter, show one in full, and are aligned for people', async () => {
  const id = await charge({ external_id: 'order-1' })
  await charge()
  await cli('trigger', 'cashin.pay', id)
  const { data } = await json('transactions', '--status', 'confirmed')
  expect(data.map((row: { transaction_id: string }) => row.transaction_id)).toEqual([id])
  const shown = await cli('transactions', id)
  for (const word of ['History', 'cashin.pay', 'cashin.confirmed', 'Ledger', 'dispute.open'])
    expect(shown.stdout).toContain(word)
  const lines = (await cli('transactions')).stdout.split('\n')
  const at = lines[0]?.indexOf('STATUS') ?? -1
  expect([lines[1]?.slice(at, at + 7), lines[2]?.slice(at, at + 9)]).toEqual(['pending', 'confirmed'])
  const event = (await json('webhooks', '--event', 'cashin.confirmed')).data[0]
  expect((await cli('webhooks', event.id)).stdout).toContain('exactly as sent and signed')
})

test('hostile text of others cannot reach the terminal as control characters', async () => {
  const id = await charge({ payer: { name: 'Ana \u001b[31mred\u001b]0;title\u0007' } })
  const { stdout } = await cli('transactions', id)
  expect(stdout).toContain('Ana')
  expect(stdout).not.toContain('\u001b')
})

test('--follow prints what comes, and ends with 0 when it is told to', async () => {
  const child = launch(['requests', '--follow', '--json', '--url', sandbox.url])
  const said = collect(child, 'stdout')
  const over = ended(child)
  await expect.poll(async () => (await charge()) && said(), { timeout: 10_000 }).toContain('/v2/transactions/cashin')
  for (const line of said().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('request_id')
  child.kill('SIGINT')
  expect((await over).code).toBe(0)
})

test('listen shows each webhook with a verdict, hands it on, and gives the old address back', async () => {
  const control = connectControl(sandbox.url)
  const before = `${sandbox.url}/_sandbox/inbox/before`
  await control.call('PATCH', '/credentials/client_sandbox_merchant', { postback_url: before })
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
  await charge()
  await cli('trigger', 'cashin.pay')
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
  const account = await control.call<{ credentials: { postback_url: string }[] }>('GET', '/accounts/merchant')
  expect(account.credentials[0]?.postback_url).toBe(before)
})

test('listen hands on what cannot be handed on as a failure, so that the sandbox tries again', async () => {
  const child = launch(['listen', '--forward-to', 'http://127.0.0.1:1/', '--url', sandbox.url])
  const over = ended(child)
  await printed(child, /listening/)
  await charge()
  await cli('trigger', 'cashin.pay')
  const status = async () => (await json('webhooks')).data[0]
  await expect.poll(status).toMatchObject({ status: 'pending', attempts: 1 })
  child.kill('SIGTERM')
  expect((await over).code).toBe(0)
})

test('account makes accounts and sets what they have', async () => {
  const made = await json('account', 'create', 'shop', '--balance', 'BRL=500.00', '--name', 'The Shop', '--no-active')
  expect(made).toMatchObject({ username: 'shop', name: 'The Shop', balances: { BRL: { available: '500.00' } } })
  expect(made.credentials[0].active).toBe(false)
  expect((await json('account', 'balance', 'shop', 'BRL=7', 'BTC=0.5')).balances.BTC.available).toBe('0.50000000')
  expect((await cli('account', 'list')).stdout).toContain('7.00 BRL, 0.50000000 BTC')
})

test('snapshot keeps the state and brings it back; reset goes back to the start', async () => {
  const id = await charge()
  await json('snapshot', 'save', 'pending')
  await cli('trigger', 'cashin.pay', id)
  await json('snapshot', 'restore', 'pending')
  expect((await json('transactions', id)).status).toBe('pending')
  expect((await json('snapshot', 'list')).data.map((row: { name: string }) => row.name)).toContain('pending')
  await json('snapshot', 'delete', 'pending')
  expect((await cli('snapshot', 'restore', 'pending')).code).toBe(1)
  await json('reset')
  expect((await json('transactions')).data).toEqual([])
})

test('doctor is content with a well sandbox, and tells what is wrong with a failing receiver and a bad signature', async () => {
  const well = await cli('doctor')
  expect(well.code).toBe(0)
  expect(well.stdout).toContain('balanced')
  const control = connectControl(sandbox.url)
  await control.call('PATCH', '/credentials/client_sandbox_merchant', { postback_url: 'http://127.0.0.1:1/' })
  await charge()
  await cli('trigger', 'cashin.pay')
  await cli('clock', 'advance', '1h')
  const token = JSON.parse((await cli('request', 'POST', '/v2/oauth/token')).stdout).access_token
  await fetch(`${sandbox.url}/v2/transactions/cashout`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
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
  expect(stdout).toContain('nothing listens there')
  expect(stdout).toContain('INVALID_SIGNATURE at /v2/transactions/cashout')
})

test('a workspace is another sandbox for every command', async () => {
  await connectControl(sandbox.url).call('POST', '/workspaces', { name: 'other' })
  await json(
    'request',
    'POST',
    '/v2/transactions/cashin',
    '--data',
    '{"amount":5,"currency":"BRL"}',
    '--workspace',
    'other',
  )
  expect((await json('transactions', '--workspace', 'other')).data).toHaveLength(1)
  expect((await json('transactions')).data).toEqual([])
  expect((await json('env', '--workspace', 'other')).PAYMENTS_SANDBOX_URL).toBe(`${sandbox.url}/w/other`)
})

test('an admin token is handed over by flag or variable, and its absence is told', async () => {
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

test('scenario validate needs no sandbox and tells every mistake with its place', async () => {
  const file = join(temporaryFolder(), 'mine.yaml')
  writeFileSync(file, 'name: mine\nstpes:\n  - wait: 1s\n')
  const { code, stdout } = await run(['scenario', 'validate', file])
  expect(code).toBe(1)
  expect(stdout).toContain(`${file}:2:1: `)
  expect(stdout).toContain('steps')
})

test('scenario run tells each step, writes JUnit, and ends with 1 where one does not pass', async () => {
  const folder = temporaryFolder()
  const good = join(folder, 'good.yaml')
  const bad = join(folder, 'bad.yaml')
  const start = (name: string) =>
    `name: ${name}\nparams: { amount: 25, delay: 1h }\nsteps:\n  - create: { cashin: { amount: "\${amount}", currency: BRL } }\n  - wait: \${delay}\n`
  writeFileSync(good, `${start('good')}  - expect: { status: expired }\n`)
  writeFileSync(bad, `${start('bad')}  - expect: { status: confirmed }\n`)
  const passed = await cli('scenario', 'run', good, '--fast-forward', '--param', 'amount=30', '--param', 'delay=2h')
  expect(passed.code).toBe(0)
  expect(passed.stdout).toContain('✓ wait')
  expect((await json('transactions')).data[0].amount).toBe('30.00')
  const report = join(folder, 'out.xml')
  const both = await cli('scenario', 'run', good, bad, '--fast-forward', '--junit', report)
  expect(both.code).toBe(1)
  expect(both.stdout).toContain('1 of 2 did not pass')
  const xml = readFileSync(report, 'utf8')
  expect(xml).toContain('tests="2" failures="1"')
  expect(xml).toMatch(/<testcase classname="payments-sandbox" name="bad"[^>]*>\s*<failure message="expect: /)
  const names = (await json('scenario', 'list')).data.map((row: { name: string }) => row.name)
  expect(names).not.toContain('good')
})

test('scenario run says that time stands still, and cancels the run when it is told to stop', async () => {
  const file = join(temporaryFolder(), 'waiting.yaml')
  writeFileSync(file, 'name: waiting\nsteps:\n  - wait: 1h\n')
  const child = launch(['scenario', 'run', file, '--url', sandbox.url])
  const over = ended(child)
  expect(await printed(child, /\n/, 'stderr')).toContain('--fast-forward')
  child.kill('SIGINT')
  const { code, stdout } = await over
  expect([code, stdout.includes('canceled')]).toEqual([1, true])
})

test('a scenario is armed by name for the next call, and disarmed', async () => {
  await json('scenario', 'arm', 'tron-energy-fail', '--times', '1')
  expect((await cli('scenario', 'list')).stdout).toMatch(/tron-energy-fail +built-in +yes/)
  await json('scenario', 'disarm', 'tron-energy-fail')
  expect((await cli('scenario', 'list')).stdout).not.toMatch(/tron-energy-fail +built-in +yes/)
  const typo = await cli('scenario', 'arm', 'tron-energy-fial')
  expect([typo.code, typo.stderr.includes('did you mean tron-energy-fail?')]).toEqual([1, true])
})
