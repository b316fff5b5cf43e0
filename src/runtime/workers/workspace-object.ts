/** One workspace in one Durable Object: its database, its alarm, its `fetch`, and the same app as everywhere. */

import { DurableObject } from 'cloudflare:workers'
import { isGivenOut } from '../../core/auth/authenticate.js'
import { startScheduler, tick } from '../../core/clock/scheduler.js'
import { deliveryState, whenDelivered } from '../../core/delivery/dispatch-state.js'
import { scheduler } from '../../core/jobs/jobs.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { closeWorkspace } from '../../core/workspace/closing.js'
import { openWorkspace } from '../../core/workspace/opening.js'
import { createApp, type Fetch } from '../../http/app.js'
import { errorAnswer, toResponse } from '../../http/bodies.js'
import { madeWorkspace } from '../../http/control/workspaces.js'
import { addressOf, answersTo, isAdmin } from '../../http/guard.js'
import type { Host, MadeWorkspace } from '../../http/host.js'
import { createWake, ringAfter, type Wake } from './alarm.js'
import { type Bindings, directoryOf, type Home, type WorkspaceMethods } from './bindings.js'
import { Carrying } from './carrying.js'
import { Connections, fairShare } from './connections.js'
import { databaseOf } from './database.js'
import { insideHeader, targetOf } from './door.js'
import { envOf, hostOf } from './host.js'
import { createImages } from './images.js'
import { Invocations } from './invocations.js'
import { type Caller, Quota } from './quota.js'
import { type ObjectState, wall } from './runtime.js'
import { bundledScenarios } from './scenarios.js'
import { senderOf } from './send.js'
import { type Settings, settingsOf } from './settings.js'
import { addressOfCaller, Strangers } from './strangers.js'
import { withWholeBody } from './whole-body.js'

/** What is kept beside the workspace's own tables. */
interface About {
  name: string
  tokenHash: string | null
}

/** Announced by an answer whose body never gets that far. */
const brokenBytes = 1024

export class WorkspaceObject extends DurableObject<Bindings> implements WorkspaceMethods {
  readonly #settings: Settings
  readonly #host: Host
  readonly #app: Fetch
  /** null: nobody is limited. */
  readonly #strangers: Strangers | null
  #ws: Workspace | undefined
  /** Of one that is hosted for strangers. */
  #quota: Quota | undefined
  #wake: Wake | undefined
  readonly #invocations = new Invocations(() => this.#wake?.atLatest(wall()))
  #carrying: Carrying | undefined

  constructor(state: ObjectState, bindings: Bindings) {
    super(state, bindings)
    this.#settings = settingsOf(bindings)
    const { limits } = this.#settings
    this.#strangers = limits === null ? null : new Strangers(limits.strangerCallsPerMinute, wall)
    this.#host = hostOf(bindings, this.#settings, {
      workspace: () => this.#ws,
      tokenHash: () => this.#about()?.tokenHash ?? null,
      keepTokenHash: (tokenHash) => this.ctx.storage.kv.put('about', { ...this.#about(), tokenHash }),
      home: () => this.#home(),
      hosted: () => this.#quota?.shown(),
      admitCertification: () => this.#quota?.admitCertification(),
    })
    this.#app = createApp(this.#host)
    const about = this.#about()
    if (about === undefined) return
    void state.blockConcurrencyWhile(async () => {
      this.#open(about.name, await state.storage.getAlarm())
    })
  }

