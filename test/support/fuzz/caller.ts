/** Calls a sandbox with any input and checks the response. */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { setTimeout as pause } from 'node:timers/promises'
import { errors, Pool } from 'undici'
import { errorCatalogue } from '../../../src/protocol/platform/errors.js'
import { oneOf } from '../chance.js'
import { basicOf } from '../client.js'
import { type Body, control } from '../http.js'
import { secretsOf, signatureOf } from '../signing.js'
import { hostileJson, mangled } from './hostile.js'
import type { FuzzRoute } from './routes.js'
import { jsonOf } from './shapes.js'

/** An input that can be sent again. */
export interface Input {
  route: string
  path: string
  body: string | null
  type?: string
}

export interface Reported {
  status: number
  /** The kind of the response: its status, code, field and rule. */
  outcome: string
  tookMs: number
  fault: string | null
}

export const slowMs = 1000

export interface Caller {
  /** Creates a new input, or changes one of the corpus. */
  invent(route: FuzzRoute, corpus: readonly Input[]): Input
  /** `signal` aborts waiting for the response. */
  call(route: FuzzRoute, input: Input, signal?: AbortSignal): Promise<Reported>
  /** Gets a new token and forgets known ids, after a reset. */
  renew(): Promise<void>
  /** Ends chaos and armed scenarios, which random calls have begun and which may delay or drop responses. */
  endFaults(): Promise<void>
  close(): Promise<void>
}

/** Whether a test configures the response: an inbox may answer after up to a minute. */
export const answersAsPlanned = ({ method, path }: FuzzRoute): boolean =>
  method === 'POST' && path === '/_sandbox/inbox/{name}'

const isReset = ({ path }: FuzzRoute) => /reset|restore/.test(path)

/** Returns the error of a connection that the sandbox has closed, or of a late response, and throws any other error. */
function disturbed(error: unknown): Error {
  if (error instanceof errors.SocketError || error instanceof errors.HeadersTimeoutError) return error
  throw error
}

/** A later response was delayed by chaos or by a scenario, or the sandbox hangs. */
const longestMs = 20_000

/** Follows the calls that chaos or a scenario delays: the stream names them at once, the request log when their delay is over. */
function followDelays(url: string) {
  const delays: { target: string | null; seenMs: number }[] = []
  const seenRuns = new Set<string>()
  const end = new AbortController()
  const isDelayedBy = async (runId: string) => {
    if (seenRuns.has(runId)) return false
    seenRuns.add(runId)
    const { body: run } = await control(url)('GET', `/runs/${runId}`)
    // A reset may have deleted the run, but not the delay.
    return run.steps?.some(({ step }: Body) => step === 'latency') ?? true
  }
  const note = async ({ type, id, status, target = null }: Body) => {
    const isDelay = type === 'chaos' ? status === 'slow' : await isDelayedBy(id)
    if (isDelay) delays.push({ target, seenMs: performance.now() })
  }
  const follow = async () => {
    while (!end.signal.aborted) {
      const { body } = await fetch(`${url}/_sandbox/stream?types=chaos,run`, { signal: end.signal })
      if (body === null) throw new Error('the stream has no body')
      // The types of Node's web streams differ from those of the browser.
      const input = Readable.fromWeb(body as NodeReadableStream)
      for await (const line of createInterface({ input }))
        if (line.startsWith('data:')) await note(JSON.parse(line.slice('data:'.length)))
    }
  }
  const following = follow().catch((error) => {
    if (!end.signal.aborted) throw error
  })
  return {
    /** Whether a call of this endpoint was delayed since then. Each delay counts once. */
    take({ method, path }: FuzzRoute, sinceMs: number): boolean {
      const isOf = (target: string | null) => target === null || target === `${method} ${path}`
      const at = delays.findIndex(({ target, seenMs }) => seenMs >= sinceMs && isOf(target))
      return at >= 0 && delays.splice(at, 1).length > 0
    },
    async close() {
      end.abort()
      await following
    },
  }
}

