/** The calls of the request log are judged as those of the integrator's app, and each mistake by its own reason. */
import { beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../src/protocol/platform/endpoints.js'
import { built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { type Body, send } from '../support/http.js'
import { run } from '../support/program.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

beforeAll(built)

const judged = async (sandbox: TestSandbox, body: object = {}): Promise<Body> =>
  (await sandbox.control('POST', '/certify/client', body)).body

async function failuresIn(sandbox: TestSandbox): Promise<Record<string, Body>> {
  const { rules } = await judged(sandbox)
  return Object.fromEntries(rules.flatMap((rule: Body) => (rule.result === 'failed' ? [[rule.id, rule]] : [])))
}

test('calls of the dashboard, of the command line, of sample data and repeated ones are not judged', async () => {
  const sandbox = await openWithReceivers()
  const { origin } = new URL(sandbox.url)
  const api = await sandbox.api()
  const { body: log } = await sandbox.control('GET', '/requests', undefined)
  const after = { after: log.data[0].request_id }
  await api.cashin({ amount: -5, currency: 'BRL' }, { Origin: origin })
  const body = JSON.stringify({ amount: -5, currency: 'BRL' })
  await run(['request', 'POST', endpoints.cashin.path, '--data', body, '--url', sandbox.url])
  const refused = await sandbox.control('GET', '/requests?error_code=INVALID_AMOUNT')
  expect(refused.body.data).toHaveLength(2)
  await sandbox.control('POST', '/seed', { days: 2 })
  expect(await judged(sandbox, after)).toMatchObject({
    error: { code: 'CONFLICT', message: expect.stringContaining('those of the dashboard and the command line') },
  })
  const { headers } = await api.cashin({ amount: 5, currency: 'BRL', external_id: 'order-1' })
  await sandbox.control('POST', `/requests/${headers.get('x-request-id')}/replay`)
  expect(await judged(sandbox, after)).toMatchObject({ calls: 1 })
})

test('an amount is judged by what is wrong with it, and each mistake has its own fix', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const sent = async (...amounts: unknown[]) => {
    for (const amount of amounts) await api.cashin({ amount, currency: 'BRL', external_id: `order ${String(amount)}` })
    return (await failuresIn(sandbox))['amounts.decimal']
  }
  expect(await sent(5, null)).toBeUndefined()
  expect(await sent(-5)).toMatchObject({
    observed: expect.stringMatching(/^amount -5 is not greater than zero: POST \S+ \(req_\w+, 422 INVALID_AMOUNT\)$/),
    fix: 'Send only amounts that are greater than zero.',
  })
  const { observed, fix } = await sent('25.50', 1.005, 1.005)
  expect(observed).toContain('amount "25.50" is not a JSON number: POST')
  expect(observed).toContain('amount 1.005 was rejected: at most 2 decimals for BRL: 2 calls, first POST')
  expect(fix).toMatch(/greater than zero\. Send the amount as a number, not as a string\. Keep amounts in whole cents/)
})

test('a rejected signature is judged by its mistake: none, of other bytes, or a nonce that was used before', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const path = endpoints.transfer.path
  const transfer = { username: 'customer', amount: 1, currency: 'BRL', external_id: 'move-1' }
  await api.post(path, transfer)
  const unsigned = (await failuresIn(sandbox))['sign.body']
  expect(unsigned.observed).toMatch(/^rejected with MISSING_SIGNATURE: POST \S+ \(req_\w+, 401 MISSING_SIGNATURE\)$/)
  expect(unsigned.fix).toBe('X-Signature and X-Timestamp and X-Nonce are missing: this route needs all three headers.')
  const text = JSON.stringify(transfer)
  const signature = signatureOf(secretsOf('merchant').signingKey, text)
  await send('POST', sandbox.url + path, text, { ...api.bearer, ...signature })
  await send('POST', sandbox.url + path, text, { ...api.bearer, ...signature })
  await api.signed(path, transfer, { 'X-Signature': signature['X-Signature'].toUpperCase() })
  const failed = await failuresIn(sandbox)
  expect(failed['sign.nonce'].observed).toMatch(/409|401 REPLAY_DETECTED\) reuses the nonce of an earlier call$/)
  expect(failed['sign.body'].observed).toMatch(/MISSING_SIGNATURE\); rejected with INVALID_SIGNATURE: POST/)
  expect(failed['sign.body'].fix).toMatch(/are missing: .* X-Signature is in upper-case hex; use lower-case hex\./)
})

