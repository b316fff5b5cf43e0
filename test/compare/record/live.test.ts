/** A second sandbox as the platform, behind a proxy that changes messages: the recorder records it, and each difference is one finding. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { Send } from '../../../src/client/exchange.js'
import { startSandbox } from '../../../src/testing/index.js'
import { compareText, differences } from '../../support/compared.js'
import { closeAfter } from '../../support/hooks.js'
import type { Body } from '../../support/http.js'
import { plainFetch } from '../../support/plain-fetch.js'
import { playCharges, playErrors, playerOf, playTransfers } from '../../support/recorded-traffic.js'
import { openTestRecorder } from '../../support/recorder.js'

interface Passing {
  /** The path of a call, or the name of an event. */
  what: string
  status: number
  headers: Record<string, string>
  body: Body
}

interface Deviation {
  what: string
  /** Returns false if it does not apply to this message. */
  plant(message: Passing): boolean | undefined
  found: [verdict: string, call: string, path: string]
}

const at = (name: string) => `/v2/${name}`
const field =
  (change: (data: Body) => void) =>
  ({ body }: Passing) =>
    body.data === undefined ? false : void change(body.data)

const deviations: Deviation[] = [
  {
    what: at('transactions/cashin'),
    plant: field((data) => {
      data.fees = data.fee
      delete data.fee
    }),
    found: ['documentation_wrong', 'POST /v2/transactions/cashin', 'data.fee'],
  },
  {
    what: at('conversions/rate'),
    plant: field((data) => {
      data.amount = '100.00'
    }),
    found: ['assumption_wrong', 'POST /v2/conversions/rate', 'data.amount'],
  },
  {
    what: at('transactions/wallet'),
    plant: (message) => {
      // The call before has renewed an expired token.
      if (message.status !== 200) return false
      message.status = 201
    },
    found: ['assumption_wrong', 'POST /v2/transactions/wallet', 'status'],
  },
  {
    what: at('conversions/new'),
    plant: field((data) => {
      data.partner = 'x'
    }),
    found: ['unknown_field', 'POST /v2/conversions/new', 'data.partner'],
  },
  {
    what: at('conversions/simulate'),
    plant: ({ headers }) => void delete headers['x-request-id'],
    found: ['assumption_wrong', 'POST /v2/conversions/simulate', 'headers.X-Request-Id'],
  },
  {
    what: at('transactions/cashin'),
    plant: ({ body }) => {
      if (body.error?.code !== 'UNSUPPORTED_CHAIN') return false
      body.error.code = 'WRONG_CHAIN'
    },
    found: ['documentation_wrong', 'POST /v2/transactions/cashin', 'error.code'],
  },
  {
    what: at('internal_transfers/payment'),
    plant: field((data) => {
      data.confirmed_at = data.confirmed_at.replace('Z', '+01:00')
    }),
    found: ['assumption_wrong', 'POST /v2/internal_transfers/payment', 'data.confirmed_at'],
  },
  {
    what: 'cashin.refunded',
    plant: field((data) => {
      data.amount = null
    }),
    found: ['documentation_wrong', 'cashin.refunded', 'data.amount'],
  },
  {
    what: 'cashin.expired',
    plant: ({ headers }) => void Object.assign(headers, { 'user-agent': 'Hooks/1' }),
    found: ['documentation_wrong', 'cashin.expired', 'headers.User-Agent'],
  },
  {
    what: 'conversion.refunded',
    plant: field((data) => {
      data.ticket = 7
    }),
    found: ['unknown_field', 'conversion.refunded', 'data.ticket'],
  },
]

/** Forwards messages. Each deviation changes the first message that it applies to. */
async function openDeviating(target: string, left: Deviation[], isLost: (event: string) => boolean): Promise<string> {
  const change = (message: Passing) => {
    const here = left.filter(({ what, plant }) => what === message.what && plant(message) !== false)
    for (const one of here) left.splice(left.indexOf(one), 1)
  }
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const event = request.headers['x-webhook-event']
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>
    const incoming = { what: String(event), status: 0, headers, body: parsed(text) }
    if (event !== undefined && isLost(String(event))) return void response.end()
    if (event !== undefined) change(incoming)
    const url = event === undefined ? target + request.url : target
    const sent = event === undefined ? text : JSON.stringify(incoming.body)
    const answer = await plainFetch(url, { method: request.method ?? '', headers, body: sent === '' ? null : sent })
    const outgoing = {
      ...{ what: request.url ?? '', status: answer.status, headers: Object.fromEntries(answer.headers) },
      body: parsed(await answer.text()),
    }
    if (event === undefined) change(outgoing)
    const {
      'content-length': _length,
      connection: _connection,
      'transfer-encoding': _encoding,
      ...kept
    } = outgoing.headers
    response.writeHead(outgoing.status, kept).end(JSON.stringify(outgoing.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfter(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const parsed = (text: string): Body => (text === '' ? {} : JSON.parse(text))

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** The client expects responses of a sandbox. */
const tolerant: Send = async (url, init) => {
  const answer = await plainFetch(url, init)
  const get = (name: string) => answer.headers.get(name) ?? (/request-id/i.test(name) ? 'req_0' : null)
  return { ok: answer.ok, status: answer.status, url, headers: { get }, text: () => answer.text() }
}

test('differences of a running platform are recorded, and each is found once', async () => {
  await using sandbox = await startSandbox({ clock: 'manual', seed: 'platform' })
  await using receiver = await sandbox.receiver()
  const left = [...deviations]
  const calls = await openDeviating(sandbox.url, left, () => false)
  const recorder = await openTestRecorder(calls, receiver.url)
  const hooks = await openDeviating(recorder.webhooksUrl ?? '', left, (event) => event === 'wallet.created')
  await sandbox.configure('merchant', { postback_url: hooks })
  const player = playerOf(sandbox, recorder.url, tolerant)
  for (const play of [playCharges, playTransfers, playErrors]) await play(player)
  await recorder.end()
  expect(left).toEqual([])
  const found = differences(await compareText(await recorder.text()))
  const expected = deviations.map(({ found: one }) => one)
  const lost = ['documentation_wrong', 'wallet.created', 'event']
  expect(found.map(({ verdict, call, path }) => [verdict, call, path]).sort()).toEqual([...expected, lost].sort())
})
