/** The effects of the commands on a running sandbox, and their output for people and programs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { charge, cli, json, paidCharge, sandbox, shareSandbox, withdraw } from '../support/shared-sandbox.js'

shareSandbox()

test('env prints variables for a shell, a dotenv file and a program', async () => {
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

test('request fetches a token, signs calls that need a signature, and prints the response', async () => {
  const made = await cli('request', 'post', 'v2/transactions/cashin', '--data', '{"amount":25,"currency":"BRL"}')
  expect([made.code, made.stderr.slice(0, 6)]).toEqual([0, '200 OK'])
  expect(JSON.parse(made.stdout)).toMatchObject({ success: true, data: { amount: 25 } })
  expect(await withdraw()).toMatch(/^tx_/)
  const balance = await json('request', 'GET', '/v2/account/balance', '--account', 'customer')
  expect(balance.data.balances[0]).toMatchObject({ currency: 'BRL', available: 1000 })
})

test('request sends the body exactly as typed, and exits with 1 when the API rejects it', async () => {
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
  // An unreadable text could contain a secret anywhere.
  expect((await json('requests', refused.request_id)).request_body).toContain('15 characters that cannot be decoded')
})

test('request suggests the path that was probably meant', async () => {
  const { code, stderr } = await cli('request', 'GET', '/v2/account/balanc')
  expect(code).toBe(1)
  expect(stderr).toContain('did you mean /v2/account/balance?')
})

test('request attaches files to the reply of a dispute', async () => {
  const opened = await json('trigger', 'dispute.open', await paidCharge())
  const file = join(temporaryFolder(), 'proof.pdf')
  writeFileSync(file, '%PDF-1.4\n%%EOF\n')
  const data = JSON.stringify({ id: opened.object.infraction_id, message: 'It was delivered.' })
  await json('request', 'POST', '/v2/account/infractions/reply', '--data', data, '--file', file)
  expect((await json('transactions', opened.object.infraction_id)).replies[0].files[0].name).toBe('proof.pdf')
})

test('trigger performs the action on the named object, or on the newest one that allows it', async () => {
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

test('trigger --account selects the newest object of that account, or creates one for it', async () => {
  const made = await json('trigger', 'cashin.pay', '--create', '--account', 'customer')
  expect(made.object.account).toBe('customer')
  await json('trigger', 'cashin.pay', '--create')
  const refunded = await json('trigger', 'cashin.refund', '--account', 'customer')
  expect(refunded.object.transaction_id).toBe(made.object.transaction_id)
  const none = await cli('trigger', 'cashin.refund', '--account', 'customer')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('cashin.refund --create --account customer')])
  const unknown = await cli('trigger', 'cashin.pay', '--account', 'custmer')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('did you mean customer?')])
  const both = await cli('trigger', 'cashin.refund', made.object.transaction_id, '--account', 'customer')
  expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('cannot be combined with id')])
  const trigger = (body: object) => control(sandbox.url)('POST', '/trigger', body)
  for (const [action, params] of [
    ['dispute.win', {}],
    ['dispute.open', {}],
    ['cashout.fail', {}],
    ['wallet.deposit', { amount: 5 }],
    ['conversion.refund', {}],
  ] as const) {
    // The steps before each action leave an object that allows the action.
    for (const account of ['customer', 'merchant']) {
      const { status, body } = await trigger({ action, create: true, account, ...params })
      expect([status, body.object.account]).toEqual([200, account])
    }
  }
  for (const [action, params] of [
    ['dispute.win', {}],
    ['wallet.deposit', { amount: 5 }],
  ] as const) {
    const { status, body } = await trigger({ action, account: 'customer', ...params })
    expect([status, body.object.account], action).toEqual([200, 'customer'])
  }
})

test('trigger --create creates a suitable object with the fields of --set, and lists the steps before the action', async () => {
  const won = await json('trigger', 'dispute.win', '--create', '--set', 'amount=80', '--set', 'payer.name=Ana')
  expect(won.created.map((one: { action: string }) => one.action)).toEqual([
    'cashin.create',
    'cashin.pay',
    'dispute.open',
  ])
  expect(won.object).toMatchObject({ status: 'won', amount: '80.00' })
  const charge = await json('transactions', won.created[0].id)
  expect(charge.payer.name).toBe('Ana')
  const part = await json('trigger', 'cashin.refund', '--create', '--set', 'amount=40', '--amount', '15')
  expect([part.object.amount, part.object.status]).toEqual(['40.00', 'refunded'])
  const printed = await cli('trigger', 'cashin.refund', '--create', '--set', 'amount=40', '--amount', '15')
  expect(printed.stdout).toMatch(/amount\s+40\.00 BRL\n\s+refunded\s+15\.00 BRL\n/)
  const deposit = await cli('trigger', 'wallet.deposit', '--create', '--set', 'currency=USDT', '--set', 'amount=7')
  expect([deposit.code, deposit.stdout]).toEqual([0, expect.stringContaining('wallet.create')])
  const unknown = await cli('trigger', 'cashout.fail', '--create', '--set', 'netwrok=tron')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean network?')])
  expect((await cli('trigger', 'cashout.fail', 'tx_1', '--create')).code).toBe(2)
})

test('trigger without a suitable object prints a command that works', async () => {
  const { code, stderr } = await cli('trigger', 'conversion.refund')
  expect(code).toBe(1)
  const [command = ''] = /payments-sandbox trigger .*--create.*/.exec(stderr) ?? []
  const done = await cli(...command.trim().split(' ').slice(1))
  expect([command, done.code]).toEqual(['payments-sandbox trigger conversion.refund --create', 0])
})

