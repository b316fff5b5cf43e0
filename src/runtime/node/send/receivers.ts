/** The connections to each receiver: reused for a moment, not shared between receivers, and closed when there are too many. */
import type { buildConnector } from 'undici'
import type Pool from 'undici/lib/dispatcher/pool.js'

/** One origin that receives webhooks. */
export interface Receiver {
  readonly origin: string
  readonly pool: Pool
  inFlight: number
  peak: number
  /** Number of open connections. */
  connected: number
  /**
   * Number of sends without connection reuse that remain, because this receiver has closed an idle connection; 0:
   * connections are reused.
   */
  sendsWithoutReuse: number
}

export interface Receivers {
  /** Returns undefined for an origin that is new, or has been dropped. */
  find(origin: string): Receiver | undefined
  add(origin: string): Receiver
  /** Must be called before each send, and `endSend` after it. */
  beginSend(receiver: Receiver): void
  endSend(receiver: Receiver): void
  destroy(): Promise<void>
}

let PoolClass: typeof Pool | undefined

export const isSenderLoaded = (): boolean => PoolClass !== undefined

/** Loaded with the first webhook: without undici, starting takes about a tenth less CPU time. */
export async function loadSender(): Promise<void> {
  PoolClass = (await import('undici/lib/dispatcher/pool.js')).default
}

/** Limit of receivers in memory; the least recently used one is dropped. */
const maxReceivers = 1000
/** A pool keeps a record for each connection that it has had, so a pool with more is closed when it becomes idle. */
const maxPoolSize = 256
const sendsWithoutReuse = 100

/**
 * If a reused connection closes without an answer, the request is never sent again: the receiver may have processed it.
 * So this must not happen. Connections are not reused after one second of idleness, well before usual servers close
 * theirs; undici checks for a close before it writes; and if a receiver does close idle connections sooner, each send
 * gets a new one for a while.
 */
const poolOptions = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000, headersTimeout: 0, bodyTimeout: 0 }
const closedByReceiver: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Connections are not limited, neither in total nor for one receiver: a hanging connection costs only its socket. */
export function createReceivers(connect: buildConnector.connector): Receivers {
  const receivers = new Map<string, Receiver>()
  const closingPools = new Set<Pool>()

  function create(origin: string, withoutReuse: number): Receiver {
    if (PoolClass === undefined) throw new Error('the webhook sender is not loaded')
    const pool = new PoolClass(origin, { ...poolOptions, connect, pipelining: withoutReuse > 0 ? 0 : 1 })
    const receiver = { origin, pool, inFlight: 0, peak: 0, connected: 0, sendsWithoutReuse: withoutReuse }
    receivers.set(origin, receiver)
    pool.on('connect', () => {
      receiver.connected += 1
    })
    pool.on('disconnect', (_origin, _targets, error) => {
      receiver.connected -= 1
      if (withoutReuse > 0 || !closedByReceiver.has(error.code) || receivers.get(origin) !== receiver) return
      retire(receiver)
      create(origin, sendsWithoutReuse)
    })
    return receiver
  }

  /** Drops a receiver: requests in flight finish, idle connections are closed. */
  function retire(receiver: Receiver): void {
    if (receivers.get(receiver.origin) === receiver) receivers.delete(receiver.origin)
    if (closingPools.has(receiver.pool) || receiver.pool.closed) return
    closingPools.add(receiver.pool)
    receiver.pool.close(() => closingPools.delete(receiver.pool))
  }

  return {
    find(origin) {
      const receiver = receivers.get(origin)
      if (receiver === undefined) return undefined
      receivers.delete(origin)
      receivers.set(origin, receiver)
      return receiver
    },
    add(origin) {
      const receiver = create(origin, 0)
      if (receivers.size > maxReceivers)
        for (const oldest of [...receivers.values()].slice(0, -maxReceivers)) retire(oldest)
      return receiver
    },
    beginSend(receiver) {
      receiver.inFlight += 1
      receiver.peak = Math.max(receiver.peak, receiver.inFlight)
    },
    endSend(receiver) {
      receiver.inFlight -= 1
      const mayReuseAgain = receiver.sendsWithoutReuse > 0 && --receiver.sendsWithoutReuse === 0
      if (mayReuseAgain || (receiver.inFlight === 0 && receiver.peak > maxPoolSize)) retire(receiver)
    },
    async destroy() {
      const pools = [...[...receivers.values()].map(({ pool }) => pool), ...closingPools]
      receivers.clear()
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  }
}
