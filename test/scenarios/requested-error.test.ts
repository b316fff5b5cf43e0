/** `X-Sandbox-Error`: one call is answered with an error that its endpoint documents (decision 46). */
import { expect, test } from 'vitest'
import { type Endpoint, endpointNames, endpoints, errorsOf } from '../../src/protocol/platform/endpoints.js'
import { type ErrorCode, errorCatalogue } from '../../src/protocol/platform/errors.js'
import { basicOf, openClient } from '../support/client.js'
import type { Body } from '../support/http.js'
import { plainFetch } from '../support/plain-fetch.js'
import { run, startForTest } from '../support/program.js'
import {
  cashin,
  cashout,
  chargeBody as charge,
  payoutBody as payout,
  scenarioSandbox,
} from '../support/scenario-api.js'
import { secretsOf, signatureOf } from '../support/signing.js'

const asking = (code: string) => ({ 'X-Sandbox-Error': code })
const { clientId, clientSecret, signingKey } = secretsOf('merchant')

/** The example call of an endpoint. */
function exampleCall({ method, path, auth, input, examples }: Endpoint, bearer: Record<string, string>) {
  const [value = {}] = Object.values(examples).map((one) => one.value)
  const fields = Object.entries(value).map(([name, field]): [string, string] => [name, String(field)])
  const body = input === 'json' ? JSON.stringify(value) : null
  const form = new FormData()
  for (const [name, field] of fields) form.append(name, field)
  return {
    target: input === 'query' ? `${path}?${new URLSearchParams(fields)}` : path,
    init: () => ({
      method,
      body: input === 'multipart' ? form : body,
      headers: {
        ...(auth === 'basic' ? basicOf(clientId, clientSecret) : bearer),
        ...(body === null ? {} : { 'Content-Type': 'application/json', ...signatureOf(signingKey, body) }),
      },
    }),
  }
}

test.each(endpointNames)('%s answers with each of its errors on request, and executes nothing', async (name) => {
  const { url, api, call } = await scenarioSandbox({ clock: 'manual', rateLimits: false })
  const endpoint: Endpoint = endpoints[name]
  const { target, init } = exampleCall(endpoint, api.bearer)
  const ask = async (code: string) => {
    const { headers, ...rest } = init()
    const answer = await plainFetch(url + target, { ...rest, headers: { ...headers, ...asking(code) } })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body }
  }
  const codes = errorsOf(endpoint)
  expect(codes.length).toBeGreaterThan(5)
  for (const code of codes) {
    const { status, headers, body } = await ask(code)
    const {
      status: expected,
      group,
      message,
      ...row
    } = errorCatalogue[code] as (typeof errorCatalogue)[ErrorCode] & {
      example?: Body
      retryable?: boolean
    }
    const { example: details = {}, retryable = false } = row
    expect([status, body]).toEqual([expected, { success: false, error: { code, message, group, retryable, details } }])
    expect(headers.get('retry-after')).toBe(details.retry_after === undefined ? null : String(details.retry_after))
  }
  const other = endpointNames.flatMap((one) => errorsOf(endpoints[one])).find((code) => !codes.includes(code))
  for (const wrong of [other ?? 'CONFLICT', 'NO_SUCH_ERROR', '', '__proto__', 'constructor', '9'.repeat(4000)]) {
    const { status, body } = await ask(wrong)
    expect([status, body.error.code, body.error.details]).toEqual([
      422,
      'INVALID_VALUE',
      {
        field: 'X-Sandbox-Error',
        rule: `must be an error code of ${endpoint.method} ${endpoint.path}`,
        supported: codes,
      },
    ])
  }
  expect((await call('GET', '/transactions')).body.data).toEqual([])
  expect((await call('GET', '/wallets')).body.data).toEqual([])
})

test('a misspelled code of an error is rejected with the nearest code and the list', async () => {
  const { api } = await scenarioSandbox()
  const { status, body } = await api.post(cashin, charge(), asking('PROVIDER_EROR'))
  expect([status, body.error.code, body.error.details.did_you_mean]).toEqual([422, 'INVALID_VALUE', 'PROVIDER_ERROR'])
  expect(body.error.message).toMatch(
    /^X-Sandbox-Error must be an error code of POST \/v2\/transactions\/cashin: use one of .*LIMIT_EXCEEDED.*; did you mean PROVIDER_ERROR\?$/,
  )
})

