/** Faults of armed scenarios: lost, late and rejected calls on any route, and magic values. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import type { Body } from '../support/http.js'
import {
  cashin,
  cashout,
  chargeBody as charge,
  payoutBody as payout,
  scenarioSandbox,
} from '../support/scenario-api.js'
import { onWorkers } from '../support/workers.js'

test('a scenario armed for one call is used once, however many calls arrive at the same moment', async () => {
  const { arm, api } = await scenarioSandbox()
  await arm('provider-error', { times: 3 })
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.post(cashin, charge())))
  expect(answers.filter((one) => one.status === 502).length).toBe(3)
  expect(answers.filter((one) => one.status === 200).length).toBe(37)
})

/** Under workerd the response may begin before the connection closes. */
const lost = onWorkers ? /^(terminated|other side closed)$/ : 'other side closed'

test('a lost response means that the call has taken effect, and a lost request that it has not; both end the connection', async () => {
  const { arm, api, call } = await scenarioSandbox({ clock: 'manual' })
  const balance = async () => (await call('GET', '/accounts/merchant')).body.balances.USDT
  const body = payout({ external_id: 'once' })
  await arm('lost-request')
  await expect(api.signed(cashout, body)).rejects.toThrow(lost)
  expect(await balance()).toMatchObject({ available: '1000.00', pending: '0.00' })
  await arm('lost-answer')
  await expect(api.signed(cashout, body)).rejects.toThrow(lost)
  expect(await balance()).toMatchObject({ available: '987.00', pending: '13.00' })
  const retry = await api.signed(cashout, body)
  expect([retry.status, retry.body.data.external_id]).toEqual([202, 'once'])
  expect(await balance()).toMatchObject({ available: '987.00', pending: '13.00' })
  const { body: requests } = await call('GET', '/requests?path=/v2/transactions/cashout')
  const faults = requests.data.map((one: Body) => [
    one.status,
    one.faults?.find((fault: string) => fault.startsWith('disconnect')),
  ])
  expect(faults).toEqual([
    [202, undefined],
    [202, 'disconnect: after (executed, response dropped)'],
    [0, 'disconnect: before (not executed)'],
  ])
})

test('latency delays one response and no other call', async () => {
  const { upload, api } = await scenarioSandbox()
  await upload('name: late\non: { operation: cashin }\nsteps: [latency: 2s]\n')
  const began = performance.now()
  const order: string[] = []
  const late = api.post(cashin, charge(), { 'X-Sandbox-Scenario': 'late' }).then((answer) => {
    order.push('late')
    return answer
  })
  for (let at = 0; at < 2; at++) expect((await api.post(cashin, charge())).status).toBe(200)
  order.push('others')
  expect((await late).status).toBe(200)
  expect(performance.now() - began).toBeGreaterThanOrEqual(1995)
  expect(order).toEqual(['others', 'late'])
})

test('any route can be intercepted by its path, the token endpoint too', async () => {
  const { url, upload, arm, api, entryOf } = await scenarioSandbox()
  await arm('token-unavailable')
  await expect(openClient(url).then(({ bearer }) => bearer.Authorization)).resolves.toBe('Bearer undefined')
  await expect(openClient(url).then(({ bearer }) => bearer.Authorization)).resolves.not.toBe('Bearer undefined')
  await upload('name: no-balance\non: { operation: GET /v2/account/balance }\nsteps: [respond: { status: 503 }]\n')
  await arm('no-balance')
  const answer = await api.get('/v2/account/balance')
  expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect((await entryOf(answer)).scenario).toBe('no-balance')
})

test('the reply to a dispute can be intercepted, and the scenario continues with the dispute', async () => {
  const { url, upload, arm, api, call, runs } = await scenarioSandbox({ clock: 'manual' })
  await upload(
    'name: strict-bank\non: { operation: dispute_reply }\nsteps:\n  - wait: 1d\n  - dispute.lose\n  - expect: { status: lost }\n',
  )
  await arm('strict-bank')
  await api.charge()
  await call('POST', '/trigger', { action: 'cashin.pay' })
  const { body } = await call('POST', '/trigger', { action: 'dispute.open' })
  const form = new FormData()
  form.set('id', body.object.infraction_id)
  form.set('message', 'It was delivered.')
  const reply = await fetch(`${url}/v2/account/infractions/reply`, { method: 'POST', headers: api.bearer, body: form })
  expect(reply.status).toBe(200)
  await call('POST', '/clock/advance', { by: '2d' })
  expect((await runs()).map((one) => [one.status, one.vars.subject])).toEqual([['passed', body.object.infraction_id]])
})

test('magic values have their outcomes only while they are armed', async () => {
  const { arm, api, call, runs, entryOf } = await scenarioSandbox({ clock: 'manual' })
  await arm('magic-values')
  const ids = {
    refunded: await api.charge({ amount: 101.04 }),
    expired: await api.charge({ amount: 101.03 }),
    other: await api.charge({ amount: 101.1 }),
  }
  const failing = await api.signed(cashout, payout({ amount: 20.06 }))
  const error = await api.post(cashin, charge({ amount: 101.07 }))
  expect([error.status, (await entryOf(error)).scenario]).toEqual([502, 'magic-values'])
  await call('POST', '/clock/advance', { by: '10m' })
  const status = async (id: string) => (await call('GET', `/transactions/${id}`)).body
  expect((await status(ids.refunded)).status).toBe('refunded')
  expect((await status(ids.expired)).status).toBe('expired')
  expect((await status(ids.other)).status).toBe('pending')
  expect((await status(failing.body.data.transaction_id)).error_code).toBe('BLOCKCHAIN_REVERT')
  expect((await runs()).map((one) => one.status)).toEqual(['passed', 'passed', 'passed', 'passed'])
  const shown = (await call('GET', '/scenarios/magic-values')).body.outcomes
  expect(shown[0]).toMatchObject({
    title: 'Paid after two seconds',
    on: { operation: 'cashin', where: { amount: 101.01 } },
  })
})
