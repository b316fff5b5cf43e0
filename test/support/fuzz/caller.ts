/** Calls a sandbox with anything, and says what is wrong with its answer. */
import { setTimeout as pause } from 'node:timers/promises'
import { errors, Pool } from 'undici'
import { errorCatalogue } from '../../../src/protocol/platform/errors.js'
import { oneOf } from '../chance.js'
import { basicOf, openClient } from '../client.js'
import { type Body, control } from '../http.js'
import { secretsOf, signatureOf } from '../signing.js'
import { hostileJson, mangled } from './hostile.js'
import type { FuzzRoute } from './routes.js'
import { jsonOf } from './shapes.js'

/** One input, as it can be sent again. */
export interface Input {
  route: string
  path: string
  body: string | null
  type?: string
}

export interface Reported {
  status: number
  /** What the answer is called: its status, code and the rule that it names. */
  outcome: string
  tookMs: number
  fault: string | null
}

export const slowMs = 1000

export interface Caller {
  /** A new one, or one of the corpus with something changed. */
  invent(route: FuzzRoute, corpus: readonly Input[]): Input
  /** `signal` gives up waiting for the answer. */
  call(route: FuzzRoute, input: Input, signal?: AbortSignal): Promise<Reported>
  /** After a reset. */
  renew(): Promise<void>
  close(): Promise<void>
}

/** An inbox answers as planned, after up to a minute. */
export const answersAsPlanned = ({ method, path }: FuzzRoute): boolean =>
  method === 'POST' && path === '/_sandbox/inbox/{name}'

const beginsAnew = ({ path }: FuzzRoute) => /reset|restore/.test(path)

/** A connection that the other side has closed, as an error to look at; whatever else went wrong is thrown. */
function broken(error: unknown): Error {
  if (error instanceof errors.SocketError) return error
  throw error
}

/** Calls that a scenario has dropped, as the log tells; each counts once. */
function dropsOf(url: string) {
  const taken = new Set<string>()
  return {
    async take({ path }: Input): Promise<boolean> {
      // It is logged behind the drop.
      for (let left = 20; left > 0; left--) {
        const { body } = await control(url)('GET', '/requests?limit=500')
        const found = body.data.find(
          (one: Body) =>
            one.faults?.some((fault: string) => fault.startsWith('disconnect')) &&
            !taken.has(one.request_id) &&
            one.path.split('?')[0] === path.split('?')[0],
        )
        if (found !== undefined) {
          taken.add(found.request_id)
          return true
        }
        await pause(50)
      }
      return false
    },
  }
}

/** What nobody should write in a place of a path. */
export const hostileParts: readonly [string, ...string[]] = [
  'x',
  '0',
  '-1',
  '%00',
  '%ff',
  '..',
  '__proto__',
  'a'.repeat(300),
  '%F0%9F%8E%89',
  "'",
  '%2F',
  'null',
]

