/** Limits of one hosted workspace on shared resources, and of unauthenticated callers; every excess is rejected with 429. */
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import { setBounded, tableOf } from '../../base/keys.js'
import type { Images } from '../../core/snapshots/images.js'
import type { Send } from '../../core/unit/ports.js'
import { type Hosted, hostedLimitNames, type hostedLimits } from '../../protocol/control/state.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { networkOf } from '../../protocol/platform/webhook-hosts.js'
import type { ObjectStorage } from './runtime.js'

/** Who makes a call: somebody with credentials or the operator; the workspace itself (a webhook to its own inbox); or anyone. */
export type Caller = 'authenticated' | 'internal' | 'unauthenticated'

/** Keys of single values in the storage of an object, beside its tables. */
export const storageKeys = { workspace: 'workspace', lastUse: 'last_use', origin: 'origin' } as const

export type Limits = Record<keyof typeof hostedLimits, number> & {
  storageBytes: number
  /** Unused time after which the workspace is deleted. */
  idleMs: number
}

/** Precision of the stored time of last use: each update is a write. */
const lastUsePrecisionMs = dayMs

export class Quota {
  readonly #calls = new RateWindow(secondMs)
  readonly #sends: RateWindow
  readonly #hourly = new Map<string, RateWindow>()

  constructor(
    readonly limits: Limits,
    readonly storage: ObjectStorage,
    readonly wall: () => number,
  ) {
    const { webhooks_per_minute: perMinute } = limits
    this.#sends = new RateWindow(minuteMs, storedCount(storage, 'sends', Math.ceil(perMinute / 10)))
  }

  /** Throws 429 RATE_LIMIT_EXCEEDED. Only authenticated calls count towards the limit of the workspace, and as use. */
  admit(caller: Caller, method: string, path: string): void {
    if (caller === 'authenticated') this.#admitCall()
    this.#requireStorage(method, path)
    if (caller === 'authenticated' && isUse(method, path)) this.#noteUse()
  }

  #admitCall(): void {
    const { calls_per_second: limit } = this.limits
    if (!this.#calls.countOne(this.wall(), limit))
      throw new ApiError('RATE_LIMIT_EXCEEDED', {
        limit,
        per: 'workspace',
        window_seconds: 1,
        retry_after: 1,
      })
  }

  /** Throws if the storage is used up. Calls that free storage are always admitted. */
  #requireStorage(method: string, path: string): void {
    const { storageBytes } = this.limits
    const frees = method === 'GET' || method === 'HEAD' || method === 'DELETE' || path === '/_sandbox/reset'
    if (!frees && this.storage.sql.databaseSize > storageBytes)
      throw limitExceeded(
        'storage_bytes',
        storageBytes,
        'The workspace has reached its storage limit: reset it, or delete snapshots.',
      )
  }

  /** Counts one use in an hour. Throws 429 RATE_LIMIT_EXCEEDED with the message. */
  admitHourly(what: string, most: number, message: string): void {
    const window = this.#hourly.get(what) ?? new RateWindow(hourMs, storedCount(this.storage, what, 1))
    this.#hourly.set(what, window)
    if (!window.countOne(this.wall(), most)) throw limitExceeded(what, most, message)
  }

  limitSends(send: Send): Send {
    const { webhooks_per_minute: perMinute } = this.limits
    const detail = `a hosted workspace can send at most ${perMinute} webhooks per minute`
    return (request, progress) =>
      this.#sends.countOne(this.wall(), perMinute)
        ? send(request, progress)
        : Promise.resolve({ outcome: 'refused', status: null, responseBody: null, durationMs: 0, detail })
  }

  limitSnapshots(images: Images): Images {
    const { snapshots } = this.limits
    return {
      ...images,
      put(name, bytes) {
        const others = images.list().filter((image) => image.name !== name)
        if (others.length >= snapshots)
          throw limitExceeded('snapshots', snapshots, 'The limit of snapshots is reached. Delete one first.')
        images.put(name, bytes)
      },
    }
  }

  /** Returns the real time of the deletion in epoch milliseconds. */
  deletedAtMs(): number {
    return Number(this.storage.kv.get(storageKeys.lastUse) ?? this.wall()) + this.limits.idleMs
  }

  describe(): Hosted {
    const { limits } = this
    return {
      deleted_at: isoUtc(this.deletedAtMs()),
      limits: { ...tableOf(hostedLimitNames, (name) => limits[name]), storage_bytes: limits.storageBytes },
      storage_bytes: this.storage.sql.databaseSize,
    }
  }

  #noteUse(): void {
    const nowMs = this.wall()
    if (
      nowMs - Number(this.storage.kv.get(storageKeys.lastUse) ?? 0) >
      Math.min(lastUsePrecisionMs, this.limits.idleMs / 10)
    )
      this.storage.kv.put(storageKeys.lastUse, nowMs)
  }
}