test('the errors of authentication, validation and, before a provider error, of the handler come before a requested error', async () => {
  const { url, api } = await scenarioSandbox()
  const codeOf = async (answer: Promise<{ body: Body }>) => (await answer).body.error.code
  const wanted = asking('PROVIDER_ERROR')
  const unsigned = { ...wanted, 'Content-Type': 'application/json' }
  const stranger = await plainFetch(url + cashin, { method: 'POST', headers: unsigned, body: '{}' })
  expect(((await stranger.json()) as Body).error.code).toBe('UNAUTHORIZED')
  expect(await codeOf(api.post(cashout, payout(), wanted))).toBe('MISSING_SIGNATURE')
  expect(await codeOf(api.post(cashin, '{', wanted))).toBe('INVALID_JSON')
  expect(await codeOf(api.post(cashin, { currency: 'BRL' }, wanted))).toBe('MISSING_REQUIRED_FIELD')
  expect(await codeOf(api.post(cashin, charge({ currency: 'EUR' }), wanted))).toBe('INVALID_CURRENCY')
  const tooMuch = payout({ amount: 49_000 })
  expect(await codeOf(api.signed(cashout, tooMuch, wanted))).toBe('INSUFFICIENT_BALANCE')
  expect(await codeOf(api.signed(cashout, tooMuch, asking('LIMIT_EXCEEDED')))).toBe('LIMIT_EXCEEDED')
  expect(await codeOf(api.signed(cashout, payout(), wanted))).toBe('PROVIDER_ERROR')
})

test('a requested error affects its own call only, and the same external_id then creates the charge', async () => {
  const { api, call } = await scenarioSandbox({ clock: 'manual' })
  const body = charge({ external_id: 'order-1' })
  const [failed, other] = await Promise.all([
    api.post(cashin, body, asking('PROVIDER_ERROR')),
    api.post(cashin, charge({ external_id: 'order-2' })),
  ])
  expect([failed.status, other.status]).toEqual([502, 200])
  expect((await api.post(cashin, body)).status).toBe(200)
  expect((await call('GET', '/transactions')).body.data).toHaveLength(2)
})

test('a scenario in the header comes before a requested error, which comes before armed scenarios and chaos', async () => {
  const { arm, api, call, entryOf } = await scenarioSandbox({ clock: 'manual' })
  await arm('rate-limited', { times: 1 })
  await call('PUT', '/chaos', { error: '100%' })
  const asked = await api.post(cashin, charge(), asking('LIMIT_EXCEEDED'))
  expect([asked.status, asked.body.error.code]).toEqual([409, 'LIMIT_EXCEEDED'])
  expect(asked.headers.get('x-sandbox-chaos')).toBeNull()
  expect((await call('GET', '/scenarios/rate-limited')).body.armed).toMatchObject([{ times: 1 }])
  const both = await api.post(cashin, charge(), { ...asking('LIMIT_EXCEEDED'), 'X-Sandbox-Scenario': 'provider-error' })
  expect([both.status, both.body.error.code]).toEqual([502, 'PROVIDER_ERROR'])
  expect(await entryOf(both)).not.toHaveProperty('requested_error')
})

test('the request log marks a call with a requested error, and a replay requests it again', async () => {
  const { url, api, call, entryOf } = await scenarioSandbox()
  const plain = await api.post(cashin, charge())
  expect(await entryOf(plain)).not.toHaveProperty('requested_error')
  const asked = await api.post(cashin, charge(), asking('LIMIT_EXCEEDED'))
  const marks = { requested_error: 'LIMIT_EXCEEDED', faults: ['respond: 409 LIMIT_EXCEEDED (not executed)'] }
  const entry = await entryOf(asked)
  expect(entry).toMatchObject({ status: 409, error_code: 'LIMIT_EXCEEDED', ...marks })
  expect(entry).not.toHaveProperty('scenario')
  expect((await call('POST', `/requests/${entry.request_id}/replay`)).body).toMatchObject({ status: 409, ...marks })
  const list = await run(['requests', '--url', url])
  expect(list.stdout).toContain('requested: respond: 409 LIMIT_EXCEEDED (not executed)')
  const shown = await run(['requests', entry.request_id, '--url', url])
  expect(shown.stdout).toMatch(/requested error +LIMIT_EXCEEDED/)
})

test('with strict, both headers have no effect, and the OpenAPI document does not describe them', async () => {
  const described = async (url: string) => {
    const { paths } = (await (await plainFetch(`${url}/_sandbox/openapi.json`)).json()) as Body
    return paths[cashin].post.parameters as Body[]
  }
  const lenient = await scenarioSandbox()
  const [scenario, error] = await described(lenient.url)
  expect([scenario?.name, error?.name, error?.schema.enum]).toEqual([
    'X-Sandbox-Scenario',
    'X-Sandbox-Error',
    errorsOf(endpoints.cashin),
  ])
  const { url, api, arm } = await scenarioSandbox({ strict: true })
  for (const headers of [asking('PROVIDER_ERROR'), asking('NO_SUCH_ERROR'), { 'X-Sandbox-Scenario': 'provider-error' }])
    expect((await api.post(cashin, charge(), headers)).status).toBe(200)
  expect(await described(url)).toEqual([])
  await arm('provider-error')
  expect((await api.post(cashin, charge())).status).toBe(502)
})

test.each([
  ['the flag', ['--strict'], {}],
  ['the variable', [], { PAYMENTS_SANDBOX_STRICT: 'true' }],
])('%s of start turns both headers off', async (_where, flags, env) => {
  const program = await startForTest(['--clock', 'manual', ...flags], { env })
  const api = await openClient(program.url)
  const headers = { ...asking('PROVIDER_ERROR'), 'X-Sandbox-Scenario': 'provider-error' }
  expect((await api.post(cashin, charge(), headers)).status).toBe(200)
})
