/** One workspace in one Durable Object: its database, alarm and `fetch`. */
import bundled from 'bundled:scenarios'
import { DurableObject } from 'cloudflare:workers'
import { joinChunks } from '../../base/bytes.js'
import { rowAt } from '../../base/keys.js'
import { messageOf } from '../../base/unknown.js'
import { isIssued } from '../../core/auth/authenticate.js'
import { startScheduler, tick } from '../../core/clock/scheduler.js'
import { deliveryState, whenDelivered } from '../../core/delivery/queue.js'
import { schedulerState } from '../../core/jobs/jobs.js'
import type { Images } from '../../core/snapshots/images.js'
import type { ScenarioSource } from '../../core/unit/ports.js'
import type { Workspace } from '../../core/unit/unit.js'
import { closeWorkspace, openWorkspace } from '../../core/workspace/workspace.js'
import { createApp, type Fetch } from '../../http/app.js'
import { describeCreatedWorkspace } from '../../http/control/state.js'
import type { CreatedWorkspace, Host, RouteSet } from '../../http/host.js'
import { addressOf, errorResponse, isAdmin, isOwnHost, toResponse, withRequestId } from '../../http/messages.js'
import { internalHeader } from '../../protocol/platform/headers.js'
import { builtInScenarios } from '../shared/scenario-text.js'
import { type Bindings, directoryOf, type Settings, settingsOf, type WorkspaceMethods } from './bindings.js'
import { databaseOf, StoredMemory } from './database.js'
import { targetOf, withWholeBody } from './entry-point.js'
import { envOf, hostOf } from './host.js'
import { addressOfCaller, type Caller, Quota, storageKeys, UnauthenticatedLimit } from './quota.js'
import {
  callAfter,
  createWake,
  type Home,
  type ObjectState,
  type ObjectStorage,
  type WakeSchedule,
  wallClock,
} from './runtime.js'
import { Connections, fairShare, senderOf } from './send.js'

const builtIn = builtInScenarios(
  (name) => `${name}.yaml`,
  (file) => rowAt(bundled, file),
)

const bundledScenarios = (arm: readonly string[]): ScenarioSource => ({
  arm,
  entries: () => Object.keys(bundled).flatMap((file) => builtIn(file.replace(/\.yaml$/, '')) ?? []),
  find: builtIn,
})

// Limits of one invocation of a Durable Object. Calls and alarms start a new invocation; long work continues in the
// next one.

/** Limits of advance steps (some hundred jobs each) and webhooks: well below the CPU time and the 50 requests of the smallest plan. */
const perInvocation = { step: 50, send: 40 }

type Kind = keyof typeof perInvocation

class Invocations {
  #done = { step: 0, send: 0 }
  #waiting: (() => void)[] = []
  #onSpent = () => {}

  /** `request` makes the runtime start another invocation soon. */
  constructor(readonly request: () => void) {}

  begin(): void {
    this.#done = { step: 0, send: 0 }
    for (const resume of this.#waiting.splice(0)) resume()
  }

  /**
   * Counts one step or send. Returns null if this invocation still allows it, otherwise a promise that resolves in
   * one that does.
   */
  whenAllowed(kind: Kind): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#done[kind] < perInvocation[kind]) {
      this.#done[kind]++
      return null
    }
    this.request()
    const next = new Promise<void>((resume) => this.#waiting.push(resume)).then(
      () => this.whenAllowed(kind) ?? undefined,
    )
    this.#onSpent()
    return next
  }

  /** Resolves when the work is done, or as soon as something waits for the next invocation, because this one must then end. */
  async waitUntilSpent(work: Promise<unknown>): Promise<void> {
    const spent = new Promise<void>((resolve) => {
      this.#onSpent = resolve
    })
    if (this.#waiting.length === 0) await Promise.race([work, spent])
  }
}

// Stores the snapshots of a workspace in chunks: the runtime accepts no value of more than 2 MB.

const chunkBytes = 1024 * 1024

function createImages(storage: ObjectStorage, wall: () => number): Images {
  const run = (sqlText: string, ...params: unknown[]) => storage.sql.exec(sqlText, ...params).toArray()
  run(`create table if not exists image_chunks (name text, chunk integer, saved_wall_ms integer, bytes blob,
    primary key (name, chunk))`)
  return {
    put(name, bytes) {
      const savedWallMs = wall()
      storage.transactionSync(() => {
        run('delete from image_chunks where name = ?', name)
        for (let at = 0, chunk = 0; at < bytes.length || chunk === 0; at += chunkBytes, chunk++)
          run(
            'insert into image_chunks values (?, ?, ?, ?)',
            name,
            chunk,
            savedWallMs,
            bytes.slice(at, at + chunkBytes),
          )
      })
    },
    get(name) {
      const chunks = run('select bytes from image_chunks where name = ? order by chunk', name)
      if (chunks.length === 0) return undefined
      // The column contains only bytes, so the cast is safe.
      return joinChunks(chunks.map(({ bytes }) => new Uint8Array(bytes as ArrayBuffer)))
    },
    list: () =>
      run('select name, sum(length(bytes)) as size, max(saved_wall_ms) as saved from image_chunks group by name').map(
        ({ name, size, saved }) => ({ name: String(name), sizeBytes: Number(size), savedWallMs: Number(saved) }),
      ),
    remove: (name) => run('delete from image_chunks where name = ? returning chunk', name).length > 0,
  }
}

