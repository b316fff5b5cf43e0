/** Steps, parameters and conditions of scenarios, over the control API. */
import { expect, test } from 'vitest'
import { JsonNumber } from '../../src/base/json.js'
import { satisfiesAll } from '../../src/core/scenarios/references.js'
import type { Body } from '../support/http.js'
import { openReceiver, verified } from '../support/receiver.js'
import { scenarioSandbox, troubles } from '../support/scenario-api.js'

test('a run overrides params, and an unknown one is rejected with the right one', async () => {
  const { upload, run, call } = await scenarioSandbox({ clock: 'manual' })
  await upload(`
name: p
params: { amount: 10, delay: 1s, code: UNKNOWN }
steps:
  - create: { cashout: { amount: \${amount}, currency: BRL, key: a@example.com, description: "of \${amount}" }, as: payout }
  - wait: \${delay}
  - cashout.fail: { error_code: \${code} }
  - expect: { event: cashout.failed, where: { amount: \${amount}, error_code: \${code}, external_id: \${payout.external_id} } }
`)
  const done = await run('p', { fast_forward: true, params: { amount: '12.34', code: 'BLACKLISTED' } })
  expect(troubles(done)).toEqual([])
  expect(done.vars).toMatchObject({ amount: '12.34', delay: '1s', code: 'BLACKLISTED' })
  const shown = await call('GET', `/transactions/${done.vars.payout}`)
  expect(shown.body).toMatchObject({ amount: '12.34', error_code: 'BLACKLISTED' })
  const wrong = await call('POST', '/scenarios/p/run', { params: { amuont: 1 } })
  expect([wrong.status, wrong.body.error.message]).toEqual([
    422,
    'params.amuont is not a param of p; did you mean amount?',
  ])
  expect(troubles(await run('p', { fast_forward: true, params: { code: 'NOPE' } }))[0]).toMatch(
    /cashout.fail failed: .*must be one of/,
  )
})

test('a run uses the given object instead of its own create, or the newest possible one without a create', async () => {
  const { upload, run, api, call } = await scenarioSandbox({ clock: 'manual' })
  const older = await api.charge({ external_id: 'older' })
  const newer = await api.charge()
  await upload('name: pay\nsteps: [cashin.pay]\n')
  expect((await run('pay')).vars.subject).toBe(newer)
  expect((await run('pay', { id: 'older', fast_forward: true })).vars.subject).toBe(older)
  const none = await call('POST', '/scenarios/pay/run', {})
  expect([none.status, none.body.error.message]).toEqual([
    404,
    expect.stringMatching(/^No cashin allows cashin\.pay: the newest, tx_\w+, is confirmed\.$/),
  ])
  const given = await api.charge()
  const done = await run('pix-paid', { id: given, fast_forward: true })
  expect([done.status, done.vars.charge, done.steps[0].status]).toEqual(['passed', given, 'skipped'])
  const unknown = await call('POST', '/scenarios/pay/run', { id: 'tx_nope' })
  expect([unknown.status, unknown.body.error.message]).toEqual([404, 'There is no object tx_nope.'])
})

test('every kind of object can be created, for another account too, and API errors can be expected', async () => {
  const { play } = await scenarioSandbox({ clock: 'manual' })
  const run = await play(`
name: make
steps:
  - create: { cashin: { amount: 40, currency: BRL, split: [{ username: customer, percentage: 25 }] }, as: charge }
  - cashin.pay: { payer: { name: Maria } }
  - create: { wallet: { currency: BTC, chain: bitcoin }, as: wallet, account: customer }
  - wallet.deposit: { amount: 0.5, as: deposit }
  - expect: { balance: { account: customer, currency: BTC, available: "> 0.49", changed: { available: ">= 0.495" } } }
  - create: { transfer: { username: merchant, amount: 5, currency: BRL }, account: customer }
  - create: { conversion: { base_currency: BRL, destination_currency: USDT, amount: 50 }, as: fx }
  - conversion.refund: { id: \${fx}, reason: MISTAKE }
  - expect: { event: conversion.refunded, where: { reason: MISTAKE } }
  - create: { cashin: { amount: 0.5, currency: BRL } }
  - expect: { answer: { status: 409, code: BELOW_MIN_LIMIT } }
  - cashin.pay: { id: \${charge} }
  - expect: { answer: { code: INVALID_TRANSITION } }
  - expect: { status: confirmed, id: \${charge} }
  - expect: { event: cashin.confirmed, id: \${charge}, where: { payer.name: Maria, amount_net: "< 40" } }
`)
  expect(troubles(run)).toEqual([])
})

