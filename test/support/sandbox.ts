/** A sandbox in this process, spoken to over HTTP only, with receivers for both accounts; every answer and event is checked. */
import { request } from 'undici'
import { expect } from 'vitest'
import * as z from 'zod'
import { type Endpoint, endpoints } from '../../src/protocol/platform/endpoints.js'
import { type Config, defaultConfig } from '../../src/protocol/settings/platform.js'
import type { SeedAccount } from '../../src/protocol/settings/seed-account.js'
import { openSandbox, type RunningSandbox } from '../../src/runtime/node/sandbox.js'
import { databaseDriver } from './database.js'
import { afterEveryTest } from './hooks.js'
import { errorSpec, utcMoment } from './interface.js'
import { errorBody, isJudged, judge, judgements, recordAnswer } from './judge.js'
import { note } from './noted.js'
import { openReceiver, type Receiver } from './receiver.js'
import { secretsOf, signatureOf } from './signing.js'
import { strictly } from './strict.js'
import { onWorkers, workersOpener } from './workers.js'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers by name, and fail where a name is missing
export type Body = any

interface Read {
  status: number
  headers: Headers
  text: string
}

export interface Answer extends Read {
  body: Body
  /** `data` of a success, `error.code` of a refusal. */
  data: Body
  code: string | undefined
}

