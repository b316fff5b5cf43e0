/** A sandbox in this process over real HTTP, and the few calls that tests of the control API need. */

import { type Config, defaultConfig } from '../../src/protocol/settings/platform.js'
import { openSandbox, type RunningSandbox, type SandboxOptions } from '../../src/runtime/node/sandbox.js'
import { databaseDriver } from './database.js'
import { afterEveryTest } from './hooks.js'
import { secretsOf, signatureOf } from './signing.js'
import { onWorkers, openOnWorkers, type There } from './workers.js'

const cleanups: (() => unknown)[] = []
afterEveryTest(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Is called after the test; what was named last, first. */
export const closeAfter = (cleanup: () => unknown): void => void cleanups.push(cleanup)

/** Closed after the test. */
export async function open(
  config: Partial<Config> = {},
  options: Partial<Omit<SandboxOptions, 'config'>> = {},
): Promise<RunningSandbox> {
  if (onWorkers) return elsewhere(await openOnWorkers({ ...defaultConfig, ...config }, options))
  const sandbox = await openSandbox({
    databaseDriver,
    host: '127.0.0.1',
    port: 0,
    db: ':memory:',
    adminToken: null,
    allowHosts: [],
    ...options,
    config: { ...defaultConfig, ...config },
  })
  cleanups.push(() => sandbox.close(0))
  return sandbox
}

/** One under workerd, known by its address alone. */
function elsewhere({ url, close }: There): RunningSandbox {
  cleanups.push(close)
  const inside = (): never => {
    throw new Error('the sandbox is in no process that a test can look into')
  }
  return {
    url,
    close,
    adminToken: null,
    adminTokenIsRotated: false,
    onWorkspace: inside,
    get host() {
      return inside()
    },
    get workspace() {
      return inside()
    },
  }
}

/** What an answer holds, read without ceremony. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers by name, and fail where a name is missing
export type Body = any

export interface Answer {
  status: number
  body: Body
  headers: Headers
}

export async function send(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  const parsed: Body = text === '' ? null : type.startsWith('application/json') ? JSON.parse(text) : text
  return { status: answer.status, body: parsed, headers: answer.headers } satisfies Answer
}

/** Calls of the control API of one base URL. */
export const control = (base: string) => (method: string, path: string, body?: unknown) =>
  send(method, `${base}/_sandbox${path}`, body)

/** An integrator's client of the faked API. */
export async function integrator(base: string, username = 'merchant') {
  const { clientId, clientSecret, signingKey } = secretsOf(username)
  const token = await send(
    'POST',
    `${base}/v2/oauth/token`,
    { grant_type: 'client_credentials' },
    { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
  )
  const bearer = { Authorization: `Bearer ${token.body.access_token}` }
  const signed = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send('POST', base + path, body, { ...bearer, ...signatureOf(signingKey, JSON.stringify(body)), ...headers })
  return {
    bearer,
    get: (path: string) => send('GET', base + path, undefined, bearer),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      send('POST', base + path, body, { ...bearer, ...headers }),
    signed,
    charge: async (more: Record<string, unknown> = {}): Promise<string> => {
      const made = await send(
        'POST',
        `${base}/v2/transactions/cashin`,
        { amount: 25.5, currency: 'BRL', ...more },
        bearer,
      )
      return made.body.data.transaction_id
    },
    /** By PIX; it settles by itself. */
    withdraw: async (external_id: string): Promise<string> => {
      const body = { external_id, amount: 1, currency: 'BRL', key: '52998224725', key_type: 'cpf' }
      const made = await signed('/v2/transactions/cashout', body)
      return made.body.data.transaction_id
    },
  }
}

/** Asks until it holds; fails with what was last seen after half a minute. */
export async function eventually<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const until = Date.now() + 30_000
  for (;;) {
    const seen = await look()
    if (holds(seen)) return seen
    if (Date.now() > until) throw new Error(`It never came true; last seen: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
