/** Warnings of the request log: over HTTP, on the command line and with the library. */
import { describe, expect, test } from 'vitest'
import { warningCodes, warningLimits } from '../../src/protocol/platform/warnings.js'
import { connectSandbox } from '../../src/testing/index.js'
import { basicOf, clientWith, requestToken } from '../support/client.js'
import { leastEffortMs } from '../support/effort.js'
import type { Answer, Body } from '../support/http.js'
import { run } from '../support/program.js'
import { answersIn, sayAll } from '../support/raw-http.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

const cashin = '/v2/transactions/cashin'
const right = { amount: 5, currency: 'BRL', external_id: 'order-1', payer: { name: 'Ana' } }

const entryOf = async (sandbox: TestSandbox, answer: Pick<Answer, 'headers'>): Promise<Body> =>
  (await sandbox.control('GET', `/requests/${answer.headers.get('x-request-id')}`)).body

const warned = async (sandbox: TestSandbox, answer: Pick<Answer, 'headers'>): Promise<Body[]> =>
  (await entryOf(sandbox, answer)).warnings

test('a misspelt field is accepted, and its call has a warning with the probable name', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const answer = await api.cashin({ ...right, ammount: 3 })
  expect(answer.status).toBe(200)
  expect(await warned(sandbox, answer)).toEqual([
    {
      code: 'unknown_field',
      message: 'ammount is not a field of this call and has no effect; did you mean amount?',
      field: 'ammount',
    },
  ])
})

test('correct calls and a token that many calls use cause no warnings', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  for (const id of ['one', 'two', 'three']) await api.cashin({ ...right, external_id: id })
  await api.get('/v2/account/balance')
  const { body } = await sandbox.control('GET', '/requests')
  expect(body.data.map(({ warnings }: Body) => warnings)).toEqual(body.data.map(() => []))
  expect((await sandbox.control('GET', '/requests?warnings=true')).body.data).toEqual([])
})

test('unknown fields at any depth and unknown parameters have warnings, and suggestions are at most two edits away', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const answer = await api.post(`${cashin}?amuont=3&debug=1&debug=2`, {
    ...right,
    payer: { name: 'Ana', documnet: '52998224725' },
    split: [{ username: 'customer', percentage: 10, precentage: 10 }],
    metadata: { deep: true },
  })
  expect(answer.status).toBe(200)
  const found = (await warned(sandbox, answer)).map(({ field, message }) => [field, /mean (.*)\?/.exec(message)?.[1]])
  expect(found).toEqual([
    ['payer.documnet', 'payer.document'],
    ['split.0.precentage', 'split.0.percentage'],
    ['metadata', undefined],
    ['amuont', undefined],
    ['debug', undefined],
  ])
})

test('the query parameters of an endpoint are known', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const answer = await api.get('/v2/account/infractions?page=1&limt=5')
  expect(await warned(sandbox, answer)).toMatchObject([{ code: 'unknown_field', field: 'limt', message: /mean limit/ }])
})

test('the third token in a row has a warning when the two before were used for one call each', async () => {
  const sandbox = await openWithReceivers()
  const { clientId, clientSecret } = secretsOf('merchant')
  const authorization = basicOf(clientId, clientSecret)
  const tokens: Body[][] = []
  for (const id of ['one', 'two', 'three', 'four']) {
    const token = await requestToken(sandbox.url, authorization)
    tokens.push(await warned(sandbox, token))
    await clientWith(sandbox.url, token.body.access_token, '').cashin({ ...right, external_id: id })
  }
  expect(tokens.map((warnings) => warnings.map(({ code }) => code))).toEqual([
    [],
    [],
    ['token_per_call'],
    ['token_per_call'],
  ])
  await sandbox.advance('2h')
  expect(await warned(sandbox, await requestToken(sandbox.url, authorization))).toEqual([])
})

test('calls of the command line, which requests a token for each, cause no warning', async () => {
  const sandbox = await openWithReceivers()
  for (let left = 3; left > 0; left--) await run(['request', 'GET', '/v2/account/balance', '--url', sandbox.url])
  const { body } = await sandbox.control('GET', '/requests')
  expect(body.data).toHaveLength(6)
  expect(body.data.flatMap(({ warnings }: Body) => warnings)).toEqual([])
})

