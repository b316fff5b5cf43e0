/** Armed scenarios and the header: which calls they take, their effects, and their entries in the request log. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import type { Body } from '../support/http.js'
import {
  cashin,
  cashout,
  chargeBody as charge,
  payoutBody as payout,
  scenarioSandbox,
  troubles,
} from '../support/scenario-api.js'

const tron = `
name: tron-fail
on:
  operation: cashout
  where: { currency: USDT, network: tron, amount: ">= 10" }
times: 1
params: { delay: 2s }
steps:
  - wait: \${delay}
  - cashout.fail: { error_code: TRON_ENERGY_FAIL }
  - expect: { event: cashout.failed, within: 1s }
`

test('an armed scenario takes the given number of matching calls, and decides their outcome', async () => {
  const { upload, arm, api, call, runs, entryOf } = await scenarioSandbox({ clock: 'manual' })
  await upload(tron)
  expect(await arm('tron-fail')).toMatchObject({ scenario: 'tron-fail', account: null, times: 1 })
  const others = [
    payout({ amount: 9.99 }),
    payout({ network: 'ethereum', key: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }),
    payout({ currency: 'USDC', network: 'polygon', key: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }),
  ]
  for (const other of others) expect((await entryOf(await api.signed(cashout, other))).scenario).toBeUndefined()
  const caught = await api.signed(cashout, payout({ amount: 10 }))
  expect([caught.status, caught.body.data.status]).toEqual([202, 'pending'])
  const entry = await entryOf(caught)
  const [run] = await runs()
  expect([entry.scenario, entry.faults]).toEqual(['tron-fail', [`run: ${run.id}`]])
  expect(run).toMatchObject({
    scenario: 'tron-fail',
    started_by: 'armed',
    vars: { subject: caught.body.data.transaction_id },
  })
  const after = await api.signed(cashout, payout())
  await call('POST', '/clock/advance', { by: '10s' })
  const status = async (id: string) => (await call('GET', `/transactions/${id}`)).body
  expect(await status(caught.body.data.transaction_id)).toMatchObject({
    status: 'failed',
    error_code: 'TRON_ENERGY_FAIL',
  })
  expect(await status(after.body.data.transaction_id)).toMatchObject({ status: 'confirmed' })
  expect((await runs()).map((one) => one.status)).toEqual(['passed'])
  expect((await call('GET', '/scenarios/tron-fail')).body.armed).toEqual([])
})

test('a run whose call repeats an earlier one says that nothing was created, and skips what happened before', async () => {
  const { arm, api, call, runs } = await scenarioSandbox({ clock: 'manual' })
  const body = payout({ external_id: 'paid-before' })
  const first = (await api.signed(cashout, body)).body.data
  await call('POST', '/clock/advance', { by: '10s' })
  await arm('lost-answer')
  await expect(api.signed(cashout, body)).rejects.toThrow()
  await call('POST', '/clock/advance', { by: '10s' })
  const [run] = await runs()
  expect(run).toMatchObject({ status: 'passed', vars: { subject: first.transaction_id } })
  expect(troubles(run ?? {})).toEqual([
    'create skipped: the matched call repeats an earlier one: nothing was created',
    `create skipped: the run uses ${first.transaction_id}`,
    'cashout.confirm skipped: happened before the repeated call',
  ])

  await arm('tron-energy-fail')
  await api.signed(cashout, body)
  await call('POST', '/clock/advance', { by: '10s' })
  const [failed] = await runs()
  expect(failed?.status).toBe('failed')
  expect(troubles(failed ?? {}).join()).toContain('cashout.fail is not possible')
})

test('a run whose call was not executed says that nothing was created', async () => {
  const { arm, api, runs } = await scenarioSandbox()
  await arm('provider-error')
  expect((await api.post(cashin, charge())).status).toBe(502)
  expect(troubles((await runs())[0] ?? {})).toEqual(['create skipped: not created: the matched call was not executed'])
})

test('a call that the API itself rejects uses no armed scenario', async () => {
  const { upload, arm, api, call } = await scenarioSandbox({ clock: 'manual' })
  await upload(tron)
  await arm('tron-fail', { times: 2 })
  const refused = await api.signed(cashout, payout({ amount: 49_000 }))
  expect(refused.body.error.code).toBe('INSUFFICIENT_BALANCE')
  expect((await api.post(cashout, payout())).body.error.code).toBe('MISSING_SIGNATURE')
  expect((await call('GET', '/scenarios/tron-fail')).body.armed).toMatchObject([{ times: 2 }])
  expect((await call('GET', '/runs')).body.data).toEqual([])
})

test('the newest of two armed scenarios takes the call, and the request log names the other one', async () => {
  const { upload, arm, api, entryOf } = await scenarioSandbox({ clock: 'manual' })
  await upload('name: a\non: { operation: cashin }\nsteps: [respond: { code: PROVIDER_ERROR }]\n')
  await upload(
    'name: b\non: { operation: cashin, where: { currency: [BRL, MXN] } }\ntimes: 1\nsteps: [respond: { status: 418, code: TEAPOT, message: short and stout }]\n',
  )
  await arm('a')
  await arm('b')
  const first = await api.post(cashin, charge())
  expect([first.status, first.body.error]).toEqual([
    418,
    { code: 'TEAPOT', message: 'short and stout', group: 'business', retryable: false, details: {} },
  ])
  expect((await entryOf(first)).faults).toEqual(
    expect.arrayContaining(['armed: b (newest) overrides a', 'respond: 418 TEAPOT (not executed)']),
  )
  const second = await api.post(cashin, charge())
  expect([second.status, second.body.error.code, second.body.error.retryable]).toEqual([502, 'PROVIDER_ERROR', true])
  expect(Object.keys(second.body)).toEqual(['success', 'error'])
})

test('an armed scenario that is uploaded again or deleted takes the next calls in its new form', async () => {
  const { upload, arm, api, call } = await scenarioSandbox()
  const answering = (status: number) => `name: a\non: { operation: cashin }\nsteps: [respond: { status: ${status} }]\n`
  await upload(answering(502))
  await arm('a')
  expect((await api.post(cashin, charge())).status).toBe(502)
  await upload(answering(503))
  expect((await api.post(cashin, charge())).status).toBe(503)
  await call('DELETE', '/scenarios/a')
  expect((await api.post(cashin, charge())).status).toBe(200)
})

test('a condition on withdrawals includes the legacy route', async () => {
  const { arm, api, call } = await scenarioSandbox({ clock: 'manual' })
  await arm('cashout-pix-key-not-found')
  const made = await api.signed('/v2/pix/payment', { amount: 7, creditParty: { key: 'a@example.com', name: 'A' } })
  await call('POST', '/clock/advance', { by: '10s' })
  const shown = await call('GET', `/transactions/${made.body.data.transaction_id}`)
  expect(shown.body).toMatchObject({ status: 'failed', error_code: 'PIX_KEY_NOT_FOUND' })
})

test('a scenario armed for one account does not affect others, and can be disarmed', async () => {
  const { url, arm, api, call } = await scenarioSandbox({ clock: 'manual' })
  const customer = await openClient(url, 'customer')
  await arm('rate-limited', { account: 'customer', times: 100 })
  expect((await api.post(cashin, charge())).status).toBe(200)
  expect((await customer.post(cashin, charge())).status).toBe(429)
  expect((await call('DELETE', '/scenarios/rate-limited/arm')).body).toEqual({ scenario: 'rate-limited', disarmed: 1 })
  expect((await customer.post(cashin, charge())).status).toBe(200)
  expect((await call('POST', '/scenarios/rate-limited/arm', { account: 'nobody' })).status).toBe(404)
  expect((await call('POST', '/scenarios/pix-refunded-in-part/arm', {})).body.error.message).toMatch(/has no "on:"/)
})

test('the header runs a scenario for one call only, whatever is armed', async () => {
  const { arm, api, runs, entryOf, call } = await scenarioSandbox({ clock: 'manual' })
  await arm('rate-limited')
  const header = (name: string) => ({ 'X-Sandbox-Scenario': name })
  const many = await Promise.all([
    api.post(cashin, charge(), header('provider-error')),
    api.post(cashin, charge(), header('pix-paid')),
    api.post(cashin, charge(), header('auto-pay')),
  ])
  expect(many.map((one) => one.status)).toEqual([502, 200, 200])
  expect((await entryOf(many[0] as never)).faults[0]).toBe('header: provider-error overrides rate-limited (armed)')
  expect((await runs()).map((one) => [one.scenario, one.started_by]).sort()).toEqual([
    ['auto-pay', 'header'],
    ['pix-paid', 'header'],
    ['provider-error', 'header'],
  ])
  const unknown = await api.post(cashin, charge(), header('provider-eror'))
  expect([unknown.status, unknown.body.error.code, unknown.body.error.details.did_you_mean]).toEqual([
    422,
    'INVALID_VALUE',
    'provider-error',
  ])
  const elsewhere = await api.post(cashin, charge(), header('tron-energy-fail'))
  expect([elsewhere.status, elsewhere.body.error.details.rule]).toEqual([
    422,
    'the scenario tron-energy-fail is for cashout, not for this call',
  ])
  await call('POST', '/clock/advance', { by: '1h' })
  expect((await runs()).every((one) => one.status === 'passed')).toBe(true)
})

test('a call repeated with its external_id does not restart the scenario', async () => {
  const { arm, api, runs, call, entryOf, events } = await scenarioSandbox({ clock: 'manual' })
  await arm('auto-pay')
  const body = charge({ external_id: 'order-1' })
  const [first, second] = [await api.post(cashin, body), await api.post(cashin, body)]
  expect(second.body.data.transaction_id).toBe(first.body.data.transaction_id)
  expect((await entryOf(second)).faults).toEqual(['repeated call: the run that the first call started continues'])
  await call('POST', '/clock/advance', { by: '1m' })
  expect((await runs()).map((one) => one.status)).toEqual(['passed'])
  expect(await events()).toEqual(['cashin.confirmed'])
})

test('a withdrawal that a scenario leaves pending settles by itself afterwards, unless the scenario says otherwise', async () => {
  const { upload, api, call } = await scenarioSandbox({ clock: 'manual' })
  await upload('name: hold\non: { operation: cashout }\nsteps: [wait: 1h]\n')
  await upload('name: keep\non: { operation: cashout }\nsettle: manual\nsteps: [wait: 1h]\n')
  const make = async (name: string) =>
    (await api.signed(cashout, payout(), { 'X-Sandbox-Scenario': name })).body.data.transaction_id
  const [held, kept] = [await make('hold'), await make('keep')]
  const status = async (id: string) => (await call('GET', `/transactions/${id}`)).body.status
  await call('POST', '/clock/advance', { by: '59m' })
  expect([await status(held), await status(kept)]).toEqual(['pending', 'pending'])
  await call('POST', '/clock/advance', { by: '2m' })
  expect([await status(held), await status(kept)]).toEqual(['confirmed', 'pending'])
})

test('scenarios armed at the start are armed again after a reset, and only those', async () => {
  const { url, arm, call, runs } = await scenarioSandbox({ clock: 'manual' }, { arm: ['auto-pay'] })
  await arm('rate-limited')
  await call('POST', '/reset')
  const armed = (await call('GET', '/scenarios')).body.data.filter((one: Body) => one.armed.length > 0)
  expect(armed.map((one: Body) => one.name)).toEqual(['auto-pay'])
  await (await openClient(url)).charge()
  expect((await runs()).map((one) => one.scenario)).toEqual(['auto-pay'])
})

test('an armed run starts right after the response, in real time, by default', async () => {
  const { upload, api, runs } = await scenarioSandbox()
  await upload('name: quick\non: { operation: cashin }\nsteps: [cashin.pay]\n')
  const made = await api.post(cashin, charge(), { 'X-Sandbox-Scenario': 'quick' })
  expect(made.body.data.status).toBe('pending')
  const [run] = await eventually(runs, ([one]) => one?.status === 'passed')
  expect(run.vars.subject).toBe(made.body.data.transaction_id)
})
