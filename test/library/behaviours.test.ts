/** The behaviours of `packages/behaviours.md` in the library, with their numbers: the packages for other languages have the same. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forJest } from '../../src/testing/fixtures/wrapper.js'
import * as library from '../../src/testing/index.js'

const { connectSandbox, startSandbox, verifyWebhook } = library

const cashinPath = '/v2/transactions/cashin'
const order = { amount: 25, currency: 'BRL', external_id: 'order-1' } as const
const small = { amount: 0.5, currency: 'BRL' } as const

let server: library.Sandbox
beforeAll(async () => {
  server = await startSandbox({ clock: 'manual' })
})
afterAll(() => server.close())

type Body = (sandbox: library.Sandbox, api: ReturnType<library.Sandbox['client']>) => Promise<void>

/** Each test has a workspace of its own. */
function behaviour(title: string, body: Body): void {
  test(title, async () => {
    const sandbox = await server.workspace()
    try {
      await body(sandbox, sandbox.client('merchant'))
    } finally {
      await sandbox.close()
    }
  })
}

const errorOf = (promise: Promise<unknown>): Promise<library.SandboxError> =>
  promise.then(
    () => expect.fail('nothing was rejected'),
    (error: library.SandboxError) => error,
  )

/** A webhook as a receiver gets it, with the secret. */
async function received(sandbox: library.Sandbox) {
  const receiver = await sandbox.receiver()
  await sandbox.trigger('cashin.pay', { create: true, fields: { external_id: 'order-1' } })
  const { raw: body, headers } = await receiver.waitFor('cashin.confirmed')
  return { body, headers, secret: sandbox.accounts.merchant.webhook_secret }
}

test('1. uses the sandbox at an address, and leaves it running', async () => {
  const connected = await connectSandbox(server.url)
  await connected.close()
  expect((await fetch(`${server.url}/_sandbox/health`)).status).toBe(200)
})

test('2. starts a sandbox, and stops it at the end', async () => {
  const started = await startSandbox()
  await started.close()
  await expect(fetch(`${started.url}/_sandbox/health`)).rejects.toThrow()
})

behaviour('3. gives each test a workspace of its own', async (sandbox, api) => {
  const other = await server.workspace()
  await api.cashin(order)
  expect(other.url).not.toBe(sandbox.url)
  expect(await other.transactions.list()).toEqual([])
  await other.close()
})

test('4. deletes the workspace after the test', async () => {
  const workspace = await server.workspace()
  await workspace.close()
  expect((await fetch(`${workspace.url}/_sandbox/health`)).status).toBe(404)
})

behaviour('5. fetches one token and reuses it', async (sandbox, api) => {
  await api.balance()
  await api.profile()
  await sandbox.requests.expect({ path: '/v2/oauth/token', times: 1 })
})

behaviour('6. fetches a new token after the platform rejects the old one with 401', async (sandbox, api) => {
  await api.cashin(order)
  await sandbox.clock.advance('2h')
  expect((await api.cashin({ ...order, external_id: 'order-2' })).external_id).toBe('order-2')
  await sandbox.requests.expect({ path: '/v2/oauth/token', times: 2 })
  await sandbox.requests.expect({ path: cashinPath, status: 401, times: 1 })
})

behaviour('7. signs a withdrawal', async (_sandbox, api) => {
  const payout = { amount: 10, currency: 'BRL', key: '52998224725', external_id: 'payout-1' } as const
  expect((await api.cashout(payout)).status).toBe('pending')
})

behaviour('8. creates a charge and returns a typed result', async (_sandbox, api) => {
  const { status, fee, payment_info } = await api.cashin(order)
  expect({ status, fee }).toEqual({ status: 'pending', fee: 0.25 })
  expect(payment_info).toMatchObject({ expiration: 3600, qrcode: expect.stringMatching(/^000201/) })
})

behaviour('9. triggers the payment of a charge', async (sandbox, api) => {
  const { transaction_id } = await api.cashin(order)
  const { object } = await sandbox.trigger('cashin.pay', { id: transaction_id, payer: { name: 'Maria Souza' } })
  expect(object).toMatchObject({ transaction_id, status: 'confirmed', payer: { name: 'Maria Souza' } })
})

behaviour('10. waits for a webhook and returns its event', async (sandbox, api) => {
  await api.cashin(order)
  await sandbox.trigger('cashin.pay')
  const { data } = await sandbox.webhooks.waitFor('cashin.confirmed', { external_id: 'order-1' })
  expect(data).toMatchObject({ external_id: 'order-1', amount_net: '24.75' })
})

behaviour('11. verifies the signature of a webhook over the raw body', async (sandbox) => {
  const { body, headers, secret } = await received(sandbox)
  expect(verifyWebhook({ secret, body, headers })).toMatchObject({ ok: true, event: { event: 'cashin.confirmed' } })
  const encodedAgain = JSON.stringify(JSON.parse(body), null, 1)
  expect(verifyWebhook({ secret, body: encodedAgain, headers })).toEqual({ ok: false, reason: 'signature_mismatch' })
})

