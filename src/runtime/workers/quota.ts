/** What one hosted workspace may use of what it shares with others; everything over it is rejected with 429. */
import { dayMs, hourMs, minuteMs, secondMs } from '../../base/duration.js'
import { isoUtc } from '../../base/iso.js'
import type { Images } from '../../core/snapshots/images.js'
import type { Send } from '../../core/unit/send-port.js'
import type { Hosted } from '../../protocol/control/state.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { ObjectStorage } from './runtime.js'
import { type Counted, type Kept, Window } from './window.js'

/** Who makes a call: the holder of something that the workspace or the operator gave out, the workspace itself (a webhook to its own inbox), or anybody else. */
export type Caller = 'known' | 'own' | 'stranger'

export interface Limits {
  callsPerSecond: number
  /** Of each address that is not authenticated. */
  strangerCallsPerMinute: number
  storageBytes: number
  webhooksPerMinute: number
  /** Of receivers: each sends some hundred webhooks beside those. */
  certificationsPerHour: number
  snapshots: number
  /** How long one may lie unused before it is deleted. */
  idleMs: number
}

/** How exactly it is kept when a workspace was used last: each keeping is a write. */
const usedEveryMs = dayMs

export class Quota {
  readonly #calls = new Window(secondMs)
  readonly #sends: Window
  readonly #certifications: Window

  constructor(
    readonly limits: Limits,
    readonly storage: ObjectStorage,
    readonly wall: () => number,
  ) {
    const { webhooksPerMinute } = limits
    this.#sends = new Window(minuteMs, kept(storage, 'sends', Math.ceil(webhooksPerMinute / 10)))
    this.#certifications = new Window(hourMs, kept(storage, 'certifications', 1))
  }

  /** 429 RATE_LIMIT_EXCEEDED. Only an authenticated caller spends the calls of the workspace, and counts as use. */
  admit(caller: Caller, method: string, path: string): void {
    if (caller === 'known') this.#admitCall()
    this.#requireRoom(method, path)
    if (caller === 'known' && isUse(method, path)) this.#noteUse()
  }

  #admitCall(): void {
    const { callsPerSecond } = this.limits
    if (!this.#calls.takes(this.wall(), callsPerSecond))
      throw new ApiError('RATE_LIMIT_EXCEEDED', {
        limit: callsPerSecond,
        per: 'workspace',
        window_seconds: 1,
        retry_after: 1,
      })
  }

  /** Calls that free room are always admitted. */
  #requireRoom(method: string, path: string): void {
    const { storageBytes } = this.limits
    const frees = method === 'GET' || method === 'HEAD' || method === 'DELETE' || path === '/_sandbox/reset'
    if (!frees && this.storage.sql.databaseSize > storageBytes)
      throw over('storage_bytes', storageBytes, 'It holds as much as it may: reset it, or delete snapshots.')
  }

  /** 429 RATE_LIMIT_EXCEEDED. */
  admitCertification(): void {
    const { certificationsPerHour: most } = this.limits
    if (!this.#certifications.takes(this.wall(), most))
      throw over('certifications', most, `A hosted workspace certifies ${most} times an hour.`)
  }

  sending(send: Send): Send {
    const { webhooksPerMinute } = this.limits
    const detail = `a hosted workspace sends at most ${webhooksPerMinute} webhooks a minute`
    return (request, progress) =>
      this.#sends.takes(this.wall(), webhooksPerMinute)
        ? send(request, progress)
        : Promise.resolve({ outcome: 'refused', status: null, responseBody: null, durationMs: 0, detail })
  }

  keeping(images: Images): Images {
    const { snapshots } = this.limits
    return {
      ...images,
      put(name, bytes) {
        const others = images.list().filter((image) => image.name !== name)
        if (others.length >= snapshots) throw over('snapshots', snapshots, 'It keeps as many snapshots as it may.')
        images.put(name, bytes)
      },
    }
  }

  /** Real time, epoch milliseconds. */
  deletedAtMs(): number {
    return Number(this.storage.kv.get('used') ?? this.wall()) + this.limits.idleMs
  }

  shown(): Hosted {
    const { callsPerSecond, strangerCallsPerMinute, storageBytes } = this.limits
    const { webhooksPerMinute, certificationsPerHour, snapshots } = this.limits
    return {
      deleted_at: isoUtc(this.deletedAtMs()),
      limits: {
        calls_per_second: callsPerSecond,
        stranger_calls_per_minute: strangerCallsPerMinute,
        storage_bytes: storageBytes,
        webhooks_per_minute: webhooksPerMinute,
        certifications_per_hour: certificationsPerHour,
        snapshots,
      },
      storage_bytes: this.storage.sql.databaseSize,
    }
  }

  #noteUse(): void {
    const nowMs = this.wall()
    if (nowMs - Number(this.storage.kv.get('used') ?? 0) > Math.min(usedEveryMs, this.limits.idleMs / 10))
      this.storage.kv.put('used', nowMs)
  }
}

/** Whoever only looks, does not use it: else nobody could see that it is about to go. */
const isUse = (method: string, path: string): boolean =>
  path.startsWith('/v2/') || (method !== 'GET' && method !== 'HEAD' && path.startsWith('/_sandbox/'))

const over = (what: string, limit: number, message: string) =>
  new ApiError('RATE_LIMIT_EXCEEDED', { limit, per: 'workspace', of: what }, { message })

/** Of one that outlives the object: kept at every so manieth, since each keeping is a write. */
const kept = ({ kv }: ObjectStorage, key: string, every: number): Kept => ({
  // Nobody else writes it.
  load: () => kv.get(key) as Counted | undefined,
  save: (counted) => {
    if (counted.count % every === 0) kv.put(key, counted)
  },
})
