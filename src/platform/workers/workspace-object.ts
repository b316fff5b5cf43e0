/** One workspace in one Durable Object: its database, its alarm, its `fetch`, and the same app as everywhere. */
import { DurableObject } from 'cloudflare:workers'
import { startScheduler, tick } from '../../core/scheduler/scheduler.js'
import { whenDelivered } from '../../core/webhooks/dispatch-state.js'
import { closeWorkspace } from '../../core/workspace/lifecycle.js'
import { openWorkspace } from '../../core/workspace/opening.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import { addressOf } from '../../http/address.js'
import { errorAnswer, toResponse } from '../../http/answer.js'
import { createApp, type Fetch } from '../../http/app.js'
import { madeWorkspace } from '../../http/control/workspaces.js'
import type { MadeWorkspace } from '../../http/host.js'
import { createWake, ringAfter, type Wake } from './alarm.js'
import { type Bindings, directoryOf, type WorkspaceMethods } from './bindings.js'
import { Carrying } from './carrying.js'
import { databaseOf } from './database.js'
import { hostOf } from './host.js'
import { createImages } from './images.js'
import { Quota } from './quota.js'
import { type ObjectState, wall } from './runtime.js'
import { bundledScenarios } from './scenarios.js'
import { senderOf } from './send.js'
import { type Settings, settingsOf } from './settings.js'
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
  readonly #app: Fetch
  #ws: Workspace | undefined
  /** Of one that is hosted for strangers. */
  #quota: Quota | undefined
  #wake: Wake | undefined
  #carrying: Carrying | undefined

  constructor(state: ObjectState, bindings: Bindings) {
    super(state, bindings)
    this.#settings = settingsOf(bindings)
    this.#app = createApp(
      hostOf(bindings, this.#settings, {
        workspace: () => this.#ws,
        tokenHash: () => this.#about()?.tokenHash ?? null,
        origin: () => this.#origin(),
        hosted: () => this.#quota?.shown(),
        admitCertification: () => this.#quota?.admitCertification(),
      }),
    )
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
    const { origin } = new URL(request.url)
    const rawTarget = request.url.slice(origin.length)
    // The one that is there without anybody having made it.
    if (this.#ws === undefined && addressOf(request, rawTarget).workspace === 'default') this.#make('default', null)
    this.#keepOrigin(origin)
    const refusal = this.#refusal(request, rawTarget)
    if (refusal !== undefined) return refusal
    let isBroken = false
    const response = await this.#app(request, {
      ip: request.headers.get('cf-connecting-ip') ?? '',
      rawTarget,
      disconnect: () => {
        isBroken = true
      },
      whenGone: (listener) => {
        request.signal.addEventListener('abort', listener, { once: true })
        return () => request.signal.removeEventListener('abort', listener)
      },
    })
    if (this.#ws !== undefined) this.#carrying?.keepAll(this.#ws)
    return isBroken ? brokenOff() : response
  }

  async alarm(): Promise<void> {
    this.#wake?.rang()
    const quota = this.#quota
    if (this.#ws === undefined) return
    if (quota !== undefined && quota.deletedAtMs() <= wall()) return this.#forget(this.#ws.name)
    if (quota !== undefined) this.#wake?.atLatest(quota.deletedAtMs())
    await tick(this.#ws)
    // Until then the object must not be put to sleep.
    await whenDelivered(this.#ws.memory.dispatch).catch(() => undefined)
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

  #refusal(request: Request, rawTarget: string): Response | undefined {
    try {
      this.#quota?.admit(request.method, addressOf(request, rawTarget).path)
      return undefined
    } catch (error) {
      return toResponse(errorAnswer(error), this.#ws?.memory.ids.next('requests').id ?? 'req_0')
    }
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
    const send = senderOf(this.env, this.#settings, () => this.#origin(), wall)
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

  /** Where callers reach the sandbox: known from the last of them. */
  #origin(): string {
    return String(this.ctx.storage.kv.get('origin') ?? '')
  }

  #keepOrigin(origin: string): void {
    if (this.#ws !== undefined && this.#origin() !== origin) this.ctx.storage.kv.put('origin', origin)
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
