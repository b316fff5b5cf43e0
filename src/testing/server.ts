/**
 * Starts the server for `startSandbox`, and calls it without a socket: HTTP both ways was half of a test's CPU. Loaded
 * only when a sandbox is started.
 */
import { StartError } from '../client/errors.js'
import type { Answer, Send } from '../client/exchange.js'
import { features } from '../features/node.js'
import type { App } from '../http/app.js'
import type { Env } from '../http/host.js'
import { type HttpRequest, responseText } from '../http/messages.js'
import { bodyLimits, megabyte } from '../protocol/platform/limits.js'
import { readInputFile, UnusableFile } from '../runtime/node/files/input.js'
import { openSandbox } from '../runtime/node/sandbox.js'
import { checkBeforeOpening, explainStartError } from '../runtime/node/start-errors.js'
import { configOfOptions, startedWithOptions } from './config.js'
import type { StartOptions } from './options.js'

interface OpenServer {
  url: string
  /** What calls from this process go out by. */
  send: Send
  adminToken: string | null
  close(graceMs: number): Promise<void>
}

const routes = features.flatMap((one) => one.routes ?? [])

/** Throws `UsageError` for wrong options, `StartError` if the database, the scenarios, the snapshot or the port cannot be used. */
export async function openServer(options: StartOptions): Promise<OpenServer> {
  const config = configOfOptions(options)
  const {
    db = ':memory:',
    host = '127.0.0.1',
    port = 0,
    adminToken,
    allowHosts = [],
    scenarios,
    arm = [],
    snapshot,
    databaseDriver,
    durability,
    maxImportMb,
  } = options
  const where = { host, port, db }
  try {
    await checkBeforeOpening(where)
    const running = await openSandbox({
      ...where,
      adminToken: adminToken ?? null,
      allowHosts,
      scenariosDir: scenarios ?? null,
      arm,
      databaseDriver: databaseDriver ?? null,
      ...(durability === undefined ? {} : { durability }),
      snapshot: snapshot === undefined ? null : readSnapshot(snapshot),
      maxImportBytes: maxImportMb === undefined ? null : maxImportMb * megabyte,
      config,
      startedWith: startedWithOptions(options),
      routes,
      overrideGlobals: false,
    })
    endWithRunner()
    const { url, adminToken: token } = running
    const calls = callsInProcess(running.app)
    const close = async (graceMs: number) => {
      await calls.close(graceMs)
      await running.close(graceMs)
    }
    return { url, adminToken: token, send: calls.send, close }
  } catch (error) {
    if (error instanceof StartError) throw error
    const { code, message } = explainStartError(error, where)
    throw new StartError(code, message, { cause: error })
  }
}

function readSnapshot(file: string): string {
  try {
    return readInputFile('snapshot', file).toString('utf8')
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    throw new StartError('SNAPSHOT_UNUSABLE', error.message, { cause: error })
  }
}

/** Variables that runners set for the processes of their workers. */
const workerVariables = ['VITEST_POOL_ID', 'JEST_WORKER_ID', 'TEST_WORKER_INDEX', 'NODE_TEST_CONTEXT'] as const
const lookMs = 200
let isWatching = false

/** If a runner is killed, a process that it started for its tests would run on, because of a test that waits or of our server. */
function endWithRunner(): void {
  // Tests of Jest get a copy of the process, in which nothing changes.
  const real = process.getBuiltinModule('node:process')
  const { env, ppid, channel } = real
  const isWorker = workerVariables.some((name) => env[name] !== undefined)
  const isProcess = channel !== undefined || env.NODE_TEST_CONTEXT !== undefined
  if (isWatching || !isWorker || !isProcess) return
  isWatching = true
  setInterval(() => real.ppid === ppid || real.kill(real.pid, 'SIGTERM'), lookMs).unref()
}

/** Where a program has put another `fetch` in its place, to look at calls or to answer them, they go by that one. */
const systemFetch = globalThis.fetch

interface InProcess {
  send: Send
  /** Refuses further calls, as a closed port does, and lets those under way end, for at most so long. */
  close(graceMs: number): Promise<void>
}

function callsInProcess(app: App): InProcess {
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