describe('a payment that is made again under another external_id after its response was lost', () => {
  const payout = { amount: 20, currency: 'BRL', key: 'ana@example.com' } as const

  /** A sandbox in which the response to withdrawal `lost` was dropped. */
  async function withLostResponse() {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    await sandbox.control('POST', '/scenarios/lost-answer/arm')
    await expect(api.cashout({ ...payout, external_id: 'lost' })).rejects.toThrow()
    const { body } = await sandbox.control('GET', '/transactions?external_id=lost')
    return { sandbox, api, id: String(body.data[0].transaction_id) }
  }

  const twice = async (sandbox: TestSandbox, answer: Answer) => {
    const { paid_twice: calls = [], warnings } = await entryOf(sandbox, answer)
    return [calls.map((one: Body) => one.external_id), warnings.map(({ code }: Body) => code)]
  }

  test('has a warning that names the first transaction, and both calls name each other', async () => {
    const { sandbox, api, id } = await withLostResponse()
    const again = await api.cashout({ ...payout, external_id: 'again' })
    const { warnings, paid_twice: calls } = await entryOf(sandbox, again)
    const message = `probably made again: no response to ${id} arrived, and this call makes the same payment or charge; repeat a lost call with its own external_id.`
    expect(warnings).toEqual([{ code: 'paid_twice', message }])
    expect(calls.map((one: Body) => one.transaction_id)).toEqual([id, again.body.data.transaction_id])
    const { body } = await sandbox.control('GET', `/requests?transaction_id=${id}`)
    expect(body.data).toMatchObject([{ warnings: [], paid_twice: calls }])
    const warned = (await sandbox.control('GET', '/requests?warnings=true')).body.data
    expect(warned.map((one: Body) => one.request_id)).toEqual([calls[1].request_id])
  })

  test('has a warning that names every payment before it that was lost', async () => {
    const { sandbox, api, id } = await withLostResponse()
    await sandbox.control('POST', '/scenarios/lost-answer/arm')
    await expect(api.cashout({ ...payout, external_id: 'again' })).rejects.toThrow()
    const third = await entryOf(sandbox, await api.cashout({ ...payout, external_id: 'third' }))
    const [, second] = third.paid_twice.map((one: Body) => one.transaction_id)
    expect(third.warnings[0].message).toContain(`no response to ${id}, ${second} arrived`)
  })

  test('has none if the client has seen the first transaction', async () => {
    const repeated = await withLostResponse()
    await repeated.api.cashout({ ...payout, external_id: 'lost' })
    expect(await twice(repeated.sandbox, await repeated.api.cashout({ ...payout, external_id: 'new' }))).toEqual([
      [],
      [],
    ])
  })

  test.each(['before', 'after'])(
    'has none if the first failed %s it, and both calls name each other with their status',
    async (when) => {
      const { sandbox, api, id } = await withLostResponse()
      const fail = () => sandbox.control('POST', '/trigger', { action: 'cashout.fail', id })
      if (when === 'before') await fail()
      const again = await api.cashout({ ...payout, external_id: 'again' })
      if (when === 'after') await fail()
      expect(await twice(sandbox, again)).toEqual([['lost', 'again'], []])
      const { paid_twice: calls } = await entryOf(sandbox, again)
      expect(calls.map(({ status }: Body) => status)).toEqual(['failed', 'pending'])
    },
  )

  test.each([
    [5, true, ['paid_twice']],
    [20, false, []],
  ])('counts although %d of 20 came back: %s', async (amount, counts, codes) => {
    const { sandbox, api } = await withLostResponse()
    const again = await api.cashout({ ...payout, external_id: 'again' })
    const id = again.body.data.transaction_id
    await sandbox.control('POST', '/trigger', { action: 'cashout.confirm', id })
    await sandbox.control('POST', '/trigger', { action: 'cashout.refund', id, amount })
    expect(await twice(sandbox, again)).toEqual([['lost', 'again'], codes])
    const { paid_twice: calls } = await entryOf(sandbox, again)
    expect(calls.map((one: Body) => [one.status, one.counts])).toEqual([
      ['pending', true],
      ['refunded', counts],
    ])
  })

  test('has none if anything else differs, or after an hour', async () => {
    const { sandbox, api } = await withLostResponse()
    const others = [
      { ...payout, amount: 21, external_id: 'amount' },
      { ...payout, key: 'bia@example.com', external_id: 'key' },
    ]
    for (const other of others) expect(await twice(sandbox, await api.cashout(other))).toEqual([[], []])
    await sandbox.advance('61m')
    const later = await sandbox.api()
    expect(await twice(sandbox, await later.cashout({ ...payout, external_id: 'later' }))).toEqual([[], []])
  })

  test('is a charge too, if the payer is the same, or if no reference was sent and the bodies are equal', async () => {
    const payer = { name: 'Ana', document: '52998224725' }
    const unnamed = { amount: 20, currency: 'BRL' }
    const cases = [
      [{ ...unnamed, payer, external_id: 'first' }, { ...unnamed, payer, external_id: 'second' }, 'paid_twice'],
      [{ ...unnamed, payer }, { ...unnamed, payer }, 'paid_twice'],
      [unnamed, unnamed, 'paid_twice'],
      [
        { ...unnamed, payer, external_id: 'first' },
        { ...unnamed, payer: { name: 'Bia' }, external_id: 'second' },
        null,
      ],
      [{ ...unnamed, external_id: 'first' }, { ...unnamed, external_id: 'second' }, 'perhaps'],
      [unnamed, { ...unnamed, amount: 21 }, null],
    ] as const
    for (const [first, second, expected] of cases) {
      const sandbox = await openWithReceivers()
      const api = await sandbox.api()
      await sandbox.control('POST', '/scenarios/cashin-lost-answer/arm')
      await expect(api.cashin(first)).rejects.toThrow()
      const [calls, codes] = await twice(sandbox, await api.cashin(second))
      const names = [first, second].map((one) => ('external_id' in one ? one.external_id : null))
      // Without a payer, equal charges under two references may be for two orders.
      expect([calls, codes?.find((code: string) => code === 'paid_twice') ?? null]).toEqual([
        expected === null ? [] : names,
        expected === 'perhaps' ? null : expected,
      ])
    }
  })

  test('counts each further payment, while the responses are lost to chaos', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    await sandbox.control('PUT', '/chaos', { dropped_response: '100%' })
    for (const id of ['one', 'two']) await expect(api.cashout({ ...payout, external_id: id })).rejects.toThrow()
    await sandbox.control('DELETE', '/chaos')
    const last = await api.cashout({ ...payout, external_id: 'three' })
    expect(await twice(sandbox, last)).toEqual([['one', 'two', 'three'], ['paid_twice']])
    expect(await twice(sandbox, await api.cashout({ ...payout, external_id: 'four' }))).toEqual([[], []])
  })

  test('is shown with at most five calls, however often it is made again', async () => {
    const sandbox = await openWithReceivers()
    const api = await sandbox.api()
    await sandbox.control('PUT', '/chaos', { dropped_response: '100%' })
    const names = Array.from({ length: 12 }, (_, index) => `payout-${index}`)
    for (const id of names) await expect(api.cashout({ ...payout, external_id: id })).rejects.toThrow()
    const { body } = await sandbox.control('GET', '/requests?limit=100')
    const calls = body.data.filter((row: Body) => row.external_id !== undefined).reverse()
    expect(calls.map((row: Body) => row.external_id)).toEqual(names)
    const shown = calls.map((row: Body) => row.paid_twice.map((one: Body) => one.external_id))
    expect(shown.every((all: string[], index: number) => all.length <= 5 && all.includes(`payout-${index}`))).toBe(true)
    expect(calls.map((row: Body) => row.warnings.length)).toEqual([0, ...Array(11).fill(1)])
  })
})

