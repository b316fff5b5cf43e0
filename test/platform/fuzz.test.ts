/** Hostile input for every endpoint and control route: always the error body, never a 500, and the sandbox keeps running. */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { errorCatalogue } from '../../src/protocol/platform/errors.js'
import { type Api, basicOf } from '../support/client.js'
import { controlRows } from '../support/control-rows.js'
import { effortSince } from '../support/effort.js'
import { figure, seedOf } from '../support/figures.js'
import { hostileParts } from '../support/fuzz/caller.js'
import { closeChecked, openForFile, type TestSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

const chance = seedOf('FUZZ_SEED')
console.info(`fuzz: FUZZ_SEED=${chance}`)
const seeds = figure([chance], [1, 42, chance])

// One sandbox for the whole file, which must survive all input.
let sandbox: TestSandbox
let api: Api
beforeAll(async () => {
  sandbox = await openForFile({ rateLimits: false })
  api = await sandbox.api()
})

interface Reply {
  status: number
  text: string
  headers: IncomingMessage['headers']
}

/** Sends without `fetch`, which would normalize the input. */
function raw(
  method: string,
  path: string,
  headers: Record<string, string | string[]>,
  body: Uint8Array | string = '',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(sandbox.url, { method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          headers: response.headers,
        }),
      )
      response.on('error', reject)
    })
    // A rejection may arrive while the body is still being sent.
    call.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET'
        ? resolve({ status: 0, text: '', headers: {} })
        : reject(error),
    )
    call.end(body)
  })
}

/** Requires a success, or the error body with a documented code and its status, and no internal error. */
function check({ status, text, headers }: Reply, about: string): void {
  if (status === 0 || (status < 400 && status >= 200)) return
  const reported = `${about}\n${status} ${text.slice(0, 300)}`
  expect(headers['x-request-id'], reported).toBeTruthy()
  const body = JSON.parse(text)
  expect(Object.keys(body).sort(), reported).toEqual(['error', 'success'])
  expect(Object.keys(body.error).sort(), reported).toEqual(['code', 'details', 'group', 'message', 'retryable'])
  expect(Object.keys(errorCatalogue), reported).toContain(body.error.code)
  expect(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'], reported).not.toContain(body.error.code)
  expect(status, reported).toBeLessThan(500)
}

const alive = async () => {
  // The input contained wrong credentials, so the lockout has to end first.
  await sandbox.advance(301)
  expect((await sandbox.control('GET', '/health')).status).toBe(200)
  expect((await sandbox.control('GET', '/ledger')).body.balanced).toBe(true)
  expect((await (await sandbox.api()).cashin({ amount: 10, currency: 'BRL' })).status).toBe(200)
}

const key = secretsOf('merchant').signingKey
const json = { 'Content-Type': 'application/json' }
const posts = endpointNames.filter((name) => endpoints[name].method === 'POST')

const hostileTexts = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '🎉'.repeat(50),
  'a'.repeat(5000),
  "'; drop table transactions; --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  '#{7*7}',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '\ufeff',
  '\r\nX-Injected: 1',
  'BRL',
  'USDT',
  'tron',
]
const hostileNumbers = [0, -0, -1, 0.1, 1e21, 1e-7, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE, 19.99]
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, ...hostileNumbers, ...hostileTexts),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.double(),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom('amount', 'key', 'username', '__proto__', 'constructor', 'toString', 'text', 'length', 'name'),
      tie('any'),
      { maxKeys: 4 },
    ),
  ),
})).any

/** Bodies of known fields; most values are valid, some are random. */
const sensible: Record<string, unknown> = {
  amount: 10,
  currency: 'BRL',
  chain: 'tron',
  network: 'tron',
  external_id: 'x',
  postback_url: 'https://example.com',
  payer: { name: 'Ana', document: '52998224725' },
  split: [{ username: 'customer', percentage: 1 }],
  key: 'maria@example.com',
  key_type: 'email',
  creditParty: { key: 'maria@example.com' },
  username: 'customer',
  base_currency: 'BRL',
  destination_currency: 'USDT',
  grant_type: 'client_credentials',
  page: 1,
  page_size: 10,
  from_date: '2026-11-21',
  action: 'cashin.pay',
  id: 'x',
  by: '1s',
  name: 'x',
  limits: [],
  fees: [],
  responses: [{ status: 200 }],
  params: {},
  times: 1,
}
const fields = Object.keys(sensible)
const body = fc
  .dictionary(fc.constantFrom(...fields), fc.option(value, { nil: '(right)', freq: 3 }), { maxKeys: 12 })
  .map((given) =>
    JSON.stringify(
      Object.fromEntries(Object.entries(given).map(([name, one]) => [name, one === '(right)' ? sensible[name] : one])),
    ),
  )