test('a rejected trigger lists the actions that the state allows, for people and for programs', async () => {
  const { code, stderr, stdout } = await cli('trigger', 'cashin.expire', await paidCharge(), '--json')
  expect(code).toBe(1)
  expect(stderr).toContain('payments-sandbox: INVALID_TRANSITION')
  expect(stderr).toContain('cashin.refund')
  const { success, error } = JSON.parse(stdout)
  expect([success, Object.keys(error).sort()]).toEqual([false, ['code', 'details', 'group', 'message', 'retryable']])
  expect(error).toMatchObject({ code: 'INVALID_TRANSITION', group: 'business', details: { from: 'confirmed' } })
})

test('clock shows, advances, freezes and resumes the clock', async () => {
  await charge()
  const before = await json('clock')
  expect(before).toMatchObject({ mode: 'manual', due: 1 })
  const walked = await json('clock', 'advance', '61m')
  expect(walked.ran.map(({ job }: { job: string }) => job)).toContain('expire')
  expect(Date.parse(walked.now) - Date.parse(before.now)).toBe(61 * 60_000)
  expect((await json('clock', 'resume')).mode).toBe('realtime')
  expect((await json('clock', 'freeze')).mode).toBe('manual')
  expect((await cli('clock', 'advance', '--until', 'idle')).stdout).toMatch(/^next {2}no scheduled jobs$/m)
})

test('lists filter their rows, show one in full, and align their columns', async () => {
  const id = await paidCharge({ external_id: 'order-1' })
  await charge()
  const { data } = await json('transactions', '--status', 'confirmed')
  expect(data.map((row: { transaction_id: string }) => row.transaction_id)).toEqual([id])
  const shown = await cli('transactions', id)
  for (const word of ['History', 'cashin.pay', 'cashin.confirmed', 'Ledger', 'dispute.open'])
    expect(shown.stdout).toContain(word)
  const lines = (await cli('transactions')).stdout.split('\n')
  const at = lines[0]?.indexOf('STATUS') ?? -1
  expect([lines[1]?.slice(at, at + 7), lines[2]?.slice(at, at + 9)]).toEqual(['pending', 'confirmed'])
  const event = (await json('webhooks', '--event', 'cashin.confirmed')).data[0]
  expect((await cli('webhooks', event.id)).stdout).toContain('not sent yet')
})

test('webhooks ID prints the body as it was sent, also if a scenario altered it', async () => {
  await cli('account', 'set', 'merchant', '--webhook-url', `${sandbox.url}/_sandbox/inbox/main`)
  const lastWebhook = async () =>
    (await cli('webhooks', (await json('webhooks', 'wait', 'cashin.confirmed')).id)).stdout
  await paidCharge()
  expect(await lastWebhook()).toContain('exactly as sent and signed')
  await json('scenario', 'run', 'webhook-tampered', '--fast-forward')
  const altered = await lastWebhook()
  expect(altered).toMatch(/^scenario +webhook-tampered\n[\s\S]*^faults +tamper: body\n[\s\S]*FAULT/m)
  expect(altered).toMatch(/exactly as sent; altered after it was signed\n.*,"tampered":true\}\n$/)
})

test('transactions ID shows the requested amount of a charge that was paid with another amount', async () => {
  const id = await charge({ amount: 250, currency: 'MXN' })
  expect(await json('transactions', id)).not.toHaveProperty('amount_requested')
  await json('trigger', 'cashin.pay', id, '--amount', '125')
  const { stdout } = await cli('transactions', id)
  expect(stdout).toMatch(/^amount +125\.00\n[\s\S]*^amount_requested +250\.00\n/m)
})

test('hostile text cannot reach the terminal as control characters', async () => {
  const id = await charge({ payer: { name: 'Ana \u001b[31mred\u001b]0;title\u0007' } })
  const { stdout } = await cli('transactions', id)
  expect(stdout).toContain('Ana')
  expect(stdout).not.toContain('\u001b')
})

test('account creates accounts and changes their settings', async () => {
  const made = await json('account', 'create', 'shop', '--balance', 'BRL=500.00', '--name', 'The Shop', '--no-active')
  expect(made).toMatchObject({ username: 'shop', name: 'The Shop', balances: { BRL: { available: '500.00' } } })
  expect(made.credentials[0].active).toBe(false)
  expect((await json('account', 'balance', 'shop', 'BRL=7', 'BTC=0.5')).balances.BTC.available).toBe('0.50000000')
  expect((await cli('account', 'list')).stdout).toContain('7.00 BRL, 0.50000000 BTC')
})

test('snapshot saves and restores the state; reset returns to the initial state', async () => {
  const id = await charge()
  await json('snapshot', 'save', 'pending')
  const pay = { action: 'cashin.pay', id }
  expect((await control(sandbox.url)('POST', '/trigger', pay)).status).toBe(200)
  await json('snapshot', 'restore', 'pending')
  expect((await json('transactions', id)).status).toBe('pending')
  expect((await json('snapshot', 'list')).data.map((row: { name: string }) => row.name)).toContain('pending')
  await json('snapshot', 'delete', 'pending')
  expect((await cli('snapshot', 'restore', 'pending')).code).toBe(1)
  await json('reset')
  expect((await json('transactions')).data).toEqual([])
})