test('a creation without an external_id has a warning, and a call that creates nothing has none', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const { external_id: _id, ...unnamed } = right
  const codes = async (answer: Answer) => (await warned(sandbox, answer)).map(({ code, field }) => [code, field])
  expect(await codes(await api.cashin(unnamed))).toEqual([['no_external_id', 'external_id']])
  expect(await codes(await api.cashin({ ...unnamed, external_id: null }))).toEqual([['no_external_id', 'external_id']])
  const transfer = { username: 'customer', amount: 1, currency: 'BRL' }
  expect(await codes(await api.signed('/v2/internal_transfers/payment', transfer))).toEqual([
    ['no_external_id', 'external_id'],
  ])
  expect(await codes(await api.post('/v2/account/transactions/list', {}))).toEqual([])
})

test('a single-value header that was sent twice has a warning, whatever the response', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const { host, port } = new URL(sandbox.url)
  const text = JSON.stringify(right)
  const lines = [
    `POST ${cashin} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    'Content-Type: application/json',
    ...Object.entries(api.bearer).flatMap(([name, value]) => [`${name}: ${value}`, `${name}: ${value}`]),
    'X-Trace: one',
    'X-Trace: two',
    `Content-Length: ${text.length}`,
  ]
  const [answer] = answersIn(await sayAll(Number(port), `${lines.join('\r\n')}\r\n\r\n${text}`))
  expect(answer?.status).toBe(401)
  const { body } = await sandbox.control('GET', `/requests/${answer?.headers['x-request-id']}`)
  expect(body.warnings).toEqual([
    {
      code: 'duplicate_header',
      message: 'Authorization was sent more than once; send it once.',
      field: 'Authorization',
    },
  ])
})

test('a hostile body has a bounded number of warnings of bounded length, without secrets', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const many = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`${'ñ'.repeat(50)}-${'x'.repeat(60)}-${at}`, 1]),
  )
  const bodies = [
    many,
    Object.fromEntries(Object.entries(many).slice(0, 22)),
    { [secretsOf('merchant').webhookSecret]: 1 },
  ]
  for (const body of bodies) {
    const entry = await entryOf(sandbox, await api.cashin({ ...right, ...body }))
    expect(entry.warnings.length).toBeLessThanOrEqual(warningLimits.unknownFields)
    for (const { message } of entry.warnings) expect(message.length).toBeLessThan(3 * warningLimits.fieldChars)
    expect(JSON.stringify(entry)).not.toContain(secretsOf('merchant').webhookSecret)
  }
  const [longest] = (await sandbox.control('GET', '/requests?warnings=true&limit=500')).body.data.toReversed()
  expect(longest.warnings.at(-1)).toEqual({
    code: 'unknown_field',
    message: `${1000 - warningLimits.unknownFields + 1} more unknown fields have no effect.`,
  })
  const nested = await api.post(cashin, `{"amount":5,"currency":"BRL","x":${'['.repeat(5000)}${']'.repeat(5000)}}`)
  expect((await entryOf(sandbox, nested)).status).toBe(400)
})

test('thousands of unknown fields cost hardly more than one field of the same size', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const names = Array.from({ length: 6000 }, (_, at) => `unknown_field_${at}`)
  const unknown = Object.fromEntries(names.map((name) => [name, 1]))
  const spend = (more: object) => leastEffortMs(5, () => api.cashin({ ...right, ...more }))
  const one = await spend({ x: names.map((name) => [name, 1]) })
  // A suggestion for each of them took 40 times as much.
  expect(await spend(unknown)).toBeLessThan(10 * one)
})

test('the request log lists calls with warnings or those without', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  await api.cashin({ ...right, ammount: 3 })
  const paths = async (query: string) =>
    (await sandbox.control('GET', `/requests${query}`)).body.data.map(({ path }: Body) => path)
  expect(await paths('?warnings=true')).toEqual([cashin])
  expect(await paths('?warnings=false')).toEqual(['/v2/oauth/token'])
  expect(await paths('')).toEqual([cashin, '/v2/oauth/token'])
  expect((await sandbox.control('GET', '/requests?warnings=yes')).code).toBe('INVALID_VALUE')
})

test('the command line and the library show the warnings of the request log', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const answer = await api.cashin({ ...right, ammount: 3 })
  const cli = async (...args: string[]) => (await run(['requests', ...args, '--url', sandbox.url])).stdout
  expect(await cli()).toMatch(/WARNINGS .*\n(.*\n)*.* unknown_field /)
  const listed = await cli('--warnings')
  expect(listed).toContain('did you mean amount?')
  expect(listed).not.toContain('/v2/oauth/token')
  expect(await cli(String(answer.headers.get('x-request-id')))).toMatch(/Warnings\nunknown_field {2}ammount is not/)
  const connected = await connectSandbox(sandbox.url)
  expect(await connected.requests.warnings()).toMatchObject([{ warnings: [{ code: 'unknown_field' }] }])
  await connected.close()
})

test('the OpenAPI document names every warning code and says when it is given', async () => {
  const sandbox = await openWithReceivers()
  const { body } = await sandbox.control('GET', '/openapi.json')
  const { code } = body.components.schemas.SandboxCallWarning.properties
  expect(code.enum).toEqual(warningCodes)
  for (const name of warningCodes) expect(code.description).toContain(`\`${name}\`: `)
})
