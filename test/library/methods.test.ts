/** The methods of the library, with a sandbox started here and with one that was started elsewhere. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  connectSandbox,
  createApiClient,
  type Sandbox,
  SandboxError,
  type StartOptions,
  startSandbox,
  UnreachableError,
} from '../../src/testing/index.js'
import { eventually } from '../support/eventually.js'
import { gate } from '../support/gate.js'
import { openReceiver } from '../support/receiver.js'

const open: Sandbox[] = []
afterEach(async () => {
  for (const sandbox of open.splice(0).reverse()) await sandbox.close()
})
const started = async (options?: StartOptions) => {
  const sandbox = await startSandbox(options)
  open.push(sandbox)
  return sandbox
}
const connected = async (options?: StartOptions) => {
  const { url } = await started(options)
  const sandbox = await connectSandbox(url)
  open.push(sandbox)
  return sandbox
}
const pdf = { name: 'proof.pdf', content: '%PDF-1.7 delivered' }

describe.each([
  ['startSandbox', started],
  ['connectSandbox', connected],
])('a sandbox: %s', (_name, start) => {
  test('has a base URL and the credentials of its accounts', async () => {
    const { url, accounts } = await start()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(accounts.merchant).toMatchObject({
      username: 'merchant',
      client_id: 'client_sandbox_merchant',
      client_secret: expect.stringMatching(/^secret_/),
      signing_key: expect.stringMatching(/^sk_/),
      webhook_secret: expect.stringMatching(/^whsec_/),
      active: true,
    })
    expect(Object.keys(accounts)).toEqual(['merchant', 'customer'])
  })

  test('advances the clock for at most the given wait, and cancels what continues', async () => {
    const answered = gate()
    const posts = await openReceiver(() => ({ until: answered.opened }))
    const sandbox = await start({ clock: 'manual', webhookUrl: posts.url })
    await sandbox.trigger('cashin.pay', { create: true })
    const { complete, in_flight } = await sandbox.clock.advance('1h', { wait: '50ms' })
    expect([complete, in_flight.map(({ event }) => event)]).toEqual([false, ['cashin.confirmed']])
    expect((await sandbox.clock.read()).advancing?.in_flight).toEqual(in_flight)
    expect(await sandbox.clock.cancel()).toBe(1)
    expect(await sandbox.clock.advance('1h', { signal: AbortSignal.timeout(50) }).catch(String)).toContain('Timeout')
    answered.open()
    expect(await sandbox.clock.advance({ until: 'idle' })).toMatchObject({ complete: true })
  })

  test('has a client with a method for every endpoint, which fetches tokens and signs', async () => {
    const sandbox = await start({ clock: 'manual' })
    const api = sandbox.client()
    const charge = await api.cashin({ amount: 25, currency: 'BRL', external_id: 'order-1' })
    expect(charge).toMatchObject({ status: 'pending', amount: 25, external_id: 'order-1' })
    await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
    await sandbox.trigger('dispute.open', { id: charge.transaction_id })
    const payout = { amount: 10, currency: 'BRL', key: '52998224725', external_id: 'payout-1' } as const
    const quote = { amount: 100, base_currency: 'BRL', destination_currency: 'USDT' } as const
    expect(await api.cashout(payout)).toMatchObject({ type: 'cashout', status: 'pending' })
    expect(await api.pixPayment({ amount: 5, creditParty: { key: '52998224725' } })).toMatchObject({ amount: 5 })
    expect(await api.wallet({ currency: 'USDT', chain: 'tron' })).toMatchObject({ network: 'TRC20' })
    expect(await api.transfer({ username: 'customer', amount: 1, currency: 'BRL' })).toMatchObject({
      to_user: 'customer',
    })
    expect(await api.rate(quote)).toMatchObject({ base_currency: 'BRL' })
    expect(await api.simulate(quote)).toMatchObject({ from_amount: 100 })
    expect(await api.conversion(quote)).toMatchObject({ status: 'completed', amount_from: 100 })
    expect((await api.transactionList({ type: 'cashout' })).items).toHaveLength(2)
    expect((await api.transactionList()).pagination.total).toBe(5)
    expect((await api.balance()).balances.map(({ currency }) => currency)).toContain('BTC')
    expect(await api.profile()).toMatchObject({ username: 'merchant' })
    expect((await api.limits()).limits.length).toBeGreaterThan(0)
    expect((await api.fees()).fees.length).toBeGreaterThan(0)
    const [dispute] = (await api.infractionList({ status: 'open' })).items
    const id = dispute?.infraction_id ?? ''
    const reply = await api.infractionReply({ id, message: 'It was delivered.', files: [pdf] })
    expect(reply).toMatchObject({ status: 'responded', files: [{ name: 'proof.pdf', type: 'application/pdf' }] })
    expect((await api.infractionDetail({ id })).replies).toHaveLength(1)
    expect(await api.token()).toMatchObject({ expires_in: 3600 })
    expect((await sandbox.client('customer').profile()).username).toBe('customer')
    expect(sandbox.client('customer')).toBe(sandbox.client('customer'))
  })

  test('renews a token that has expired, and one that a reset has made unknown', async () => {
    const sandbox = await start({ clock: 'manual' })
    const api = sandbox.client()
    await api.profile()
    await sandbox.clock.advance('2h')
    expect(await api.cashin({ amount: 1, currency: 'BRL' })).toMatchObject({ status: 'pending' })
    await sandbox.reset()
    expect((await api.transactionList()).items).toEqual([])
    const calls = (await sandbox.requests.list({ path: '/v2/oauth/token' })).length
    await Promise.all(Array.from({ length: 20 }, () => api.balance()))
    expect(await sandbox.requests.list({ path: '/v2/oauth/token' })).toHaveLength(calls)
  })

  test('throws the error of the API with code, details and request id', async () => {
    const sandbox = await start()
    const error = await sandbox
      .client()
      .cashin({ amount: 5, currency: 'USDT', chain: 'bitcoin' })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SandboxError)
    expect(error).toMatchObject({ name: 'SandboxError', status: 422, code: 'UNSUPPORTED_CHAIN' })
    const { details, requestId } = error as SandboxError
    expect(details.supported).toContain('tron')
    expect(await sandbox.requests.get(requestId ?? '')).toMatchObject({ error_code: 'UNSUPPORTED_CHAIN', status: 422 })
  })

  test('performs actions on the named object or the newest one that allows it', async () => {
    const sandbox = await start({ clock: 'manual' })
    const api = sandbox.client()
    const { transaction_id: id } = await api.cashin({ amount: 10, currency: 'BRL', external_id: 'mine' })
    const paid = await sandbox.trigger('cashin.pay', { id: 'mine', payer: { name: 'Maria Silva' } })
    expect(paid).toMatchObject({
      action: 'cashin.pay',
      object: { transaction_id: id, status: 'confirmed' },
      events: [{ id: expect.stringMatching(/^evt_/), event: 'cashin.confirmed' }],
    })
    expect((await sandbox.trigger('cashin.refund', { reason: 'WRONG' })).object).toMatchObject({ status: 'refunded' })
    const won = await sandbox.trigger('dispute.win', { create: true, fields: { amount: 80, currency: 'BRL' } })
    expect([won.object.status, won.object.amount, won.created?.length]).toEqual(['won', '80.00', 3])
    await expect(sandbox.trigger('cashin.pay', { id })).rejects.toMatchObject({ code: 'INVALID_TRANSITION' })
    const wallet = await api.wallet({ currency: 'BRL' })
    const deposit = await sandbox.trigger('wallet.deposit', { id: wallet.wallet_id, amount: '12.34' })
    expect(deposit.object).toMatchObject({ amount: '12.34', source: 'static' })
  })

  test('rejects an undefined id and an empty change', async () => {
    const sandbox = await start()
    const { transaction_id } = await sandbox.client().cashin({ amount: 10, currency: 'BRL' })
    const forgotten = { id: undefined } as unknown as { id: string }
    await expect(sandbox.trigger('cashin.pay', forgotten)).rejects.toThrow(/id that is undefined/)
    expect((await sandbox.transactions.get(transaction_id)).status).toBe('pending')
    const typo = { balance: { BRL: 5 } } as object
    await expect(sandbox.configure('merchant', typo)).rejects.toThrow(/balance\b.*balances/s)
    for (const id of ['', null, {}, []])
      await expect(sandbox.trigger('cashin.pay', { id: id as string })).rejects.toMatchObject({
        status: 422,
        details: { field: 'id' },
      })
  })

  test('advances, sets, freezes and resumes the clock', async () => {
    const { clock, client } = await start({ clock: 'manual' })
    await client().cashin({ amount: 10, currency: 'BRL' })
    const before = Date.parse(await clock.now())
    expect(await clock.read()).toMatchObject({ mode: 'manual', due: 1 })
    expect(Date.parse((await clock.advance(90)).now) - before).toBe(90_000)
    expect(Date.parse((await clock.advance({ by: '10m' })).now) - before).toBe(690_000)
    await clock.advance({ to: new Date(before + 700_000) })
    expect(Date.parse((await clock.set(new Date(before + 701_000))).now) - before).toBe(701_000)
    expect((await clock.advance({ until: 'idle' })).ran).toHaveLength(1)
    expect((await clock.resume()).mode).toBe('realtime')
    expect((await clock.freeze()).mode).toBe('manual')
    const stands = await clock.now()
    expect(await clock.now()).toBe(stands)
  })

  test('waits for an event and returns its typed payload, even without a webhook address', async () => {
    const { webhooks, client, trigger } = await start()
    const { transaction_id } = await client().cashin({ amount: 25, currency: 'BRL', external_id: 'order-7' })
    const waiting = webhooks.waitFor('cashin.confirmed', { transaction_id })
    await trigger('cashin.pay')
    const hook = await waiting
    expect(hook).toMatchObject({ event: 'cashin.confirmed', transaction_id, url: null, status: 'failed' })
    expect(hook.data.amount_net).toBe('24.75')
    expect(JSON.parse(hook.body)).toMatchObject({ event: 'cashin.confirmed', data: hook.data })
    expect((await webhooks.waitFor('cashin.confirmed', { external_id: 'order-7' })).id).toBe(hook.id)
    expect(await webhooks.get(hook.id)).toEqual(hook)
  })

  test('reports the events that did occur when the expected one did not', async () => {
    const { webhooks, client, trigger } = await start()
    const vain = webhooks.waitFor('cashin.expired', {}, { timeout: '50ms' })
    await expect(vain).rejects.toThrow('waited 50 ms for cashin.expired; there were no events')
    const { transaction_id } = await client().cashin({ amount: 25, currency: 'BRL' })
    await trigger('cashin.pay')
    await webhooks.waitFor('cashin.confirmed')
    await expect(webhooks.waitFor('cashin.expired', { transaction_id }, { timeout: 0.05 })).rejects.toThrow(
      `waited 50 ms for cashin.expired of transaction_id ${transaction_id}; events: cashin.confirmed (failed) of ${transaction_id}`,
    )
  })

  test('lists events in order, and sends one again', async () => {
    const sandbox = await start({ clock: 'manual' })
    const receiver = await sandbox.receiver()
    await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    await sandbox.trigger('dispute.open')
    await sandbox.trigger('dispute.win')
    expect(await sandbox.webhooks.names()).toEqual(['cashin.confirmed', 'chargeback.opened', 'chargeback.won'])
    const won = await sandbox.webhooks.waitFor('chargeback.won')
    expect(won).toMatchObject({ status: 'delivered', attempts: [{ outcome: 'ok', status: 200 }] })
    expect(await sandbox.webhooks.all({ event: 'chargeback.won' })).toMatchObject([{ id: won.id, attempts: 1 }])
    await sandbox.webhooks.redeliver(won.id)
    await eventually(
      () => receiver.received.filter(({ id }) => id === won.id).length,
      (count) => count === 2,
    )
  })

  test('lists, runs, arms, disarms, uploads and deletes scenarios', async () => {
    const { scenarios, runs, client } = await start({ clock: 'manual' })
    expect((await scenarios.list()).map(({ name }) => name)).toContain('med-dispute-lost')
    const lost = await scenarios.run('med-dispute-lost', { fast_forward: true })
    expect(lost).toMatchObject({ scenario: 'med-dispute-lost', status: 'passed' })
    const text = 'name: refused\non: { operation: cashin }\nsteps: [{ respond: { status: 502, code: PROVIDER_ERROR } }]'
    expect(await scenarios.upload(text)).toMatchObject({ name: 'refused', origin: 'uploaded' })
    expect(await scenarios.arm('refused', { times: 1 })).toMatchObject({ scenario: 'refused', times: 1 })
    const charge = { amount: 25, currency: 'BRL' } as const
    await expect(client().cashin(charge)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(await client().cashin(charge)).toMatchObject({ status: 'pending' })
    await scenarios.arm('refused')
    expect((await scenarios.get('refused')).armed).toHaveLength(1)
    await scenarios.disarm('refused')
    expect(await client().cashin(charge)).toMatchObject({ status: 'pending' })
    await expect(client().cashin(charge, { scenario: 'refused' })).rejects.toMatchObject({ status: 502 })
    const wait = { name: 'slow', steps: [{ wait: '7d' }] }
    await scenarios.upload(wait)
    const { id } = await scenarios.run('slow')
    expect(await runs.get(id)).toMatchObject({ status: 'running' })
    expect(await runs.cancel(id)).toMatchObject({ status: 'canceled' })
    expect(await runs.list({ scenario: 'slow' })).toHaveLength(1)
    await scenarios.delete('slow')
    await expect(scenarios.get('slow')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const bad = scenarios.upload('name: bad\nsteps: [{ waite: 1s }]')
    await expect(bad).rejects.toMatchObject({ details: { mistakes: [expect.objectContaining({ line: 2 })] } })
  })

  test('shows objects with their history, and the request log', async () => {
    const sandbox = await start({ clock: 'manual' })
    const { transaction_id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    const { object } = await sandbox.trigger('dispute.open')
    const wallet = await sandbox.client().wallet({ currency: 'BRL' })
    expect(await sandbox.transactions.list({ type: 'cashin' })).toMatchObject([{ transaction_id, amount: '25.00' }])
    const whole = await sandbox.transactions.get(transaction_id)
    expect(whole.history.map(({ to }) => to)).toEqual(['pending', 'confirmed'])
    expect(whole.allowed).not.toContain('cashin.pay')
    expect(await sandbox.disputes.get(String(object.infraction_id))).toMatchObject({ status: 'open' })
    expect(await sandbox.disputes.list()).toHaveLength(1)
    expect(await sandbox.wallets.list()).toHaveLength(1)
    expect(await sandbox.wallets.get(wallet.wallet_id)).toMatchObject({ currency: 'BRL' })
    const [last] = await sandbox.requests.list()
    expect(await sandbox.requests.get(last?.request_id ?? '')).toMatchObject({ path: '/v2/transactions/wallet' })
  })

  test('reads lists to the end', async () => {
    const sandbox = await start({ clock: 'manual', rateLimits: false })
    const api = sandbox.client()
    await Promise.all(Array.from({ length: 520 }, () => api.cashin({ amount: 1, currency: 'BRL' })))
    expect(new Set((await sandbox.transactions.list()).map((row) => row.transaction_id)).size).toBe(520)
  })

  test('creates accounts, changes them, and reads their balances', async () => {
    const sandbox = await start()
    const made = await sandbox.account({ username: 'shop', balances: { BRL: '500.00' } })
    expect(sandbox.accounts.shop).toBe(made)
    expect((await sandbox.balances('shop')).BRL).toEqual({ available: '500.00', blocked: '0.00', pending: '0.00' })
    expect((await sandbox.account()).username).not.toBe('')
    await sandbox.configure('shop', {
      balances: { BRL: 7 },
      limits: [{ currency: 'BRL', operation: 'cashin', max_amount: 50 }],
      fees: [{ currency: 'BRL', operation: 'cashin', percent: 0, fixed: '0.50' }],
      postback_url: 'http://127.0.0.1:9/hooks',
    })
    expect(sandbox.accounts.shop).toMatchObject({ postback_url: 'http://127.0.0.1:9/hooks' })
    const api = sandbox.client('shop')
    expect((await api.cashin({ amount: 10, currency: 'BRL' })).fee).toBe(0.5)
    await expect(api.cashin({ amount: 51, currency: 'BRL' })).rejects.toMatchObject({ code: 'EXCEEDS_MAX_LIMIT' })
    const ledger = await sandbox.ledger()
    expect(ledger.balanced).toBe(true)
    const brl = ledger.accounts.find(({ username, currency }) => username === 'shop' && currency === 'BRL')
    expect(brl).toMatchObject({ available: '7.00' })
  })

  test('saves and restores a snapshot, with or without a name', async () => {
    const sandbox = await start({ clock: 'manual' })
    const api = sandbox.client()
    await api.cashin({ amount: 1, currency: 'BRL' })
    const snapshot = await sandbox.snapshot()
    expect((await sandbox.snapshot('named')).name).toBe('named')
    const at = await sandbox.clock.now()
    for (const again of [snapshot, 'named']) {
      await api.cashin({ amount: 2, currency: 'BRL' })
      await sandbox.account({ username: 'passing' })
      await sandbox.clock.advance('2h')
      await sandbox.restore(again)
      expect((await api.transactionList()).items).toMatchObject([{ amount: 1, status: 'pending' }])
      expect(await sandbox.clock.now()).toBe(at)
      expect(Object.keys(sandbox.accounts)).toEqual(['merchant', 'customer'])
    }
  })

  test('resets the whole state in place', async () => {
    const sandbox = await start({ clock: 'manual' })
    const { accounts } = sandbox
    const receiver = await sandbox.receiver()
    await sandbox.account({ username: 'passing' })
    await sandbox.client().cashin({ amount: 1, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    await receiver.waitFor('cashin.confirmed')
    await sandbox.reset()
    expect(await sandbox.transactions.list()).toEqual([])
    expect(await sandbox.webhooks.all()).toEqual([])
    expect(Object.keys(accounts)).toEqual(['merchant', 'customer'])
    expect(receiver.received).toEqual([])
    await sandbox.client().cashin({ amount: 2, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    expect((await receiver.waitFor('cashin.confirmed')).data.amount).toBe('2.00')
  })

  test('creates workspaces with separate states, and deletes them', async () => {
    const sandbox = await start({ clock: 'manual' })
    const [one, two] = [await sandbox.workspace('one'), await sandbox.workspace()]
    expect(one.url).toBe(`${sandbox.url}/w/one`)
    await one.client().cashin({ amount: 1, currency: 'BRL' })
    await one.clock.advance('1d')
    expect(await one.webhooks.names()).toEqual(['cashin.expired'])
    expect(await two.webhooks.names()).toEqual([])
    expect(await sandbox.webhooks.names()).toEqual([])
    expect(Date.parse(await one.clock.now()) - Date.parse(await two.clock.now())).toBeGreaterThan(80_000_000)
    const inner = await one.workspace()
    await one.close()
    await one.close()
    await expect(connectSandbox(one.url)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(connectSandbox(inner.url)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const again = await connectSandbox(sandbox.url, { workspace: new URL(two.url).pathname.slice(3) })
    expect(again.url).toBe(two.url)
    await again.close()
    expect(await two.webhooks.names()).toEqual([])
  })

  test('receives webhooks, verifies them, and sends planned responses', async () => {
    const sandbox = await start({ clock: 'manual' })
    const receiver = await sandbox.receiver()
    expect((await sandbox.client().profile()).webhook_url).toBe(receiver.url)
    receiver.respond(500, { status: 503, delay: '10ms' }, 204)
    const { transaction_id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL', external_id: 'order-9' })
    await sandbox.trigger('cashin.pay')
    const hook = await receiver.waitFor('cashin.confirmed', { transaction_id })
    expect(hook).toMatchObject({ signature_valid: true, refusal: null, data: { amount: '25.00' }, transaction_id })
    expect(hook.headers['x-webhook-id']).toBe(hook.id)
    await sandbox.clock.advance('10s')
    expect(receiver.received.map(({ id }) => id)).toEqual([hook.id, hook.id, hook.id])
    const { attempts } = await sandbox.webhooks.get(hook.id)
    expect(attempts.map(({ status }) => status)).toEqual([500, 503, 204])
    expect((await receiver.waitFor('cashin.confirmed', { external_id: 'order-9' })).id).toBe(hook.id)
    expect((await receiver.waitFor('cashin.confirmed', ({ data }) => data.fee === '0.25')).id).toBe(hook.id)
    const vain = receiver.waitFor('cashin.expired', { transaction_id }, { timeout: '20ms' })
    await expect(vain).rejects.toThrow(
      `waited 20 ms for cashin.expired of transaction_id ${transaction_id}; received: cashin.confirmed`,
    )
    receiver.clear()
    expect(receiver.received).toEqual([])
    await receiver.close()
    expect((await sandbox.client().profile()).webhook_url).toBeNull()
  })

  test('rejects a forged webhook in its receiver', async () => {
    const sandbox = await start()
    const receiver = await sandbox.receiver({ account: null })
    expect((await sandbox.client().profile()).webhook_url).toBeNull()
    const forged = await fetch(receiver.url, { method: 'POST', body: '{"event":"cashin.confirmed","data":{}}' })
    expect(forged.status).toBe(401)
    expect(receiver.received).toMatchObject([{ signature_valid: false, refusal: 'missing_signature' }])
    await expect(receiver.waitFor('cashin.expired', {}, { timeout: '10ms' })).rejects.toThrow(
      'received: cashin.confirmed (missing_signature)',
    )
  })

  test('reports a failed delivery at once, not when the time is up', async () => {
    const sandbox = await start({ clock: 'manual' })
    const receiver = await sandbox.receiver()
    receiver.respond(500)
    await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    const waiting = sandbox.webhooks.waitFor('cashin.confirmed', {}, { timeout: '60s' })
    const reported = expect(waiting).rejects.toMatchObject({
      code: 'WEBHOOK_FAILED',
      details: { event: 'cashin.confirmed' },
    })
    await sandbox.clock.advance('1h')
    await reported
  })

  test('reports every change as it happens, until it is stopped', async () => {
    const sandbox = await start()
    const types = new Set<string>()
    const stop = new AbortController()
    const streaming = sandbox.control.stream(({ type }) => types.add(type), stop.signal)
    await eventually(
      async () => {
        await sandbox.client().cashin({ amount: 1, currency: 'BRL' })
        return [...types]
      },
      (seen) => seen.includes('transaction'),
    )
    stop.abort()
    await streaming
  })

  test('rejects pending waits when it closes, and closes everything that it opened', async () => {
    const sandbox = await start()
    const receiver = await sandbox.receiver()
    // Longer than the test's time limit: the waits must end at once, otherwise the test fails.
    const waiting = sandbox.webhooks.waitFor('cashin.expired', {}, { timeout: '5m' })
    const reported = expect(waiting).rejects.toThrow('the sandbox was closed')
    await sandbox.close()
    await reported
    await expect(fetch(receiver.url)).rejects.toThrow()
    await expect(sandbox.reset()).rejects.toThrow('the sandbox was closed')
  })
})

describe('startSandbox', () => {
  test('closes the sandbox at the end of the scope that opened it', async () => {
    let url = ''
    {
      await using sandbox = await startSandbox()
      await using receiver = await sandbox.receiver()
      url = sandbox.url
      expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200)
      expect(receiver.url).toMatch(/^http/)
    }
    await expect(connectSandbox(url)).rejects.toBeInstanceOf(UnreachableError)
  })

  test('leaves the globals of its process alone', async () => {
    const before = [globalThis.Request, globalThis.Response, globalThis.fetch, globalThis.Headers]
    await started()
    expect([globalThis.Request, globalThis.Response, globalThis.fetch, globalThis.Headers]).toEqual(before)
  })

  test('generates the same ids and codes for the same seed', async () => {
    const ids = async () => {
      const sandbox = await started({ seed: 'fixed', clock: 'manual' })
      const { transaction_id } = await sandbox.client().cashin({ amount: 1, currency: 'BRL' })
      return transaction_id
    }
    expect(await ids()).toBe(await ids())
  })

  test('takes the settings of the command line', async () => {
    const sandbox = await started({
      clock: 'manual',
      rateLimits: false,
      strictWebhooks: true,
      strict: true,
      cashoutSettle: 'manual',
      pixChargeLife: '90s',
      belowMinimum: 'INVALID_AMOUNT',
      disputeDeadline: 'manual',
      rates: { USDT: 6 },
      spreadPercent: 0,
      arm: ['cashout-blacklisted'],
      accounts: [
        { username: 'shop', balances: { BRL: 12.5 }, credential: { client_id: 'my-client', webhook_secret: 'mine' } },
      ],
    })
    const api = sandbox.client()
    expect((await api.cashin({ amount: 1, currency: 'BRL' })).payment_info).toMatchObject({ expiration: 90 })
    expect(await api.cashin({ amount: 1, currency: 'BRL' }, { scenario: 'provider-error' })).toMatchObject({
      amount: 1,
    })
    await expect(api.cashin({ amount: 0.5, currency: 'BRL' })).rejects.toMatchObject({ code: 'INVALID_AMOUNT' })
    const postback_url = 'http://127.0.0.1:9/'
    await expect(api.cashin({ amount: 1, currency: 'BRL', postback_url })).rejects.toMatchObject({
      code: 'INVALID_POSTBACK_URL',
    })
    const quote = { amount: 10, base_currency: 'USDT', destination_currency: 'BRL' } as const
    expect(await api.rate(quote)).toMatchObject({ estimated_amount: 60 })
    expect(sandbox.accounts.shop).toMatchObject({ client_id: 'my-client', webhook_secret: 'mine' })
    expect((await sandbox.balances('shop')).BRL.available).toBe('12.50')
    expect((await sandbox.scenarios.get('cashout-blacklisted')).armed).toHaveLength(1)
    for (let call = 0; call < 31; call++) await api.token()
  })

  test('settles withdrawals after the given time', async () => {
    const sandbox = await started({ clock: 'manual', cashoutSettle: '30s' })
    await sandbox.client().cashout({ amount: 10, currency: 'BRL', key: '52998224725', external_id: 'p' })
    await sandbox.clock.advance('29s')
    expect(await sandbox.webhooks.names()).toEqual([])
    await sandbox.clock.advance('1s')
    expect(await sandbox.webhooks.names()).toEqual(['cashout.confirmed'])
  })

  test('sends webhooks to the given address', async () => {
    await using other = await startSandbox()
    const receiver = await other.receiver({ account: null })
    const sandbox = await started({ webhookUrl: receiver.url })
    await sandbox.client().cashin({ amount: 1, currency: 'BRL' })
    await sandbox.trigger('cashin.pay')
    expect(await sandbox.webhooks.waitFor('cashin.confirmed')).toMatchObject({ status: 'delivered' })
    expect(receiver.received).toHaveLength(1)
  })

  test.each([
    [{ clok: 'manual' }, 'clok is not an option of startSandbox; use one of clock, '],
    [{ clock: 'frozen' }, 'clock must be one of realtime, manual, not "frozen"'],
    [{ pixChargeLife: 'long' }, 'pixChargeLife must be a duration such as 90s, 10m, 2h or 7d, not "long"'],
    [{ webhookUrl: 'localhost:3000' }, 'webhookUrl must be an http:// or https:// address, not "localhost:3000"'],
    [{ scenarios: '/nowhere/at/all' }, 'the scenario folder /nowhere/at/all does not exist'],
    [{ arm: ['nothing-like-it'] }, 'nothing-like-it'],
  ])('rejects %j with the correct form', async (options, message) => {
    await expect(startSandbox(options as StartOptions)).rejects.toThrow(message)
  })
})

describe('connectSandbox', () => {
  test('reports when nothing answers, or a server that is not a sandbox', async () => {
    const { url, close } = await startSandbox().then((sandbox) => ({ url: sandbox.url, close: () => sandbox.close() }))
    await close()
    await expect(connectSandbox(url)).rejects.toThrow(`nothing answers at ${url}`)
    const stranger = createServer((_request, response) => response.end('{"hello":"world"}'))
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void stranger.close())
    const address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    await expect(connectSandbox(address)).rejects.toThrow(`the server at ${address} is not a sandbox`)
    await expect(connectSandbox(address)).rejects.toBeInstanceOf(UnreachableError)
  })

  test('retries when a keep-alive connection closes, but only calls that change nothing', async () => {
    const { url } = await started()
    const came: string[] = []
    let cuts = 0
    const relay = createServer(async (request, response) => {
      const { method = '', url: path } = request
      came.push(method)
      if (cuts-- > 0) return void request.socket.destroy()
      const body = method === 'GET' ? null : Buffer.concat(await request.toArray())
      const answer = await fetch(url + path, { method, body, headers: { 'Content-Type': 'application/json' } })
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void relay.close())
    const sandbox = await connectSandbox(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`)
    open.push(sandbox)
    const cutAt = async (call: () => Promise<unknown>) => {
      came.length = 0
      cuts = 1
      await call()
      return came
    }
    expect(await cutAt(() => sandbox.clock.now())).toEqual(['GET', 'GET'])
    const create = () => expect(sandbox.trigger('cashin.pay', { create: true })).rejects.toThrow('nothing answers')
    expect(await cutAt(create)).toEqual(['POST'])
  })

  test('sends the admin token to a sandbox that requires one', async () => {
    const { url } = await started({ adminToken: 'let-me-in' })
    await expect(connectSandbox(url)).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    const sandbox = await connectSandbox(`${url}/`, { adminToken: 'let-me-in' })
    open.push(sandbox)
    const workspace = await sandbox.workspace()
    await workspace.client().cashin({ amount: 1, currency: 'BRL' })
    expect(await workspace.transactions.list()).toHaveLength(1)
  })

  test('leaves the sandbox running after close, with the webhook addresses that it had', async () => {
    const own = await started({ webhookUrl: 'http://127.0.0.1:9/own' })
    const guest = await connectSandbox(own.url)
    const receiver = await guest.receiver()
    expect((await own.client().profile()).webhook_url).toBe(receiver.url)
    const workspace = await guest.workspace('guest')
    await guest.close()
    expect((await own.client().profile()).webhook_url).toBe('http://127.0.0.1:9/own')
    await expect(connectSandbox(workspace.url)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('rejects an unknown option', async () => {
    const options = { token: 'x' } as object
    await expect(connectSandbox('http://127.0.0.1:9', options)).rejects.toThrow(
      'token is not an option of connectSandbox',
    )
  })
})

test('createApiClient works from credentials alone', async () => {
  const { url, accounts } = await started()
  const { client_id: clientId, client_secret: clientSecret, signing_key: signingKey } = accounts.merchant
  const api = createApiClient({ baseUrl: `${url}/`, clientId, clientSecret, signingKey })
  expect(await api.cashout({ amount: 1, currency: 'BRL', key: '52998224725', external_id: 'x' })).toMatchObject({
    status: 'pending',
  })
  const wrong = createApiClient({ baseUrl: url, clientId, clientSecret: 'wrong', signingKey })
  await expect(wrong.balance()).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' })
  const unsigned = createApiClient({ baseUrl: url, clientId, clientSecret, signingKey: 'wrong' })
  await expect(unsigned.transfer({ username: 'customer', amount: 1, currency: 'BRL' })).rejects.toMatchObject({
    code: 'INVALID_SIGNATURE',
  })
  const abort = new AbortController()
  abort.abort(new Error('enough'))
  await expect(api.balance({ signal: abort.signal })).rejects.toThrow('enough')
})
