/** The library's own calls of a sandbox in this process: to its app, without a socket. HTTP both ways was half of a test's CPU. */

import type { Answer, Send } from '../client/exchange.js'
import type { App } from '../http/app.js'
import type { Env } from '../http/host.js'
import type { HttpRequest } from '../http/messages.js'
import { responseText } from '../http/messages.js'
import { bodyLimits } from '../protocol/platform/limits.js'

/** Where a program has put another `fetch` in its place, to look at calls or to answer them, they go by that one. */
const systemFetch = globalThis.fetch

interface InProcess {
  send: Send
  /** Refuses further calls, as a closed port does, and lets those under way end, for at most so long. */
  close(graceMs: number): Promise<void>
}

export function callsInProcess(app: App): InProcess {
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false
  return {
    send(url, init) {
      if (globalThis.fetch !== systemFetch) return fetch(url, { ...init, redirect: 'manual' })
      if (isClosed) return Promise.reject(failure('ECONNREFUSED', 'the sandbox was closed'))
      const call = callApp(app, url, init)
      underWay.add(call)
      const end = () => underWay.delete(call)
      call.then(end, end)
      return call
    },
    async close(graceMs) {
      isClosed = true
      if (underWay.size === 0) return
      let timer: NodeJS.Timeout | undefined
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs)
      })
      await Promise.race([Promise.allSettled(underWay), late])
      clearTimeout(timer)
    },
  }
}

/** As `fetch` says it. */
const failure = (code: string, message: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

function callApp(app: App, url: string, init: RequestInit): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { signal } = init
    const leaving = new Set<() => void>()
    const leave = () => {
      for (const listener of leaving) listener()
      reject(signal?.reason)
    }
    if (signal?.aborted) return leave()
    signal?.addEventListener('abort', leave, { once: true })
    const target = url.slice(new URL(url).origin.length)
    const env: Env = {
      ip: '127.0.0.1',
      rawTarget: target,
      disconnect: () => reject(failure('UND_ERR_SOCKET', 'other side closed')),
      onDisconnect(listener) {
        leaving.add(listener)
        return () => leaving.delete(listener)
      },
    }
    answerOf(app, url, init, env)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', leave))
  })
}

async function answerOf(
  app: App,
  url: string,
  { method = 'GET', headers, body }: RequestInit,
  env: Env,
): Promise<Answer> {
  const all = new Headers(headers)
  all.set('Host', new URL(url).host)
  const bytes = typeof body === 'string' ? Buffer.from(body) : null
  if (bytes !== null) all.set('Content-Length', String(bytes.length))
  const wholeBody = async () => bytes ?? new Uint8Array()
  const arrayBuffer = async () => new Uint8Array(await wholeBody()).buffer
  // A larger body is read as a stream, after authentication.
  const isPlain = bytes === null ? body === undefined || body === null : bytes.length <= bodyLimits.beforeAuthBytes
  const direct: HttpRequest = { method, url, headers: all, body: null, wholeBody, arrayBuffer }
  const called = isPlain ? app.callDirectly(direct, env) : null
  if (called === null) {
    const request = new Request(url, { method, headers: all, body: body ?? null })
    const response = await app(bytes === null ? request : Object.assign(request, { wholeBody }), env)
    const { ok, status } = response
    return { ok, status, url, headers: response.headers, text: async () => responseText(response) }
  }
  const answer = await called
  const ok = answer.status >= 200 && answer.status < 300
  return { ok, status: answer.status, url, headers: new Headers(answer.headers), text: async () => answer.body }
}
