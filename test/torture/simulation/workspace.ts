/** A simulated process with one workspace: time, network and disk are simulated, and calls go directly into the app. */

import { startScheduler, tick } from '../../../src/core/clock/scheduler.js'
import { deliveryState } from '../../../src/core/delivery/queue.js'
import { nextDueMs } from '../../../src/core/jobs/jobs.js'
import type { Images } from '../../../src/core/snapshots/images.js'
import type { Workspace } from '../../../src/core/unit/unit.js'
import { openWorkspace } from '../../../src/core/workspace/workspace.js'
import { createApp, type Fetch } from '../../../src/http/app.js'
import type { Config } from '../../../src/protocol/settings/platform.js'
import type { Db } from '../../../src/store/db.js'
import { clearRowCache } from '../../../src/store/unit-of-work.js'
import { bareHost, bareOrigin } from '../../support/bare-host.js'
import { sqlite } from '../../support/database.js'
import { audit } from './audit.js'
import { forgetKill, isKilledNow, Killed, onKill, unhindered } from './disk.js'
import type { Network } from './network.js'
import { reach } from './reach.js'
import { requestOf, textOfAnswer } from './runtime.js'
import { hold } from './violation.js'

/** Alarms with a shorter delay ring at once, because time is simulated. The wait of an advance, 30 s, is eight alarms. */
const callerPatienceMs = 3750

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields by name, and a missing field fails the test
  body: any
  code: string | undefined
  /** The connection was closed instead. */
  isDropped: boolean
}

/** The most turns of the event loop until the workspace must be idle; hundreds of deliveries take hundreds of turns. */
const mostTurns = 20_000

export class Process {
  private ws: Workspace
  private readonly fetch: Fetch
  private dead = false
  /** Rejects when the disk kills the process, so that waiting calls end. */
  private readonly killed: Promise<never>

  private constructor(
    /** The disk outlives the process. */
    private readonly disk: Db,
    private readonly config: Config,
    private readonly network: Network,
    private readonly wall: () => number,
    private readonly images: Images,
  ) {
    this.killed = new Promise((_, reject) => onKill(() => reject(new Killed('killed before it answered'))))
    this.killed.catch(() => {})
    this.ws = this.openOn(mortal(disk, () => this.dead || isKilledNow()))
    this.fetch = createApp(bareHost(() => this.ws))
    startScheduler(this.ws)
  }

  static start(config: Config, network: Network, wall: () => number, images: Images, disk?: Db): Process {
    return new Process(disk ?? sqlite.openInMemory(), config, network, wall, images)
  }

  get workspace(): Workspace {
    return this.ws
  }

  /** Makes a call. Rejects with `Killed` if the disk kills the process meanwhile. */
  async call(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
    ip = '127.0.0.1',
  ): Promise<Answer> {
    const request = requestOf(method, bareOrigin + path, { Host: '127.0.0.1:4010', ...headers }, body)
    let isDropped = false
    const disconnect = () => {
      isDropped = true
    }
    const env = { ip, rawTarget: path, disconnect }
    const response = await Promise.race([this.fetch(request, env), this.killed])
    if (this.dead || isKilledNow()) throw new Killed('killed while it answered')
    const text = await textOfAnswer(response)
    audit.call(path, body, headers, response.status, text)
    const parsed = /^[[{]/.test(text) ? JSON.parse(text) : {}
    const code: string | undefined = parsed?.error?.code
    if (path.startsWith('/_sandbox')) reach.meetRoute(method, path)
    if (code !== undefined) reach.meet('error', code)
    return { status: response.status, body: parsed, code, isDropped }
  }

  control(method: string, path: string, body?: object): Promise<Answer> {
    return this.call(method, `/_sandbox${path}`, body === undefined ? undefined : JSON.stringify(body))
  }

  /** Waits until all due jobs and their deliveries are done, or until the process dies. */
  async becomeIdle(): Promise<void> {
    for (let turns = 0; !isKilledNow(); turns++) {
      if (this.isIdle()) return
      hold(turns < mostTurns, () => 'the due jobs never end')
      await new Promise(setImmediate)
    }
  }

  private isIdle(): boolean {
    const { memory, clock } = this.ws
    if (memory.of(deliveryState).inFlight.size > 0) return false
    const dueAtMs = unhindered(() => nextDueMs(this.disk))
    return dueAtMs === null || dueAtMs > clock.now()
  }

  /** Ends the process and returns the disk with all committed data: as a copy of its bytes, or as the same database. */
  endedAt(asBytes: boolean): Db {
    this.dead = true
    this.ws.closed = true
    this.network.cut()
    forgetKill()
    return unhindered(() => {
      rollBackOpen(this.disk)
      clearRowCache(this.disk)
      if (!asBytes) return this.disk
      const copy = sqlite.openInMemory(this.disk.image())
      this.disk.close()
      return copy
    })
  }

  close(): void {
    this.dead = true
    this.ws.closed = true
    unhindered(() => this.disk.close())
  }

  private openOn(db: Db): Workspace {
    const ws: Workspace = openWorkspace(
      'default',
      {
        db,
        wall: this.wall,
        send: this.network.send,
        images: this.images,
        wake: (atMs) => {
          // The clock stands still, so only jobs that are due now run by themselves.
          if (atMs !== null && atMs <= ws.clock.now()) setImmediate(() => void (this.dead || tick(ws).catch(() => {})))
        },
        callAfter: (delayMs, ring) => {
          // The time limit of callers is real time, and a history takes less.
          if (delayMs >= callerPatienceMs) {
            const late = setTimeout(() => this.dead || ring(), delayMs).unref()
            return () => clearTimeout(late)
          }
          const due = setImmediate(() => this.dead || ring())
          return () => clearImmediate(due)
        },
      },
      this.config,
    )
    ws.bus.subscribe(({ status, id, message }) => {
      if (this.dead || isKilledNow()) return
      if (status === 'job_failed' || status === 'delivery_failed')
        this.network.faults.push(`${id}: ${status}: ${message}`)
    })
    return ws
  }
}

/** Wraps a database so that it throws after its process has died. */
function mortal(disk: Db, isDead: () => boolean): Db {
  const afterTurn = (work: () => void) =>
    setImmediate(() => {
      try {
        work()
      } catch (error) {
        if (!(error instanceof Killed)) throw error
      }
    })
  return new Proxy(disk, {
    get(target, name) {
      if (isDead()) throw new Killed('this process is dead')
      return name === 'afterTurn' ? afterTurn : Reflect.get(target, name)
    },
  })
}

function rollBackOpen(db: Db): void {
  try {
    db.exec('rollback')
  } catch {
    // No transaction was open.
  }
}