behaviour('12. rejects a changed body and a wrong secret, with a comparison in constant time', async (sandbox) => {
  const { body, headers, secret } = await received(sandbox)
  const mismatch = { ok: false, reason: 'signature_mismatch' }
  expect(verifyWebhook({ secret, body: body.replace('25.00', '26.00'), headers })).toEqual(mismatch)
  expect(verifyWebhook({ secret: 'whsec_wrong', body, headers })).toEqual(mismatch)
  // The comparison itself cannot be observed from a test, so the source is read.
  const source = readFileSync(new URL('../../src/base/crypto.ts', import.meta.url), 'utf8')
  expect(source).toContain('timingSafeEqual(')
})

behaviour('13. rejects a webhook with an old timestamp', async (sandbox) => {
  const { body, headers, secret } = await received(sandbox)
  const now = Math.floor(Date.now() / 1000) + 400
  expect(verifyWebhook({ secret, body, headers, now })).toEqual({ ok: false, reason: 'stale_timestamp' })
  expect(verifyWebhook({ secret, body, headers, now, toleranceSeconds: 500 }).ok).toBe(true)
})

behaviour('14. advances the clock until a charge expires', async (sandbox, api) => {
  await api.cashin(order)
  await sandbox.clock.advance('1h')
  expect((await sandbox.webhooks.waitFor('cashin.expired')).data.status).toBe('expired')
})

behaviour('15. arms a built-in scenario', async (sandbox, api) => {
  await sandbox.scenarios.arm('provider-error', { times: 1 })
  expect(await errorOf(api.cashin(order))).toMatchObject({ code: 'PROVIDER_ERROR' })
  expect((await api.cashin(order)).status).toBe('pending')
})

behaviour('16. uploads a scenario and runs it', async (sandbox) => {
  const charge = { cashin: { amount: 10, currency: 'BRL' } }
  const steps = [{ create: charge }, { wait: '10m' }, { 'cashin.pay': {} }]
  await sandbox.scenarios.upload({ name: 'paid-later', title: 'A charge is paid after ten minutes', steps })
  expect(await sandbox.scenarios.run('paid-later', { fast_forward: true })).toMatchObject({ status: 'passed' })
})

behaviour('17. throws an API error with status, code, message, details and request id', async (sandbox, api) => {
  const error = await errorOf(api.cashin(small))
  expect(error).toMatchObject({ status: 409, code: 'BELOW_MIN_LIMIT', details: { min_amount: 1 } })
  expect(error.message).toMatch(/minimum/)
  expect((await sandbox.requests.get(String(error.requestId))).error_code).toBe('BELOW_MIN_LIMIT')
})

behaviour('18. says what happened instead when a wait for a webhook times out', async (sandbox, api) => {
  const { transaction_id } = await api.cashin(order)
  await sandbox.trigger('cashin.expire')
  const filter = { external_id: 'order-1' }
  const error = await errorOf(sandbox.webhooks.waitFor('cashin.confirmed', filter, { timeout: '50ms' }))
  expect(error.code).toBe('WAIT_TIMEOUT')
  expect(error.message).toContain('for cashin.confirmed of external_id order-1')
  expect(error.message).toContain(`cashin.expired (failed) of ${transaction_id}`)
})

behaviour('19. returns the same charge when a request repeats its external_id', async (_sandbox, api) => {
  const { transaction_id } = await api.cashin(order)
  expect((await api.cashin(order)).transaction_id).toBe(transaction_id)
  expect(await errorOf(api.cashin({ ...order, amount: 26 }))).toMatchObject({ code: 'DUPLICATE_EXTERNAL_ID' })
})

behaviour('20. keeps amounts as exact decimals', async (sandbox) => {
  await sandbox.configure('merchant', { balances: { BRL: '9007199254740.93', SOL: '0.000000001' } })
  const { BRL, SOL } = await sandbox.balances('merchant')
  expect([BRL.available, SOL.available]).toEqual(['9007199254740.93', '0.000000001'])
})

behaviour('21. asserts that calls were made, and says how similar calls differ', async (sandbox, api) => {
  await api.cashin(order)
  const call = { method: 'POST', path: cashinPath, body: { amount: 25 } } as const
  expect(await sandbox.requests.expect({ ...call, times: 1 })).toBe(1)
  expect(await sandbox.requests.expect(call)).toBe(1)
  expect(await sandbox.requests.expect({ path: '/v2/transactions/cashout', times: 0 })).toBe(0)
  const error = await errorOf(sandbox.requests.expect({ ...call, body: { amount: 26 } }))
  expect(error.message).toMatch(/received 0.* had body\.amount 25 instead of 26/)
})

behaviour(
  '22. lists rejected calls and calls with warnings, and reads one of them with its bodies',
  async (sandbox, api) => {
    await api.cashin(order)
    await errorOf(api.cashin(small))
    const [rejected] = await sandbox.requests.unexpected()
    const [warned] = await sandbox.requests.warnings()
    expect([rejected?.error_code, warned?.warnings[0]?.code]).toEqual(['BELOW_MIN_LIMIT', 'no_external_id'])
    const id = String(rejected?.request_id)
    expect((await sandbox.requests.get(id)).request_body).toContain('"amount":0.5')
    expect((await sandbox.requests.replay(id)).error_code).toBe('BELOW_MIN_LIMIT')
  },
)