/** Finds calls in the request log by what chaos or a scenario did to them. Each counts once. */
function faultsInLog(url: string) {
  const taken = new Set<string>()
  return {
    async take({ path }: Input, isSought: (fault: string) => boolean): Promise<boolean> {
      // The log entry follows the fault.
      for (let left = 20; left > 0; left--) {
        const { body } = await control(url)('GET', '/requests?limit=500')
        const found = body.data.find(
          (one: Body) =>
            one.faults?.some(isSought) && !taken.has(one.request_id) && one.path.split('?')[0] === path.split('?')[0],
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

/** Hostile path segments. */
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
  const endFaults = async () => {
    const { body: scenarios } = await control(url)('GET', '/scenarios')
    await control(url)('DELETE', '/chaos')
    for (const { name } of scenarios.data.filter((one: Body) => one.armed.length > 0))
      await control(url)('DELETE', `/scenarios/${encodeURIComponent(name)}/arm`)
  }
  const openToken = async () => {
    const { clientId, clientSecret } = secretsOf('merchant')
    const headers = { ...basicOf(clientId, clientSecret), 'Content-Type': 'application/json' }
    const body = JSON.stringify({ grant_type: 'client_credentials' })
    for (let left = 10; ; left--) {
      await endFaults()
      const request = { method: 'POST', path: '/v2/oauth/token', headers, body, headersTimeout: longestMs } as const
      const answer = await pool.request(request).catch(disturbed)
      if (answer instanceof Error && left > 0) continue
      if (answer instanceof Error) throw answer
      bearer = { Authorization: `Bearer ${((await answer.body.json()) as Body).access_token}` }
      return
    }
  }
  const renew = async () => {
    ids.splice(known.length)
    await openToken()
  }
  await renew()
  const log = faultsInLog(url)
  const delays = followDelays(url)
  /** The number of resets. A reset deletes the request log. */
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
    endFaults,
    async close() {
      await delays.close()
      await pool.close()
    },
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
      const isInLog = (fault: string) => log.take(input, (found) => found.startsWith(fault))
      if (isReset(route)) states++
      const request = { method: route.method, path: input.path, body: input.body, headers: headersOf(route, input) }
      const answer = await pool
        .request({ ...request, ...(signal === undefined ? { headersTimeout: longestMs } : { signal }) })
        .catch(disturbed)
      if (answer instanceof errors.HeadersTimeoutError) {
        await endFaults()
        const fault = delays.take(route, startedMs) ? null : `no response after ${longestMs} ms`
        return { status: 0, outcome: 'delayed', tookMs: 0, fault }
      }
      if (answer instanceof Error) {
        // An uploaded scenario may have dropped the response.
        const isAsked = signal === undefined && ((await isInLog('disconnect')) || states > stateBefore)
        if (!isAsked) throw new Error(`${route.name} ${JSON.stringify(request)}`, { cause: answer })
        return { status: 0, outcome: 'dropped', tookMs: 0, fault: null }
      }
      if (isReset(route)) states++
      const text = await answer.body.text()
      const tookMs = performance.now() - startedMs
      const status = answer.statusCode
      if (status < 400) remember(text)
      if (status === 401 && route.auth === 'bearer') await openToken()
      if (answersAsPlanned(route) && !text.includes('"error"'))
        return { status, outcome: 'as planned', tookMs: 0, fault: null }
      const { fault, called } = judge(status, text)
      // Chaos that a random call began answers with this error. A reset deletes the log that shows it.
      if (called.startsWith('SERVICE_UNAVAILABLE') && ((await isInLog('respond: 503')) || states > stateBefore))
        return { status, outcome: 'injected', tookMs: 0, fault: null }
      return { status, outcome: `${status} ${called}`, tookMs, fault }
    },
  }
}

/** Returns the fault of a response: an invalid error body, or an internal error of the sandbox. */
function judge(status: number, text: string): { fault: string | null; called: string } {
  if (status < 400) return { fault: null, called: '' }
  try {
    const { success, error } = JSON.parse(text)
    const { code, message, group, retryable, details } = error
    const isWhole =
      success === false && [message, group].every((one) => typeof one === 'string') && typeof retryable === 'boolean'
    const called = `${code} ${details?.field ?? ''} ${details?.rule ?? ''}`.slice(0, 120)
    // A scenario may answer with PROVIDER_ERROR, which is not a fault of the sandbox.
    const isOurs =
      (status >= 500 && code !== 'PROVIDER_ERROR') || ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'].includes(code)
    return { fault: isOurs || !isWhole || !(code in errorCatalogue) ? text.slice(0, 400) : null, called }
  } catch {
    return { fault: `invalid error body: ${text.slice(0, 400)}`, called: '' }
  }
}
