/** A platform that deviates: a sandbox with other settings behind proxies that change answers and webhooks. Each deviation is found once. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { differing, findingsOf, probeSandbox } from '../support/probed.js'

// biome-ignore lint/suspicious/noExplicitAny: a deviation changes any field
type Json = any

interface Passing {
  /** `POST /v2/transactions/cashin`, or the name of an event. */
  name: string
  headers: Record<string, string>
  body: Json
}

/** Passes calls on, and changes what `change` wants: answers, or the requests that are webhooks. */
async function openProxy(target: string, ofRequests: boolean, change: (passing: Passing) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const changed = (name: string, headers: Record<string, string>, content: string) => {
      const passing = { name, headers, body: content === '' ? {} : JSON.parse(content) }
      change(passing)
      return { headers: passing.headers, text: content === '' ? '' : JSON.stringify(passing.body) }
    }
    const sent = { headers: plain(request.headers), text }
    const { headers, text: body } = ofRequests ? changed(JSON.parse(text).event, sent.headers, text) : sent
    const answer = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers,
      body: request.method === 'GET' ? null : body,
    })
    const content = await answer.text()
    const own = { headers: Object.fromEntries(answer.headers), text: content }
    const name = `${request.method} ${request.url?.split('?')[0]}`
    const back = ofRequests ? own : changed(name, own.headers, content)
    delete back.headers['content-length']
    response.writeHead(answer.status, back.headers).end(back.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function plain({ host: _host, connection: _connection, 'content-length': _length, ...headers }: IncomingHttpHeaders) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

const rename = (fields: Json, from: string, to: string) => {
  fields[to] = fields[from]
  delete fields[from]
}

const charge = 'POST /v2/transactions/cashin'

interface Deviation {
  found: [verdict: string, call: string, path: string]
  plant(passing: Passing): void
}

const at =
  (name: string, change: (body: Json) => unknown, has: (body: Json) => unknown = () => true) =>
  (passing: Passing) => {
    if (passing.name === name && has(passing.body)) change(passing.body)
  }
const isData = ({ data }: Json) => data
const codeOf = ({ error }: Json) => error?.code

const inAnswers: Deviation[] = [
  {
    found: ['documentation_wrong', charge, 'data.created_at'],
    plant: at(charge, ({ data }) => delete data.created_at, isData),
  },
  {
    found: ['unknown_field', 'GET /v2/account/fees', 'data.valid_until'],
    plant: at('GET /v2/account/fees', ({ data }) => Object.assign(data, { valid_until: '2027-01-01' }), isData),
  },
  {
    found: ['documentation_wrong', charge, 'data.payment_method'],
    plant: at(
      charge,
      ({ data }) => Object.assign(data, { payment_method: 'PIX' }),
      ({ data }) => data?.currency === 'BRL',
    ),
  },
  {
    found: ['documentation_wrong', charge, 'error.details.supported'],
    plant: at(
      charge,
      ({ error }) => delete error.details.supported,
      (body) => codeOf(body) === 'UNSUPPORTED_CHAIN',
    ),
  },
  {
    found: ['documentation_wrong', 'POST /v2/oauth/token', 'expires_in'],
    plant: at(
      'POST /v2/oauth/token',
      (body) => Object.assign(body, { expires_in: '3600' }),
      (body) => body.access_token,
    ),
  },
  {
    found: ['documentation_wrong', 'POST /v2/internal_transfers/payment', 'error.code'],
    plant: at(
      'POST /v2/internal_transfers/payment',
      ({ error }) => Object.assign(error, { code: 'SIGNATURE_ABSENT' }),
      (body) => codeOf(body) === 'MISSING_SIGNATURE',
    ),
  },
  {
    found: ['assumption_wrong', 'GET /v2/account/profile', 'data.name'],
    plant: at('GET /v2/account/profile', ({ data }) => delete data.name, isData),
  },
  {
    found: ['unknown_field', 'GET /v2/account/limits', 'data.updated_at'],
    plant: at('GET /v2/account/limits', ({ data }) => Object.assign(data, { updated_at: '2026-11-21' }), isData),
  },
  {
    found: ['assumption_wrong', 'POST /v2/transactions/wallet', 'data.currency_type'],
    plant: at('POST /v2/transactions/wallet', ({ data }) => rename(data, 'currency_type', 'kind'), isData),
  },
  {
    found: ['assumption_wrong', 'POST /v2/oauth/token', 'headers.X-Request-Id'],
    plant: ({ headers }) => void delete headers['x-request-id'],
  },
]

const inWebhooks: Deviation[] = [
  {
    found: ['documentation_wrong', 'wallet.created', 'data.currency_type'],
    plant: at('wallet.created', ({ data }) => delete data.currency_type),
  },
  {
    found: ['unknown_field', 'cashout.confirmed', 'data.channel'],
    plant: at('cashout.confirmed', ({ data }) => Object.assign(data, { channel: 'instant' })),
  },
  {
    found: ['documentation_wrong', 'cashout.failed', 'data.wallet'],
    plant: at('cashout.failed', ({ data }) => rename(data, 'wallet', 'destination')),
  },
  {
    found: ['documentation_wrong', 'conversion.confirmed', 'data.amount_to'],
    plant: at('conversion.confirmed', ({ data }) => Object.assign(data, { amount_to: Number(data.amount_to) })),
  },
  {
    found: ['documentation_wrong', 'wallet.created', 'headers.User-Agent'],
    plant: ({ headers }) => void Object.assign(headers, { 'user-agent': 'Platform/3' }),
  },
]

test('each of 15 deviations and of 5 settings of a platform is found once, with its verdict', async () => {
  const settings = {
    pixChargeLife: '15m',
    equalCurrencies: 'INVALID_VALUE',
    pageSize: 20,
    quoteLife: '2m',
    belowMinimum: 'INVALID_AMOUNT',
  } as const
  const report = await probeSandbox(
    { ...settings, cashoutSettle: '150ms' },
    {
      without: ['retries'],
      config: { cashoutSettle: 'auto', cashoutSettleMs: 150 },
      proxy: (url) => openProxy(url, false, (passing) => inAnswers.forEach(({ plant }) => void plant(passing))),
      webhookProxy: (url) => openProxy(url, true, (passing) => inWebhooks.forEach(({ plant }) => void plant(passing))),
    },
  )
  const found = findingsOf(report)
  const places = found.filter(({ setting }) => setting === null).map(({ verdict, call, path }) => [verdict, call, path])
  expect(places.sort(), JSON.stringify(found, null, 1)).toEqual(
    [...inAnswers, ...inWebhooks].map((one): string[] => one.found).sort(),
  )
  const named = found.flatMap(({ setting }) => setting ?? []).sort()
  expect(named).toEqual(['below_minimum', 'equal_currencies', 'page_size', 'pix_charge_life', 'quote_life'])
  expect(differing(report).length).toBeGreaterThan(15)
  const { core, errors, limits, webhooks } = report.divergence
  for (const figure of [core, errors, limits, webhooks]) expect(figure?.differs).toBeGreaterThan(0)
  expect(report.status).toBe('complete')
})
