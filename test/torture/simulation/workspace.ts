/** One workspace of the sandbox without a process: simulated time, network and disk behind the ports, calls straight into the app. */
import { createHmac } from 'node:crypto'
import { startScheduler, tick } from '../../../src/core/scheduler/scheduler.js'
import type { Config } from '../../../src/core/workspace/config.js'
import type { Images } from '../../../src/core/workspace/images.js'
import { openWorkspace } from '../../../src/core/workspace/opening.js'
import type { Workspace } from '../../../src/core/workspace/workspace.js'
import { createApp, type Fetch } from '../../../src/http/app.js'
import type { Host } from '../../../src/http/host.js'
import type { Db } from '../../../src/store/db.js'
import { sqlite } from '../../support/database.js'
import { forgetKill, isKilledNow, Killed, unhindered } from './disk.js'
import type { Network } from './network.js'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by name, and fail where a name is missing
  body: any
  code: string | undefined
}

const origin = 'http://127.0.0.1:4010'

export class Process {
  private ws: Workspace
  private readonly fetch: Fetch
  private dead = false

  private constructor(
    private readonly db: Db,
    private readonly config: Config,
    private readonly network: Network,
    private readonly wall: () => number,
    private readonly images: Images,
  ) {
    this.ws = this.openOn(db)
    this.fetch = createApp(hostOf(() => this.ws))
    startScheduler(this.ws)
  }

  static start(config: Config, network: Network, wall: () => number, images: Images, image?: Uint8Array): Process {
    const db = sqlite.openInMemory()
    if (image !== undefined) db.swap(image)
    return new Process(db, config, network, wall, images)
  }

  get workspace(): Workspace {
    return this.ws
  }

  /** Rejects with `Killed` where the disk ended the process meanwhile. */
  async call(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const request = new Request(origin + path, {
      method,
      headers: {
        Host: '127.0.0.1:4010',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    const env = { ip: '127.0.0.1', rawTarget: path, disconnect: () => {} }
    const response = await this.fetch(request, env)
    if (this.dead || isKilledNow()) throw new Killed('killed while it answered')
    const text = await response.text()
    const parsed = text === '' ? {} : JSON.parse(text)
    return { status: response.status, body: parsed, code: parsed?.error?.code }
  }

  control(method: string, path: string, body?: object): Promise<Answer> {
    return this.call(method, `/_sandbox${path}`, body === undefined ? undefined : JSON.stringify(body))
  }

  /** What a killed process leaves on the disk: all that was committed, nothing else. */
  endedAt(): Uint8Array {
    this.dead = true
    this.ws.closed = true
    this.network.cut()
    forgetKill()
    return unhindered(() => {
      rollBackOpen(this.db)
      return this.db.image()
    })
  }

  close(): void {
    this.dead = true
    this.ws.closed = true
    unhindered(() => this.db.close())
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
        alarm: (_delayMs, ring) => {
          const due = setImmediate(() => this.dead || ring())
          return () => clearImmediate(due)
        },
      },
      this.config,
    )
    return ws
  }
}

function rollBackOpen(db: Db): void {
  try {
    db.exec('rollback')
  } catch {
    // Nothing was open.
  }
}

const hostOf = (workspace: () => Workspace): Host => ({
  version: 'simulated',
  adminToken: null,
  loopback: true,
  allowHosts: [],
  baseUrl: () => origin,
  workspace: (name) => (name === 'default' ? workspace() : undefined),
  workspaceNames: () => ['default'],
  createWorkspace: () => {
    throw new Error('one workspace is simulated')
  },
  scratchWorkspace: () => {
    throw new Error('one workspace is simulated')
  },
  dropWorkspace: async () => {},
  readScenario: () => {
    throw new Error('no scenario is simulated')
  },
  asset: () => undefined,
})

/** Headers of a signed call, by §5.2. */
export function signed(signingKey: string, body: string, wallMs: number, nonce: string): Record<string, string> {
  const timestamp = String(Math.floor(wallMs / 1000))
  const signature = createHmac('sha256', signingKey).update(`${timestamp}.${nonce}.${body}`).digest('hex')
  return { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
}
