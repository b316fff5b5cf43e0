/** Simulated time for a client and its sandbox. It advances only when both wait, so pauses cost nothing and a busy machine changes no result. */
import { startScheduler, tick } from '../../src/core/clock/scheduler.js'
import type { Send } from '../../src/core/unit/ports.js'
import type { Workspace } from '../../src/core/unit/unit.js'
import { openWorkspace } from '../../src/core/workspace/workspace.js'
import { createApp, type Fetch } from '../../src/http/app.js'
import type { Config } from '../../src/protocol/settings/platform.js'
import { createWake } from '../../src/runtime/node/workspaces.js'
import { bareHost, bareOrigin } from './bare-host.js'
import { sqlite } from './database.js'

let planted = 0

/** Stores simulated surroundings and returns the expression with which a program reads them. */
export function plant(surroundings: object): string {
  const name = `payments-sandbox-time-${++planted}`
  Object.assign(globalThis, { [name]: surroundings })
  return `globalThis['${name}']`
}

/** The simulated replacements that a program gets for the clock, timers and `fetch`. */
export interface Surroundings {
  fetch: typeof fetch
  pause: (delayMs: number) => Promise<void>
  Date: { now(): number }
}

const startMs = Date.UTC(2026, 5, 1, 12)
/** Work that takes longer hangs. */
const longestMs = 3_600_000
/** The time of a call to the sandbox and back. */
const wayMs = 1
/** After this many turns of the event loop, all work that does not wait is done. */
const quietTurns = 25

/** One alarm in `every` rings late, by up to `mostMs`: the same ones every time. */
export function busyMachine(seed: number, every: number, mostMs: number): () => number {
  let state = seed
  const chance = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
  return () => (chance() < 1 / every ? chance() * mostMs : 0)
}

export class OwnTime {
  readonly url = bareOrigin
  #nowMs = startMs
  #timers: { atMs: number; ring: () => void }[] = []
  #underway = 0
  readonly #busyMs: () => number

  /** `busyMs` returns the delay of the next alarm. */
  constructor(busyMs: () => number = () => 0) {
    this.#busyMs = busyMs
  }

  readonly now = (): number => this.#nowMs

  /** Rings once after `delayMs`; returns a function that cancels it. */
  readonly alarm = (delayMs: number, ring: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + delayMs, ring }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }

  openSandbox(config: Config, send: Send, through = (app: Fetch): Fetch => app): { ws: Workspace; app: Fetch } {
    const ws = this.#openWorkspace(config, send)
    const host = { ...bareHost(() => ws), openScratch: (wanted: Config) => this.#openWorkspace(wanted, send) }
    return { ws, app: through(createApp(host)) }
  }

  #openWorkspace(config: Config, send: Send): Workspace {
    const { now: wall, alarm: callAfter } = this
    const wake = createWake(
      () => ws,
      () => void tick(ws),
      callAfter,
    )
    const ws: Workspace = openWorkspace('default', { db: sqlite.openInMemory(), wall, send, wake, callAfter }, config)
    startScheduler(ws)
    const unit: Workspace['unit'] = (work) => this.#during(() => ownUnit(work))
    const { unit: ownUnit } = ws
    return Object.assign(ws, { unit })
  }

  surroundingsOf(app: Fetch): Surroundings {
    const pause = (delayMs: number) => new Promise<void>((resolve) => void this.alarm(delayMs, resolve))
    return {
      Date: { now: this.now },
      pause,
      fetch: async (target, init) => {
        await pause(wayMs)
        try {
          return await this.#during(() => this.#call(app, String(target), init))
        } finally {
          await pause(wayMs)
        }
      },
    }
  }

  #call(app: Fetch, target: string, init: RequestInit | undefined): Promise<Response> {
    const request = new Request(target, init)
    request.headers.set('Host', new URL(bareOrigin).host)
    if (typeof init?.body === 'string')
      request.headers.set('Content-Length', String(new TextEncoder().encode(init.body).length))
    const rawTarget = target.slice(bareOrigin.length)
    return new Promise((resolve, reject) => {
      const disconnect = () => reject(new TypeError('fetch failed'))
      Promise.resolve(app(request, { ip: '127.0.0.1', rawTarget, disconnect })).then(resolve, reject)
    })
  }

  /** Stops time while work runs. */
  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#underway++
    try {
      return await work()
    } finally {
      this.#underway--
    }
  }

  /** Calls the control API and returns its response. */
  async control(app: Fetch, method: string, path: string, body: string): Promise<unknown> {
    const rawTarget = `/_sandbox${path}`
    const headers = { 'Content-Type': 'application/json', Host: new URL(bareOrigin).host }
    const request = new Request(bareOrigin + rawTarget, { method, headers, body })
    const answer = await app(request, { ip: '127.0.0.1', rawTarget, disconnect() {} })
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }

  /** Advances time from alarm to alarm, whenever nothing else runs, until the work is done. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    let isDone = false
    const result = work().finally(() => {
      isDone = true
    })
    result.catch(() => {})
    while (!isDone) {
      for (let turn = 0; turn < quietTurns && !isDone; turn++) await new Promise((resolve) => setImmediate(resolve))
      if (!isDone && this.#underway === 0) this.#ringNext()
    }
    return result
  }

  #ringNext(): void {
    const [next] = this.#timers.toSorted((a, b) => a.atMs - b.atMs)
    if (next === undefined || next.atMs > longestMs + startMs) throw new Error('the work does not end')
    this.#timers = this.#timers.filter((one) => one !== next)
    this.#nowMs = Math.max(this.#nowMs, next.atMs) + this.#busyMs()
    next.ring()
  }
}