/** Data of the workspace that is stored outside its tables. */
interface StoredWorkspace {
  name: string
  tokenHash: string | null
}

/** Declared length of a response that is cut off; its body is shorter. */
const brokenBytes = 1024

/** The module of the deployment extends it with the routes of its features. */
export class SandboxObject extends DurableObject<Bindings> implements WorkspaceMethods {
  readonly #settings: Settings
  readonly #host: Host
  readonly #app: Fetch
  /** Limit of unauthenticated calls; null if there are no limits. */
  readonly #unauthenticated: UnauthenticatedLimit | null
  #ws: Workspace | undefined
  /** Limits of a hosted workspace. */
  #quota: Quota | undefined
  #wake: WakeSchedule | undefined
  readonly #invocations = new Invocations(() => this.#wake?.wakeAtLatest(wallClock()))
  #storedMemory: StoredMemory | undefined

  /** `routes` are those of the features. */
  constructor(state: ObjectState, bindings: Bindings, routes: readonly RouteSet[]) {
    super(state, bindings)
    this.#settings = settingsOf(bindings)
    const { limits } = this.#settings
    this.#unauthenticated =
      limits === null ? null : new UnauthenticatedLimit(limits.stranger_calls_per_minute, wallClock)
    const holder = {
      workspace: () => this.#ws,
      tokenHash: () => this.#stored()?.tokenHash ?? null,
      storeTokenHash: (tokenHash: string) =>
        this.ctx.storage.kv.put(storageKeys.workspace, { ...this.#stored(), tokenHash }),
      home: () => this.#home(),
      quota: () => this.#quota,
    }
    this.#host = hostOf(bindings, this.#settings, holder, routes)
    this.#app = createApp(this.#host)
    const stored = this.#stored()
    if (stored === undefined) return
    void state.blockConcurrencyWhile(async () => {
      this.#open(stored.name, await state.storage.getAlarm())
    })
  }

  fetch(request: Request): Promise<Response> {
    return withWholeBody(request, (whole) => this.#answer(whole))
  }

  async #answer(request: Request): Promise<Response> {
    this.#invocations.begin()
    const rawTarget = targetOf(request)
    const { workspace, path } = addressOf(request, rawTarget)
    // `default` exists without having been created.
    if (this.#ws === undefined && workspace === 'default') this.#make('default', null)
    let caller: Caller = 'unauthenticated'
    try {
      caller = this.#callerOf(request)
      if (caller === 'unauthenticated') this.#unauthenticated?.admit(addressOfCaller(request))
      this.#quota?.admit(caller, request.method, path)
      if (caller === 'authenticated' && isOwnHost(this.#host, request, rawTarget)) this.#learnOrigin(request)
    } catch (error) {
      // Numbering the call of an unauthenticated caller would cost a write.
      const id = caller === 'authenticated' ? this.#ws?.memory.ids.next('requests').id : undefined
      return toResponse(withRequestId(errorResponse(error), id ?? 'req_0'))
    }
    let isBroken = false
    const disconnect = () => {
      isBroken = true
    }
    const response = await this.#app(request, envOf(request, rawTarget, disconnect))
    if (this.#ws !== undefined) this.#storedMemory?.saveWithLog(this.#ws)
    // Work that continues after the response needs an alarm of its own.
    if (this.#ws !== undefined && this.#ws.state.of(schedulerState).advances.size > 0)
      this.#wake?.wakeAtLatest(wallClock())
    return isBroken ? brokenResponse() : response
  }

  #callerOf(request: Request): Caller {
    if (request.headers.has(internalHeader)) return 'internal'
    if (isAdmin(this.#host, request)) return 'authenticated'
    const header = request.headers.get('Authorization')
    return header !== null && this.#ws !== undefined && isIssued(this.#ws.db, header)
      ? 'authenticated'
      : 'unauthenticated'
  }

  async alarm(): Promise<void> {
    this.#wake?.noteAlarm()
    const quota = this.#quota
    if (this.#ws === undefined) return
    if (quota !== undefined && quota.deletedAtMs() <= wallClock()) return this.#deleteUnused(this.#ws.name)
    if (quota !== undefined) this.#wake?.wakeAtLatest(quota.deletedAtMs())
    this.#invocations.begin()
    await tick(this.#ws)
    // The object must stay in memory until then.
    await this.#invocations.waitUntilSpent(this.#whenIdle(this.#ws))
    if (this.#ws?.state.of(schedulerState).advances.size) this.#wake?.wakeAtLatest(wallClock())
  }

  async #whenIdle({ state, memory }: Workspace): Promise<void> {
    await state.of(schedulerState).lastAdvance
    await whenDelivered(memory.of(deliveryState)).catch(() => undefined)
  }

  async createWorkspace(name: string, tokenHash: string | null): Promise<CreatedWorkspace> {
    return describeCreatedWorkspace(this.#ws ?? this.#make(name, tokenHash))
  }

  async deleteWorkspace(): Promise<void> {
    if (this.#ws !== undefined) closeWorkspace(this.#ws)
    this.#ws = undefined
    this.#quota = undefined
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  /** Deletes a workspace that was not used for too long. */
  async #deleteUnused(name: string): Promise<void> {
    await directoryOf(this.env).remove(name)
    await this.deleteWorkspace()
  }

  #stored(): StoredWorkspace | undefined {
    // Only this class writes it, so the cast is safe.
    return this.ctx.storage.kv.get(storageKeys.workspace) as StoredWorkspace | undefined
  }

  #make(name: string, tokenHash: string | null): Workspace {
    return this.ctx.storage.transactionSync(() => {
      this.ctx.storage.kv.put(storageKeys.workspace, { name, tokenHash } satisfies StoredWorkspace)
      this.ctx.storage.kv.put(storageKeys.lastUse, wallClock())
      return this.#open(name, null)
    })
  }

  #open(name: string, alarmAtMs: number | null): Workspace {
    const { storage } = this.ctx
    const { config, arm, limits } = this.#settings
    const quota = limits === null || name === 'default' ? undefined : new Quota(limits, storage, wallClock)
    const connections = new Connections(fairShare)
    const connect = <T>(origin: string, exchange: () => Promise<T>) =>
      connections.withConnection(origin, async () => {
        await this.#invocations.whenAllowed('send')
        return exchange()
      })
    const send = senderOf(this.env, this.#settings, () => this.#home(), connect, wallClock)
    const images = createImages(storage, wallClock)
    const wake = createWake(
      storage,
      alarmAtMs,
      () => ws,
      () => void tick(ws).catch(report),
    )
    const storedMemory = new StoredMemory(storage)
    const sleepState = storedMemory.load()
    const alsoStored = { save: () => storedMemory.save(ws), noteRollback: () => storedMemory.noteRollback() }
    const ws = openWorkspace(
      name,
      {
        db: databaseOf(storage, alsoStored),
        sleepState,
        wall: wallClock,
        send: quota?.limitSends(send) ?? send,
        wake: wake.wakeAt,
        callAfter,
        pauseAdvance: () => this.#invocations.whenAllowed('step'),
        scenarios: bundledScenarios(arm),
        images: quota?.limitSnapshots(images) ?? images,
      },
      config,
    )
    storedMemory.begin(ws, sleepState)
    this.#storedMemory = storedMemory
    this.#ws = ws
    this.#wake = wake
    this.#quota = quota
    startScheduler(ws)
    if (quota !== undefined) wake.wakeAtLatest(quota.deletedAtMs())
    return ws
  }

  #home(): Home {
    const { origin } = this.#settings
    return {
      origin: origin ?? String(this.ctx.storage.kv.get(storageKeys.origin) ?? ''),
      workspace: this.#ws?.name ?? '',
    }
  }

  /** Stores the address of the deployment that an authenticated caller used, unless it is configured. */
  #learnOrigin({ url }: Request): void {
    const { origin } = new URL(url)
    if (this.#ws !== undefined && this.#settings.origin === null && this.#home().origin !== origin)
      this.ctx.storage.kv.put(storageKeys.origin, origin)
  }
}

/**
 * There is no socket to close. A body that ends before its declared length is an error for every client; without a
 * declared length it would look complete.
 */
function brokenResponse(): Response {
  const { readable, writable } = new FixedLengthStream(brokenBytes)
  const writer = writable.getWriter()
  void writer
    .write(new Uint8Array(1))
    .then(() => writer.abort(new Error('the scenario drops the connection')))
    .catch(() => undefined)
  return new Response(readable)
}

/** Reports a failed tick. A tick fails only if the store cannot be written; the next change triggers another one. */
function report(error: unknown): void {
  console.error('payments-sandbox: the queue of scheduled jobs could not run:', messageOf(error))
}