test('the calls of another workspace are judged as those of the first, and a signature that was not checked is not called right', async () => {
  const sandbox = await openWithReceivers()
  await sandbox.control('POST', '/workspaces', { name: 'team' })
  const transfer = { username: 'customer', amount: 1, currency: 'BRL', external_id: 'move-1' }
  const resultsAt = async (url: string): Promise<Body> => {
    const api = await openClient(url, 'merchant')
    await api.cashin({ amount: 5, currency: 'BRL' })
    await api.signed(endpoints.transfer.path, transfer, { 'X-Timestamp': '1', 'X-Signature': 'zz' })
    const { body: report } = await send('POST', `${url}/_sandbox/certify/client`, {})
    return Object.fromEntries(report.rules.map((rule: Body) => [rule.id, rule.result]))
  }
  const results = await resultsAt(sandbox.url)
  expect(results).toMatchObject({ 'repeat.named': 'failed', 'sign.time': 'failed', 'sign.body': 'inconclusive' })
  expect(await resultsAt(`${sandbox.url}/w/team`)).toEqual(results)
})

test('answers that a scenario drops or makes an error are faults, as those of chaos are', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const order = { amount: 20, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-1' }
  const repeated = async () => {
    const { rules } = await judged(sandbox)
    return rules.filter(({ id }: Body) => id === 'repeat.done' || id === 'repeat.same').map((one: Body) => one.result)
  }
  await api.cashout({ ...order, external_id: 'payout-0' })
  expect(await repeated()).toEqual(['skipped', 'skipped'])
  for (const scenario of ['lost-answer', 'lost-request', 'cashout-provider-error']) {
    await sandbox.control('POST', `/scenarios/${scenario}/arm`)
    await api.cashout({ ...order, external_id: scenario }).catch(() => undefined)
    await api.cashout({ ...order, external_id: scenario })
    expect([scenario, await repeated()]).toEqual([scenario, ['passed', 'passed']])
  }
  await sandbox.control('POST', '/scenarios/lost-answer/arm')
  await api.cashout({ ...order, external_id: 'first' }).catch(() => undefined)
  await api.cashout({ ...order, external_id: 'second' })
  // Paying twice is shown by itself, whatever was not repeated at all.
  await sandbox.control('POST', '/scenarios/lost-answer/arm')
  await api.cashout({ ...order, amount: 30, external_id: 'third' }).catch(() => undefined)
  const failed = await failuresIn(sandbox)
  expect(failed['repeat.done'].observed).toContain('was not repeated after its response was dropped')
  expect(failed['repeat.same'].observed).toContain(
    'it was repeated with external_id second instead of first, which creates a second transaction',
  )
})

test('equal charges under two references prove nothing without a payer', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  for (const payer of [undefined, { name: 'Ana' }]) {
    await sandbox.control('POST', '/scenarios/cashin-lost-answer/arm')
    for (const external_id of [`first ${payer?.name}`, `second ${payer?.name}`])
      await api.cashin({ amount: 20, currency: 'BRL', external_id, payer }).catch(() => undefined)
    const { rules } = await judged(sandbox)
    const { result } = rules.find(({ id }: Body) => id === 'repeat.same')
    expect([payer, result]).toEqual([payer, payer === undefined ? 'skipped' : 'failed'])
  }
})

test('an external_id that is no text is not taken for a missing one', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await api.cashin({ amount: 5, currency: 'BRL', external_id: 1042 })
  const { observed } = (await failuresIn(sandbox))['repeat.named']
  expect(observed).toMatch(/^external_id 1042 is not a string: POST /)
})

test('a call of an unknown route is no payment, and needs no signature', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await api.get('/v2/accounts/balance')
  const { rules } = await judged(sandbox)
  expect(rules.find(({ id }: Body) => id === 'sign.body').result).toBe('skipped')
})

test.each([
  ['0m', 'failed'],
  ['31m', 'passed'],
])(
  'the rule about tokens has this result if the second of three is fetched %s after the first one: %s',
  async (by, wanted) => {
    const sandbox = await openWithReceivers()
    await sandbox.api()
    await sandbox.advance(by)
    await sandbox.api()
    const api = await sandbox.api()
    for (let count = 0; count < 6; count++) await api.get('/v2/account/balance')
    const { rules } = await judged(sandbox)
    const { result, observed } = rules.find(({ id }: Body) => id === 'token.reused')
    expect([result, observed]).toEqual([wanted, '3 tokens for 6 calls'])
  },
)