export async function openCaller(url: string, chance: () => number): Promise<Caller> {
  const pool = new Pool(url, { connections: 64 })
  const known = ['customer', 'merchant', 'pix-paid', 'x', 'demo', 'BRL']
  const ids = [...known]
  let bearer: Record<string, string> = {}
  const renew = async () => {
    ids.splice(known.length)
    bearer = (await openClient(url)).bearer
  }
  await renew()
  const drops = dropsOf(url)
  /** Counts states: what is logged of one is gone with it. */
  let states = 0

  const remember = (text: string) => {
    for (const match of text.slice(0, 4000).matchAll(/"(?:\w*id|name|username)":"([\w.:-]{1,60})"/g))
      ids.push(match[1] ?? '')
    if (ids.length > 200) ids.splice(known.length, ids.length - 150)
  }
  const part = () => encodeURIComponent(ids[Math.floor(chance() * ids.length)] ?? 'x')
  const queryOf = ({ query }: FuzzRoute) =>
    Object.keys(query?.properties ?? { limit: 0 })
      .filter(() => chance() < 0.3)
      .map(
        (name) =>
          `${name}=${encodeURIComponent(oneOf(chance, ['1', 'BRL', oneOf(chance, hostileJson)]).slice(0, 500))}`,
      )
      .join('&')
  const addressOf = (route: FuzzRoute) => {
    const path = route.path.replaceAll(/\{[a-z_]+\}/g, () => (chance() < 0.8 ? part() : oneOf(chance, hostileParts)))
    const query = route.method === 'GET' ? queryOf(route) : ''
    return query === '' ? path : `${path}?${query}`
  }
  const fresh = (route: FuzzRoute) =>
    route.body === null ? null : jsonOf({ schema: route.body, chance, ids, wrong: oneOf(chance, [0, 0.05, 0.3]) })

  const headersOf = ({ auth }: FuzzRoute, { body, type }: Input) => {
    const { clientId, clientSecret, signingKey } = secretsOf('merchant')
    return {
      ...(auth === 'bearer' ? { ...bearer, ...signatureOf(signingKey, body ?? '') } : {}),
      ...(auth === 'basic' ? basicOf(clientId, clientSecret) : {}),
      ...(body === null ? {} : { 'Content-Type': type ?? 'application/json' }),
    }
  }
  return {
    renew,
    close: () => pool.close(),
    invent(route, corpus) {
      const kept = corpus[Math.floor(chance() * corpus.length * 2)]
      if (kept !== undefined)
        return { ...kept, path: addressOf(route), body: kept.body === null ? null : mangled(kept.body, chance) }
      const body = fresh(route)
      return {
        route: route.name,
        path: addressOf(route),
        body: body !== null && chance() < 0.15 ? mangled(body, chance) : body,
      }
    },
    async call(route, input, signal) {
      const startedMs = performance.now()
      const stateBefore = states
      if (beginsAnew(route)) states++
      const request = { method: route.method, path: input.path, body: input.body, headers: headersOf(route, input) }
      const answer = await pool.request({ ...request, ...(signal === undefined ? {} : { signal }) }).catch(broken)
      if (answer instanceof Error) {
        // An uploaded scenario may have asked for it.
        const isAsked = signal === undefined && ((await drops.take(input)) || states > stateBefore)
        if (!isAsked) throw new Error(`${route.name} ${JSON.stringify(request)}`, { cause: answer })
        return { status: 0, outcome: 'dropped', tookMs: 0, fault: null }
      }
      if (beginsAnew(route)) states++
      const text = await answer.body.text()
      const tookMs = performance.now() - startedMs
      const status = answer.statusCode
      if (status < 400) remember(text)
      if (status === 401 && route.auth === 'bearer') bearer = (await openClient(url)).bearer
      if (answersAsPlanned(route) && !text.includes('"error"'))
        return { status, outcome: 'as planned', tookMs: 0, fault: null }
      const { fault, called } = read(status, text)
      return { status, outcome: `${status} ${called}`, tookMs, fault }
    },
  }
}

/** A success, or the error body with a code of the catalogue; nothing of the sandbox's own faults. */
function read(status: number, text: string): { fault: string | null; called: string } {
  if (status < 400) return { fault: null, called: '' }
  try {
    const { success, error } = JSON.parse(text)
    const { code, message, group, retryable, details } = error
    const isWhole =
      success === false && [message, group].every((one) => typeof one === 'string') && typeof retryable === 'boolean'
    const called = `${code} ${details?.field ?? ''} ${details?.rule ?? ''}`.slice(0, 120)
    // What a scenario answers in the place of the provider is none of the sandbox's faults.
    const isOurs =
      (status >= 500 && code !== 'PROVIDER_ERROR') || ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'].includes(code)
    return { fault: isOurs || !isWhole || !(code in errorCatalogue) ? text.slice(0, 400) : null, called }
  } catch {
    return { fault: `no error body: ${text.slice(0, 400)}`, called: '' }
  }
}