/** JSON text that is damaged, repeated, cut off or too deep. */
const broken = fc
  .tuple(body, fc.nat(), fc.constantFrom('cut', 'swap', 'deep', 'twice', 'bytes', 'exponent'))
  .map(([text, at, how]): Uint8Array => {
    const place = at % Math.max(text.length, 1)
    const texts = {
      cut: text.slice(0, place),
      swap: text.slice(0, place) + '}{"[],:'[at % 7] + text.slice(place + 1),
      deep: `${'{"a":'.repeat(at % 6000)}1${'}'.repeat(at % 6000)}`,
      twice: text.replace('{', '{"amount":1,"amount":2,"__proto__":{"polluted":1},'),
      bytes: text,
      exponent: text.replace(/\d+/, `1e${at}`),
    }
    const bytes = new TextEncoder().encode(texts[how as keyof typeof texts])
    if (how === 'bytes' && bytes.length > 0) bytes[at % bytes.length] = 0xff
    return bytes
  })
const anyBody = fc.oneof(
  body.map((text) => new TextEncoder().encode(text)),
  broken,
)

describe.each(seeds)('with the seed %i', (seed) => {
  const runs = { seed, numRuns: 12, endOnFailure: true }

  test.each(posts)('%s survives any body', async (name) => {
    const { path } = endpoints[name]
    const property = fc.asyncProperty(anyBody, async (bytes) => {
      const basic = basicOf(secretsOf('merchant').clientId, secretsOf('merchant').clientSecret)
      const headers = { ...(name === 'token' ? basic : api.bearer), ...json, ...signatureOf(key, bytes) }
      check(await raw('POST', path, headers, bytes), `${name} ${Buffer.from(bytes)}`)
    })
    await fc.assert(property, runs)
  })

  test('every endpoint survives any query', async () => {
    const query = fc.dictionary(
      fc.constantFrom('page', 'page_size', 'status', 'type', 'id', '__proto__', 'a[b]'),
      fc.oneof(fc.string(), fc.constantFrom(...hostileTexts)),
    )
    const property = fc.asyncProperty(
      query,
      fc.constantFrom(...endpointNames.filter((name) => endpoints[name].method === 'GET')),
      async (one, name) => {
        const search = Object.entries(one).map(
          ([field, text]) =>
            `${encodeURIComponent(field)}=${encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '?'))}`,
        )
        const path = `${endpoints[name].path}?${search.join('&')}`
        check(await raw('GET', path, api.bearer), path)
      },
    )
    await fc.assert(property, { ...runs, numRuns: 60 })
  })

  const routes = Object.values<ControlRow>(controlRows)
    .map(({ method, path }) => ({ method, path: `/_sandbox${path}` }))
    .filter(
      (route) =>
        !/stream|reset|restore|\/wait|DELETE \/_sandbox\/workspaces|disconnect/.test(`${route.method} ${route.path}`),
    )
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s survives any body, path and query',
    async (_name, route) => {
      const part = fc.constantFrom(...hostileParts, 'customer', 'pix-paid')
      const property = fc.asyncProperty(
        anyBody,
        part,
        fc.constantFrom('', '?limit=0', '?limit=x', '?after=-1', '?limit=1&nonsense=1', '?type=%00', '?status=%F0%9F'),
        async (bytes, one, query) => {
          const path = route.path.replaceAll(/\{[a-z_]+\}/g, one) + query
          const reads = route.method === 'GET'
          const headers = reads ? {} : json
          check(
            await raw(route.method, path, headers, reads ? '' : bytes),
            `${route.method} ${path} ${Buffer.from(bytes)}`,
          )
        },
      )
      await fc.assert(property, { ...runs, numRuns: 6 })
    },
  )

  test('headers may have any value', async () => {
    const name = fc.constantFrom(
      'Authorization',
      'X-Signature',
      'X-Timestamp',
      'X-Nonce',
      'Content-Type',
      'X-Sandbox-Scenario',
      'X-Sandbox-Error',
      'Accept',
      'Cookie',
      'X-Forwarded-For',
      'Content-Encoding',
      'Accept-Encoding',
      'If-None-Match',
      'Range',
      'Upgrade',
      'X-Request-Id',
      'Origin',
    )
    const text = fc.oneof(
      fc.string({
        unit: fc
          .integer({ min: 0x20, max: 0xff })
          .filter((code) => code !== 0x7f)
          .map((code) => String.fromCharCode(code)),
        maxLength: 300,
      }),
      fc.constantFrom(
        'Bearer ',
        'Basic ====',
        'multipart/form-data',
        'application/json; charset="',
        'gzip',
        'bytes=0-',
        '-1',
        '9'.repeat(400),
        'pix-paid',
        'nonsense',
      ),
    )
    const property = fc.asyncProperty(
      fc.dictionary(name, text, { maxKeys: 4 }),
      fc.constantFrom(...endpointNames),
      async (headers, endpoint) => {
        const { method, path } = endpoints[endpoint]
        const content = method === 'POST' ? '{"amount":10,"currency":"BRL"}' : ''
        check(
          await raw(method, path, { ...api.bearer, ...json, ...headers }, content),
          `${method} ${path} ${JSON.stringify(headers)}`,
        )
      },
    )
    await fc.assert(property, { ...runs, numRuns: 80 })
  })

  test('host and origin may have any value', async () => {
    const text = fc.oneof(
      fc.string({
        unit: fc
          .integer({ min: 0x21, max: 0xff })
          .filter((code) => code !== 0x7f)
          .map((code) => String.fromCharCode(code)),
        maxLength: 60,
      }),
      fc.constantFrom(
        ...['', '[', '[::1', '[::1]]', '127.0.0.1:99999', '127.0.0.1:', 'localhost:4010:1', 'xn--a', '1'.repeat(255)],
        ...['a.'.repeat(4000), '127.'.repeat(2000), 'localhost.', '0x7f.1', '2130706433', '%31', 'null', 'http://'],
      ),
    )
    const property = fc.asyncProperty(
      text,
      text,
      fc.constantFrom('/v2/account/balance', '/'),
      async (Host, Origin, path) => {
        const reported = `${path} Host ${JSON.stringify(Host)} Origin ${JSON.stringify(Origin)}`
        const reply = await raw('GET', path, { ...api.bearer, Host, Origin })
        check(reply, reported)
        // No host here is a loopback name, and no origin is this sandbox's.
        expect([0, 400, 403], reported).toContain(reply.status)
      },
    )
    await fc.assert(property, { ...runs, numRuns: 80 })
  })

  test('a multipart body may be broken anywhere', async () => {
    const boundary = 'xyz'
    const good = ['id', 'message', 'files[]']
      .map(
        (field) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${field}"${field === 'files[]' ? '; filename="a.pdf"\r\nContent-Type: application/pdf' : ''}\r\n\r\n${randomUUID()}\r\n`,
      )
      .join('')
    const mess = fc
      .tuple(fc.nat(), fc.nat(), fc.constantFrom('cut', 'byte', 'name', 'many', 'none', 'boundary'))
      .map(([at, byte, how]) => {
        const whole = Buffer.from(`${good}--${boundary}--\r\n`)
        if (how === 'cut') return whole.subarray(0, at % whole.length)
        if (how === 'byte') whole[at % whole.length] = byte % 256
        if (how === 'name')
          return Buffer.from(
            whole
              .toString()
              .replace(
                'name="id"',
                ['name="__proto__"', 'name=', 'name="id"; name="id"', "filename*=UTF-8''%ff"][at % 4] ?? '',
              ),
          )
        if (how === 'many') return Buffer.from(`${good.repeat(1 + (at % 300))}--${boundary}--\r\n`)
        if (how === 'none') return Buffer.from(`--${boundary}--\r\n`)
        if (how === 'boundary') return Buffer.from(whole.toString().replaceAll(boundary, 'other'))
        return whole
      })
    const type = fc.constantFrom(
      `multipart/form-data; boundary=${boundary}`,
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary="${boundary}"`,
      `multipart/mixed; boundary=${boundary}`,
    )
    const property = fc.asyncProperty(mess, type, async (bytes, contentType) => {
      check(
        await raw('POST', '/v2/account/infractions/reply', { ...api.bearer, 'Content-Type': contentType }, bytes),
        `${contentType} ${bytes.toString('latin1').slice(0, 400)}`,
      )
    })
    await fc.assert(property, { ...runs, numRuns: 60 })
  })

  test('paths may have any value', async () => {
    const piece = fc.constantFrom(
      'v2',
      '_sandbox',
      'w',
      'default',
      'account',
      'balance',
      '..',
      '.',
      '%2e%2e',
      '%2F',
      '%00',
      '%',
      '%zz',
      '//',
      '\\',
      '?',
      '#',
      ';',
      'a'.repeat(2000),
      '%F0%9F%8E%89',
    )
    const property = fc.asyncProperty(
      fc.array(piece, { maxLength: 6 }),
      fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE'),
      async (pieces, method) => {
        const path = `/${pieces.join('/')}`
        const reply = await raw(method, path, api.bearer)
        if (method !== 'HEAD') check(reply, `${method} ${path.slice(0, 200)}`)
        else expect(reply.status).toBeLessThan(500)
      },
    )
    await fc.assert(property, { ...runs, numRuns: 120 })
  })
})

describe('processing time grows no faster than the text', () => {
  const kb = 1024
  const charge = (field: string, value: string) => `{"amount":10,"currency":"BRL","${field}":${value}}`
  const quoted = (text: string) => JSON.stringify(text)
  const form = (text: string) => `--xyz\r\nContent-Disposition: form-data; name="message"\r\n\r\n${text}\r\n--xyz--`
  const file = (text: string) =>
    `--xyz\r\nContent-Disposition: form-data; name="files[]"; filename="a"\r\n\r\n${text}\r\n--xyz--`
  const formType = { 'Content-Type': 'multipart/form-data; boundary=xyz' }
  const cashinPath = endpoints.cashin.path
  const replyPath = endpoints.infractionReply.path
  type Family = [name: string, path: string, headers: Record<string, string>, length: number, (n: number) => string]
  const families: Family[] = [
    ...(
      [
        ['spaces', (n) => ' '.repeat(n)],
        ['opened brackets', (n) => '['.repeat(n)],
        ['escapes', (n) => charge('external_id', `"${'\\u0041'.repeat(n / 6)}"`)],
        ['an unterminated string of quotes', (n) => `{"a":"${'\\"'.repeat(n / 2)}`],
        ['an amount of digits', (n) => `{"amount":${'9'.repeat(n)},"currency":"BRL"}`],
        ['an amount of zeros', (n) => `{"amount":0.${'0'.repeat(n)}1,"currency":"BRL"}`],
        ['an address of dots', (n) => charge('postback_url', quoted(`http://${'a.'.repeat(n / 2)}`))],
        ['an address of digits', (n) => charge('postback_url', quoted(`http://${'1'.repeat(n)}/`))],
        ['an e-mail of ats', (n) => charge('payer', `{"email":${quoted(`${'a@a.'.repeat(n / 4)}!`)}}`)],
        ['a document of digits', (n) => charge('payer', `{"document":${quoted('1.'.repeat(n / 2))}}`)],
        ['many fields', (n) => `{${Array.from({ length: n / 8 }, (_, at) => `"${at}":0`).join(',')}}`],
        ['one field many times', (n) => `{${'"a":"b",'.repeat(n / 8)}"a":"b"}`],
        ['many parts of a split', (n) => charge('split', `[${'{"a":1},'.repeat(n / 8)}{}]`)],
      ] satisfies [string, (n: number) => string][]
    ).map(([name, text]): Family => [`JSON: ${name}`, cashinPath, json, 96 * kb, text]),
    ['a form of line ends', replyPath, formType, 96 * kb, (n) => form('\r\n'.repeat(n / 2))],
    ['a form of boundaries that are none', replyPath, formType, 96 * kb, (n) => form('\r\n--xy'.repeat(n / 6))],
    ['a file of boundaries that are none', replyPath, formType, 4096 * kb, (n) => file('\r\n--xy'.repeat(n / 6))],
    ['a file of line ends', replyPath, formType, 4096 * kb, (n) => file('\r'.repeat(n))],
    ['headers of a part', replyPath, formType, 4096 * kb, (n) => `--xyz\r\n${'a:b\r\n'.repeat(n / 5)}`],
    [
      'parameters of a part',
      replyPath,
      formType,
      6 * kb,
      (n) => `--xyz\r\nContent-Disposition: ${'a="'.repeat(n / 3)}`,
    ],
    [
      'parts',
      replyPath,
      formType,
      4096 * kb,
      (n) => '--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(n / 48),
    ],
  ]

  test.each(families)('%s', async (_name, path, headers, length, text) => {
    const spent = async (body: string) => {
      const sofar = effortSince()
      check(await raw('POST', path, { ...api.bearer, ...headers }, body), body.slice(0, 60))
      return sofar()
    }
    const [short, long] = [text(length / 2), text(length)]
    await spent(short)
    // Twice the text may take twice as long; four times would be quadratic. A few milliseconds are noise, and on a busy
    // machine the fastest of many runs counts.
    let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < 3 || (round < 15 && longMs > 3 * shortMs + 15); round++) {
      shortMs = Math.min(shortMs, await spent(short))
      longMs = Math.min(longMs, await spent(long))
    }
    expect(longMs).toBeLessThan(3 * shortMs + 15)
  })
})

test('fuzzed calls reach no prototype, the sandbox still answers, and its ledger balances', async () => {
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  await alive()
})

test('a huge body is rejected without being stored, however it is sent', async () => {
  const huge = Buffer.alloc(20 * 1024 * 1024, 0x61)
  const { bearer } = await sandbox.api()
  for (const path of ['/v2/transactions/cashin', '/_sandbox/trigger']) {
    const replies = await Promise.all([1, 2, 3, 4].map(() => raw('POST', path, { ...bearer, ...json }, huge)))
    // Either the response, or a connection that was closed during the body.
    for (const { status } of replies) expect([0, 413]).toContain(status)
  }
  await alive()
})

afterAll(() => closeChecked(sandbox))
