/** One workspace of the sandbox without a process: simulated time, network and disk behind the ports, calls straight into the app. */

import { startScheduler, tick } from '../../../src/core/clock/scheduler.js'
import { deliveryState } from '../../../src/core/delivery/dispatch-state.js'
import { nextDueMs } from '../../../src/core/jobs/jobs.js'
import type { Images } from '../../../src/core/snapshots/images.js'
import type { Workspace } from '../../../src/core/unit/workspace.js'
import { openWorkspace } from '../../../src/core/workspace/opening.js'
import { createApp, type Fetch } from '../../../src/http/app.js'
import type { Config } from '../../../src/protocol/settings/platform.js'
import type { Db } from '../../../src/store/db.js'
import { clearRowCache } from '../../../src/store/unit-of-work.js'
import { bareHost, bareOrigin } from '../../support/bare-host.js'
import { sqlite } from '../../support/database.js'
import { forgetKill, isKilledNow, Killed, onKill, unhindered } from './disk.js'
import type { Network } from './network.js'
import { requestOf, textOfAnswer } from './runtime.js'
import { hold } from './violation.js'

/** A shorter alarm rings at once: time is the simulation's own. */
const callerPatienceMs = 30_000

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by name, and fail where a name is missing
  body: any
  code: string | undefined
}

/** Of the event loop: hundreds of deliveries take hundreds. */
const mostTurns = 20_000

export class Process {
  private ws: Workspace
  private readonly fetch: Fetch
  private dead = false
  /** Rejects when the disk ends the process: what it has not answered by then it never will. */
  private readonly killed: Promise<never>

  private constructor(
    /** Outlives the process; what the process has of it dies along. */
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

  /** Rejects with `Killed` where the disk ended the process meanwhile. */
  async call(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const request = requestOf(method, bareOrigin + path, { Host: '127.0.0.1:4010', ...headers }, body)
    const env = { ip: '127.0.0.1', rawTarget: path, disconnect: () => {} }
    const response = await Promise.race([this.fetch(request, env), this.killed])
    if (this.dead || isKilledNow()) throw new Killed('killed while it answered')
    const text = textOfAnswer(response)
    const parsed = text === '' ? {} : JSON.parse(text)
    return { status: response.status, body: parsed, code: parsed?.error?.code }
  }

  control(method: string, path: string, body?: object): Promise<Answer> {
    return this.call(method, `/_sandbox${path}`, body === undefined ? undefined : JSON.stringify(body))
  }

  /** By itself, everything that is due happens and is answered; or the process ends on the way. */
  async rest(): Promise<void> {
    for (let turns = 0; !isKilledNow(); turns++) {
      if (this.isAtRest()) return
      hold(turns < mostTurns, () => 'what is due does not come to an end')
      await new Promise(setImmediate)
    }
  }

  private isAtRest(): boolean {
    const { memory, clock } = this.ws
    if (memory.of(deliveryState).inFlight.size > 0) return false
    const dueAtMs = unhindered(() => nextDueMs(this.disk))
    return dueAtMs === null || dueAtMs > clock.now()
  }

  /** What a killed process leaves on the disk: all that was committed, nothing else. As bytes in a new database, or as it lies there. */
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
          // The clock is held by hand: only what is due at once runs by itself.
          if (atMs !== null && atMs <= ws.clock.now()) setImmediate(() => void (this.dead || tick(ws).catch(() => {})))
        },
        alarm: (delayMs, ring) => {
          // Callers wait for an advance in real time: the whole history passes before their patience ends.
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

/** A database that nobody reaches any more once its process is dead. */
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
    // Nothing was open.
  }
}