  fetch(request: Request): Promise<Response> {
    return withWholeBody(request, (whole) => this.#answer(whole))
  }

  async #answer(request: Request): Promise<Response> {
    this.#invocations.begin()
    const rawTarget = targetOf(request)
    const { workspace, path } = addressOf(request, rawTarget)
    // The one that exists without anybody having created it.
    if (this.#ws === undefined && workspace === 'default') this.#make('default', null)
    let caller: Caller = 'stranger'
    try {
      caller = this.#callerOf(request)
      if (caller === 'stranger') this.#strangers?.admit(addressOfCaller(request))
      this.#quota?.admit(caller, request.method, path)
      if (caller === 'known' && answersTo(this.#host, request, rawTarget)) this.#learnOrigin(request)
    } catch (error) {
      // A number for a stranger would have to be stored.
      const id = caller === 'known' ? this.#ws?.memory.ids.next('requests').id : undefined
      return toResponse(errorAnswer(error), id ?? 'req_0')
    }
    let isBroken = false
    const disconnect = () => {
      isBroken = true
    }
    const response = await this.#app(request, envOf(request, rawTarget, disconnect))
    if (this.#ws !== undefined) this.#carrying?.keepAll(this.#ws)
    // What goes on behind the answer has alarms of its own.
    if (this.#ws !== undefined && this.#ws.rooms.of(scheduler).advances.size > 0) this.#wake?.atLatest(wall())
    return isBroken ? brokenOff() : response
  }

  #callerOf(request: Request): Caller {
    if (request.headers.has(insideHeader)) return 'own'
    if (isAdmin(this.#host, request)) return 'known'
    const shown = request.headers.get('Authorization')
    return shown !== null && this.#ws !== undefined && isGivenOut(this.#ws.db, shown) ? 'known' : 'stranger'
  }

  async alarm(): Promise<void> {
    this.#wake?.rang()
    const quota = this.#quota
    if (this.#ws === undefined) return
    if (quota !== undefined && quota.deletedAtMs() <= wall()) return this.#forget(this.#ws.name)
    if (quota !== undefined) this.#wake?.atLatest(quota.deletedAtMs())
    this.#invocations.begin()
    await tick(this.#ws)
    // Until then the object must not be put to sleep.
    await this.#invocations.untilSpent(this.#whenIdle(this.#ws))
    if (this.#ws?.rooms.of(scheduler).advances.size) this.#wake?.atLatest(wall())
  }

  async #whenIdle({ rooms, memory }: Workspace): Promise<void> {
    await rooms.of(scheduler).lastAdvance
    await whenDelivered(memory.of(deliveryState)).catch(() => undefined)
  }

  async make(name: string, tokenHash: string | null): Promise<MadeWorkspace> {
    return madeWorkspace(this.#ws ?? this.#make(name, tokenHash))
  }

  async drop(): Promise<void> {
    if (this.#ws !== undefined) closeWorkspace(this.#ws)
    this.#ws = undefined
    this.#quota = undefined
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  /** Nobody has used it for as long as it may lie here. */
  async #forget(name: string): Promise<void> {
    await directoryOf(this.env).remove(name)
    await this.drop()
  }

  #about(): About | undefined {
    // Nobody else writes it.
    return this.ctx.storage.kv.get('about') as About | undefined
  }

  #make(name: string, tokenHash: string | null): Workspace {
    return this.ctx.storage.transactionSync(() => {
      this.ctx.storage.kv.put('about', { name, tokenHash } satisfies About)
      this.ctx.storage.kv.put('used', wall())
      return this.#open(name, null)
    })
  }

  #open(name: string, alarmAtMs: number | null): Workspace {
    const { storage } = this.ctx
    const { config, arm, limits } = this.#settings
    const quota = limits === null || name === 'default' ? undefined : new Quota(limits, storage, wall)
    const connections = new Connections(fairShare)
    const connect = <T>(origin: string, exchange: () => Promise<T>) =>
      connections.use(origin, async () => {
        await this.#invocations.take('send')
        return exchange()
      })
    const send = senderOf(this.env, this.#settings, () => this.#home(), connect, wall)
    const images = createImages(storage, wall)
    const wake = createWake(
      storage,
      alarmAtMs,
      () => ws,
      () => void tick(ws).catch(report),
    )
    const carrying = new Carrying(storage)
    const carried = carrying.load()
    const along = { keep: () => carrying.keep(ws), undone: () => carrying.undone() }
    const ws = openWorkspace(
      name,
      {
        db: databaseOf(storage, along),
        carried,
        wall,
        send: quota?.sending(send) ?? send,
        wake: wake.wake,
        alarm: ringAfter,
        mayGoOn: () => this.#invocations.take('step'),
        scenarios: bundledScenarios(arm),
        images: quota?.keeping(images) ?? images,
      },
      config,
    )
    carrying.begin(ws, carried)
    this.#carrying = carrying
    this.#ws = ws
    this.#wake = wake
    this.#quota = quota
    startScheduler(ws)
    if (quota !== undefined) wake.atLatest(quota.deletedAtMs())
    return ws
  }

  #home(): Home {
    const { origin } = this.#settings
    return { origin: origin ?? String(this.ctx.storage.kv.get('origin') ?? ''), workspace: this.#ws?.name ?? '' }
  }

  /** Where callers reach the deployment, unless that is configured: as the last authenticated one of them did. */
  #learnOrigin({ url }: Request): void {
    const { origin } = new URL(url)
    if (this.#ws !== undefined && this.#settings.origin === null && this.#home().origin !== origin)
      this.ctx.storage.kv.put('origin', origin)
  }
}

/** There is no socket to close. A body that ends before its announced length is an error to every client; one of unknown length would look complete. */
function brokenOff(): Response {
  const { readable, writable } = new FixedLengthStream(brokenBytes)
  const writer = writable.getWriter()
  void writer
    .write(new Uint8Array(1))
    .then(() => writer.abort(new Error('the scenario drops the connection')))
    .catch(() => undefined)
  return new Response(readable)
}

/** A tick fails only when the store refuses; it is tried again with the next change. */
function report(error: unknown): void {
  console.error('payments-sandbox: the queue could not run:', error instanceof Error ? error.message : String(error))
}