/** Returns whether a call counts as use. Reading the control API does not, because checking the time of deletion would postpone it. */
const isUse = (method: string, path: string): boolean =>
  path.startsWith('/v2/') || (method !== 'GET' && method !== 'HEAD' && path.startsWith('/_sandbox/'))

const limitExceeded = (what: string, limit: number, message: string) =>
  new ApiError('RATE_LIMIT_EXCEEDED', { limit, per: 'workspace', of: what }, message)

/** Creates a count that survives eviction. Only every `every`th count is stored, because each one is a write. */
const storedCount = ({ kv }: ObjectStorage, key: string, every: number): CountStorage => ({
  // Only this function writes it, so the cast is safe.
  load: () => kv.get(key) as WindowCount | undefined,
  save: (counted) => {
    if (counted.count % every === 0) kv.put(key, counted)
  },
})

/** Upper bound on tracked addresses. The oldest one is dropped first: memory stays bounded at the price of a weaker limit. */
const maxAddresses = 10_000

export class UnauthenticatedLimit {
  readonly #windows = new Map<string, RateWindow>()

  constructor(
    readonly perMinute: number,
    readonly wall: () => number,
  ) {}

  /** Counts one call. Throws 429 RATE_LIMIT_EXCEEDED. */
  admit(address: string): void {
    const nowMs = this.wall()
    const network = networkOf(address)
    let window = this.#windows.get(network)
    if (window === undefined) {
      window = new RateWindow(minuteMs)
      setBounded(this.#windows, network, window, maxAddresses)
    }
    if (window.countOne(nowMs, this.perMinute)) return
    const retryAfter = Math.ceil(window.leftMs(nowMs) / secondMs)
    throw new ApiError(
      'RATE_LIMIT_EXCEEDED',
      { limit: this.perMinute, per: 'ip', window_seconds: minuteMs / secondMs, retry_after: retryAfter },
      `Without authentication, an IP address can make at most ${this.perMinute} calls per minute.`,
    )
  }
}

/** Returns the client's address as reported by the hosting platform; without such a header, all callers share one. */
export const addressOfCaller = ({ headers }: Request): string => headers.get(addressHeader) ?? ''

/** Header that the edge of the hosting platform sets; callers cannot set it. */
export const addressHeader = 'CF-Connecting-IP'

interface WindowCount {
  sinceMs: number
  count: number
}

/** Storage for a count that must survive eviction. */
interface CountStorage {
  load(): WindowCount | undefined
  save(counted: WindowCount): void
}

export class RateWindow {
  #counted: WindowCount

  constructor(
    readonly spanMs: number,
    readonly storage?: CountStorage,
  ) {
    this.#counted = storage?.load() ?? { sinceMs: 0, count: 0 }
  }

  /** Counts one more; returns false if there were already `most` in this window. */
  countOne(nowMs: number, most: number): boolean {
    if (nowMs - this.#counted.sinceMs >= this.spanMs) this.#counted = { sinceMs: nowMs, count: 0 }
    const { sinceMs, count } = this.#counted
    this.#counted = { sinceMs, count: count + 1 }
    this.storage?.save(this.#counted)
    return count < most
  }

  /** Returns the milliseconds until the next window can start. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#counted.sinceMs + this.spanMs - nowMs)
  }
}