export interface Api {
  username: string
  bearer: Record<string, string>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** A body that is text goes out as it is. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  signed(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  cashin(body: object, headers?: Record<string, string>): Promise<Answer>
  cashout(body: object, headers?: Record<string, string>): Promise<Answer>
  /** Of one currency, `{available, blocked, pending}`. */
  balance(currency: string): Promise<Body>
}

export interface TestSandbox {
  readonly url: string
  readonly running: RunningSandbox
  hooks: Receiver
  customerHooks: Receiver
  api(username?: string): Promise<Api>
  control(method: string, path: string, body?: unknown): Promise<Answer>
  trigger(action: string, id?: unknown, params?: object): Promise<Answer>
  /** Moves the manual clock; everything due, webhooks and their answers included, has happened afterwards. */
  advance(by: string | number): Promise<Body>
  /** Everything that is due now has happened, deliveries included. */
  settle(): Promise<void>
  /** Ends it and starts it again on the same database, at another address. */
  restart(): Promise<void>
  end(): Promise<void>
}

const opened: TestSandbox[] = []

afterEveryTest(async () => {
  for (const sandbox of opened.splice(0)) await closeChecked(sandbox)
})

/** Ends it, and fails where its books do not balance or anything was wrong with a webhook. */
export async function closeChecked({ control, end, hooks, customerHooks }: TestSandbox): Promise<void> {
  const ledger = await control('GET', '/ledger')
  await end()
  await Promise.all([hooks.close(), customerHooks.close()])
  expect(ledger.body.balanced, JSON.stringify(ledger.body)).toBe(true)
  expect(hooks.problems).toEqual([])
  expect(customerHooks.problems).toEqual([])
}

/** For all tests of a file, or a part of one: who opens it closes it, by `closeChecked`. */
export async function openForFile(config: Partial<Config> = {}, db?: string): Promise<TestSandbox> {
  const sandbox = await openTestSandbox(config, db)
  opened.splice(opened.indexOf(sandbox), 1)
  return sandbox
}

/** On a manual clock unless said otherwise, both accounts with a receiver; closed after the test, its ledger checked. */
export async function openTestSandbox(config: Partial<Config> = {}, db = ':memory:'): Promise<TestSandbox> {
  const hooks = await openReceiver(secretsOf('merchant').webhookSecret)
  const customerHooks = await openReceiver(secretsOf('customer').webhookSecret)
  const accounts: SeedAccount[] = [
    { username: 'merchant', credential: { postbackUrl: hooks.url } },
    { username: 'customer', credential: { postbackUrl: customerHooks.url } },
    ...(config.accounts ?? []),
  ]
  const given: Partial<Config> = { clock: 'manual', ...config, accounts }
  for (const name of Object.keys(given)) note('setting', name)
  const open = opener({ ...defaultConfig, ...given }, db)
  let there = await open()
  const control = (method: string, path: string, body?: unknown) => send(method, `${there.url}/_sandbox${path}`, body)
  const advance = async (by: string | number) => {
    const answer = await control('POST', '/clock/advance', { by })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const sandbox: TestSandbox = {
    get url() {
      return there.url
    },
    get running() {
      if (there.running === undefined) throw new Error('the sandbox is in no process that a test can look into')
      return there.running
    },
    hooks,
    customerHooks,
    api: (username = 'merchant') => openApi(there.url, username),
    control,
    trigger: (action, id, params = {}) => control('POST', '/trigger', { action, id, ...params }),
    advance,
    settle: async () => void (await advance(0)),
    async restart() {
      await there.close()
      there = await open()
    },
    end: () => there.close(),
  }
  opened.push(sandbox)
  return sandbox
}

interface There {
  url: string
  /** Where it is in this process. */
  running?: RunningSandbox
  close(): Promise<void>
}

/** Each that it opens is on the same database. */
function opener(config: Config, db: string): () => Promise<There> {
  if (onWorkers) return workersOpener(config, { db })
  return async () => {
    const running = await openSandbox({
      databaseDriver,
      host: '127.0.0.1',
      port: 0,
      db,
      adminToken: null,
      allowHosts: [],
      config,
    })
    return { url: running.url, running, close: () => running.close(0) }
  }
}

/**
 * Sends text as it is and everything else as JSON; `undefined` is no body. Answers of the faked API are checked in full.
 * A third of the work of `fetch`: tests make more calls than anything else.
 */
export async function send(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await request(url, {
    method,
    headers: { ...(text === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: text ?? null,
  })
  const told = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of [value ?? []].flat()) told.append(name, one)
  const answered = await answer.body.text()
  if (isJudged(told)) {
    judgements.push(judge(method, url, answer.statusCode, answered))
    await recordAnswer(method, url, answer.statusCode, answered, told.get('x-request-id') ?? '')
  }
  return readAnswer(method, url, { status: answer.statusCode, headers: told, text: answered })
}

export function readAnswer(method: string, url: string, { status, headers, text }: Read): Answer {
  const isJson = (headers.get('content-type') ?? '').startsWith('application/json')
  const body: Body = isJson ? JSON.parse(text) : text
  const answer = { status, headers, body, text, data: body?.data ?? body }
  const { pathname } = new URL(url)
  expect(headers.get('x-request-id'), `${method} ${pathname}`).toMatch(/^\S+$/)
  if (pathname.startsWith('/v2')) checkAnswer(method, pathname, answer)
  return { ...answer, code: body?.error?.code }
}

const envelope = (data: z.ZodType) =>
  z.strictObject({
    success: z.literal(true),
    data,
    request_id: z.string().min(1),
    timestamp: z.string().regex(utcMoment),
  })

const successSchemas = Object.values(endpoints).map((endpoint: Endpoint) => {
  const data = strictly(endpoint.response)
  return { ...endpoint, schema: endpoint.auth === 'basic' ? data : envelope(data) }
})

/** The envelope, field for field; the registry's schema in strict form; the row of the error table. */
function checkAnswer(method: string, path: string, { status, headers, body, text }: Omit<Answer, 'code'>): void {
  const told = `${method} ${path} ${status} ${text.slice(0, 500)}`
  expect(headers.get('content-type'), told).toMatch(/^application\/json/)
  if (status < 400) {
    const endpoint = successSchemas.find((one) => one.path === path && one.method === method)
    const result = endpoint?.schema.safeParse(body)
    expect(result?.success, `${told}\n${result?.error === undefined ? '' : z.prettifyError(result.error)}`).toBe(true)
    expect(body.request_id ?? body.meta.request_id, told).toBe(headers.get('x-request-id'))
    return
  }
  expect(errorBody.safeParse(body).error?.message, told).toBeUndefined()
  const { code, group, retryable, details } = body.error
  const row = errorSpec[code]
  expect([status, group, retryable], told).toEqual(row?.slice(0, 3))
  for (const name of row?.[3] ?? []) expect(details, told).toHaveProperty([name])
}

export const basicOf = (clientId: string, clientSecret: string) => ({
  Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
})

export const requestToken = (url: string, headers: Record<string, string>, body: unknown = tokenBody) =>
  send('POST', `${url}/v2/oauth/token`, body, headers)

const tokenBody = { grant_type: 'client_credentials' }

async function openApi(url: string, username: string): Promise<Api> {
  const { clientId, clientSecret, signingKey } = secretsOf(username)
  const token = await requestToken(url, basicOf(clientId, clientSecret))
  return apiWith(url, token.body.access_token, signingKey, username)
}

/** A client with this token and key. */
export function apiWith(url: string, token: string, signingKey: string, username = 'merchant'): Api {
  const bearer = { Authorization: `Bearer ${token}` }
  const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))
  const api: Api = {
    username,
    bearer,
    get: (path, headers) => send('GET', url + path, undefined, { ...bearer, ...headers }),
    post: (path, body, headers) => send('POST', url + path, body, { ...bearer, ...headers }),
    signed: (path, body, headers) =>
      send('POST', url + path, textOf(body), { ...bearer, ...signatureOf(signingKey, textOf(body)), ...headers }),
    cashin: (body, headers) => api.post('/v2/transactions/cashin', body, headers),
    cashout: (body, headers) => api.signed('/v2/transactions/cashout', body, headers),
    async balance(currency) {
      const { data } = await api.get('/v2/account/balance')
      const { available, blocked, pending } = data.balances.find((row: Body) => row.currency === currency)
      return { available, blocked, pending }
    },
  }
  return api
}