test('an unmet expectation fails the run with the observed value', async () => {
  const { play } = await scenarioSandbox({ clock: 'manual' })
  const charge = 'create: { cashin: { amount: 10, currency: BRL } }'
  const failing = async (name: string, step: string) => {
    const run = await play(`name: ${name}\nsteps:\n  - ${charge}\n  - cashin.pay\n  - expect: ${step}\n  - wait: 1d\n`)
    expect([run.status, run.steps[3].status]).toEqual(['failed', 'skipped'])
    return troubles(run)[0]
  }
  expect(await failing('a', '{ event: cashin.expired, within: 1m }')).toMatch(
    /not within 1m: expected cashin.expired, seen: cashin.confirmed \(failed\)/,
  )
  expect(await failing('b', '{ event: cashin.confirmed, where: { amount: "> 10" } }')).toMatch(
    /with amount > 10, seen: amount "10.00"/,
  )
  expect(await failing('c', '{ event: cashin.confirmed, delivered: true }')).toMatch(
    /not delivered: failed \(no_url: the credential has no postback_url\)/,
  )
  expect(await failing('d', '{ status: expired }')).toMatch(/expected the cashin tx_\w+ to be expired, it is confirmed/)
  expect(await failing('e', '{ balance: { currency: BRL, changed: { available: 10, blocked: 0 } } }')).toMatch(
    /merchant BRL: change of available 9\.90 \(expected 10\), change of blocked 0\.00/,
  )
  expect(await failing('f', '{ answer: lost }')).toMatch(/another response was expected: the response was 200/)
})

test('an expectation continues as soon as it is met, not when its time is over', async () => {
  const { upload, run, call, api } = await scenarioSandbox({ clock: 'manual' })
  await upload(
    'name: patient\nsteps:\n  - cashin.pay\n  - dispute.open\n  - expect: { event: chargeback.responded, within: 7d }\n  - dispute.win\n',
  )
  await api.charge()
  const started = await run('patient', {})
  const { body: before } = await call('GET', '/clock')
  await call('POST', '/clock/advance', { by: 0 })
  await call('POST', '/trigger', { action: 'dispute.respond' })
  const over = call('POST', '/clock/advance', { by: 0 })
  expect((await over).status).toBe(200)
  const done = (await call('GET', `/runs/${started.id}`)).body
  expect([done.status, (await call('GET', '/clock')).body.now]).toEqual(['passed', before.now])
})

test('the step that expects a delivery waits for its retries in business time', async () => {
  const receiver = await openReceiver((post, index) => (index < 2 ? { status: 500 } : verified(post)))
  const { play, call } = await scenarioSandbox({ clock: 'manual', webhookUrl: receiver.url })
  const before = Date.parse((await call('GET', '/clock')).body.now)
  const run = await play(`
name: delivered
steps:
  - create: { cashin: { amount: 10, currency: BRL } }
  - cashin.pay
  - expect: { event: cashin.confirmed, delivered: true, attempts: 3 }
`)
  expect(troubles(run)).toEqual([])
  expect(receiver.names()).toEqual(['cashin.confirmed', 'cashin.confirmed', 'cashin.confirmed'])
  expect(Date.parse((await call('GET', '/clock')).body.now) - before).toBe(6000)
})

test('conditions compare values exactly, as text, with lists, and with missing fields', () => {
  const fields = {
    amount: new JsonNumber('10.10'),
    big: new JsonNumber('99999999999999.99'),
    currency: 'BRL',
    payer: { document: '0012' },
    no: null,
  }
  const yes = (where: Record<string, Body>) => expect(satisfiesAll(fields, where), JSON.stringify(where)).toBe(true)
  const not = (where: Record<string, Body>) => expect(satisfiesAll(fields, where), JSON.stringify(where)).toBe(false)
  yes({ amount: 10.1 })
  yes({ amount: '10.1' })
  yes({ amount: '>= 10.10' })
  not({ amount: '> 10.1' })
  yes({ big: '> 99999999999999.98' })
  not({ big: '>= 100000000000000' })
  yes({ currency: ['MXN', 'BRL'] })
  yes({ currency: '!= MXN' })
  not({ currency: 'brl' })
  yes({ 'payer.document': '0012' })
  not({ 'payer.document': '12' })
  yes({ no: null, missing: null, 'payer.name': null })
  not({ missing: '!= x', currency: null })
  not({ currency: '> A' })
})

test('a fast-forwarded run stops the clock at its last step, even if jobs would fall due later', async () => {
  const { upload, run, api, call } = await scenarioSandbox({ clock: 'manual' })
  const charge = { amount: 10, currency: 'USDT', chain: 'tron' }
  const now = async () => Date.parse((await call('GET', '/clock')).body.now)
  const startMs = await now()
  await api.charge(charge)
  await upload('name: later\nsteps: [{ wait: 10s }]\n')
  expect((await run('later', { fast_forward: true })).status).toBe('passed')
  expect((await now()) - startMs).toBe(10_000)
})