behaviour('23. restores a snapshot, and resets the workspace, whose clock then stands still', async (sandbox, api) => {
  await api.cashin(order)
  await sandbox.snapshot('one')
  await api.cashin({ ...order, external_id: 'order-2' })
  expect((await sandbox.restore('one')).name).toBe('one')
  expect(await sandbox.transactions.list()).toHaveLength(1)
  await sandbox.reset()
  expect(await sandbox.transactions.list()).toEqual([])
  expect((await sandbox.clock.read()).mode).toBe('manual')
})

behaviour('24. injects random faults and stops them', async (sandbox, api) => {
  await api.balance()
  await sandbox.chaos.set({ seed: 'a', error: '100%' })
  await errorOf(api.cashin(order))
  expect((await sandbox.requests.list())[0]?.chaos).toEqual(['error'])
  expect((await sandbox.chaos.set('gentle')).slow?.by).toBe('1s')
  await sandbox.chaos.off()
  expect(await sandbox.chaos.read()).toEqual({})
  expect((await api.cashin(order)).status).toBe('pending')
})

behaviour('25. reads the statement of an account and the ledger', async (sandbox, api) => {
  await api.cashin(order)
  await sandbox.trigger('cashin.pay')
  const { entries, closing } = await sandbox.statement('merchant', { currency: 'BRL' })
  expect(entries.slice(-2)).toMatchObject([
    { type: 'charge', amount: '25.00' },
    { type: 'charge_fee', amount: '-0.25', balance: closing },
  ])
  expect((await sandbox.ledger()).balanced).toBe(true)
  expect((await sandbox.balances('merchant')).BRL.available).toBe(closing)
})

behaviour('26. replies to a dispute with a file', async (sandbox, api) => {
  const { object } = await sandbox.trigger('dispute.open', { create: true })
  const id = object.infraction_id
  const receipt = { name: 'receipt.pdf', content: '%PDF-1.4\n%%EOF', type: 'application/pdf' }
  const { files } = await api.infractionReply({ id, message: 'Delivered on Monday', files: [receipt] })
  expect(files).toMatchObject([{ name: 'receipt.pdf' }])
  expect((await api.infractionDetail({ id })).status).toBe('responded')
})

behaviour('27. creates an account, and changes its balances, limits and fees', async (sandbox) => {
  await sandbox.account({ username: 'shop', balances: { BRL: '500.00' } })
  const row = { currency: 'BRL', operation: 'cashin' } as const
  const limits = [{ ...row, max_amount: 50 }]
  const fees = [{ ...row, fixed: 0, percent: 0 }]
  const { balances } = await sandbox.configure('shop', { balances: { BRL: '7.50' }, limits, fees })
  expect(balances.BRL.available).toBe('7.50')
  expect((await sandbox.client('shop').cashin({ ...order, amount: 50 })).fee).toBe(0)
  const tooMuch = { ...order, amount: 51, external_id: 'order-2' }
  expect(await errorOf(sandbox.client('shop').cashin(tooMuch))).toMatchObject({ code: 'EXCEEDS_MAX_LIMIT' })
})

behaviour('28. reads what an inbox received, and sets its responses', async (sandbox, api) => {
  const params = { name: 'tests' }
  await sandbox.configure('merchant', { postback_url: `${sandbox.url}/_sandbox/inbox/tests` })
  await sandbox.control.call('PUT /inbox/{name}', { params, body: { responses: [{ status: 500 }, { status: 200 }] } })
  await api.cashin(order)
  await sandbox.trigger('cashin.pay')
  await sandbox.clock.advance('1h')
  const { data } = await sandbox.control.call('GET /inbox/{name}', { params })
  expect(data).toMatchObject([{ signature_valid: true }, { signature_valid: true }])
  await sandbox.control.call('DELETE /inbox/{name}', { params })
  expect((await sandbox.control.call('GET /inbox/{name}', { params })).data).toEqual([])
})

test('29. shows the calls and the webhooks of a failed test in the output of the test runner', async () => {
  const closes: (() => Promise<void>)[] = []
  const failing = forJest((close) => void closes.push(close))(async ({ sandbox }) => {
    await sandbox.trigger('cashin.pay', { create: true })
    await sandbox.client('merchant').cashin(small)
  })
  const { message } = await errorOf(failing())
  for (const close of closes) await close()
  for (const part of [
    'payments-sandbox: request log',
    `POST ${cashinPath} 409 BELOW_MIN_LIMIT req_`,
    'request: {"amount":0.5',
    'warning: external_id is missing',
    'payments-sandbox: webhooks',
    'cashin.confirmed tx_',
  ])
    expect(message).toContain(part)
})

test('30. says what failed, and what to do, if no sandbox starts', async () => {
  const port = Number(new URL(server.url).port)
  const error = await errorOf(startSandbox({ port }))
  expect(error.code).toBe('PORT_UNUSABLE')
  expect(error.message).toContain(String(port))
  expect(error.message).toMatch(/another port|port 0|Stop|Use/i)
})
