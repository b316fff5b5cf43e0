/** The connections to each receiver: kept for a moment, shared with nobody, and let go when there are too many. */
import type { buildConnector } from 'undici'
import type Pool from 'undici/lib/dispatcher/pool.js'

/** One origin that webhooks go to. */
export interface Receiver {
  readonly origin: string
  readonly pool: Pool
  inFlight: number
  peak: number
  /** Connections that are open now. */
  connected: number
  /** Sends for which no connection is kept, because this receiver has closed a kept one; 0: connections are kept. */
  warySends: number
}

export interface Receivers {
  /** Undefined for an origin that is new, or was forgotten. */
  find(origin: string): Receiver | undefined
  add(origin: string): Receiver
  /** Around each send. */
  enter(receiver: Receiver): void
  leave(receiver: Receiver): void
  destroy(): Promise<void>
}

let PoolClass: typeof Pool | undefined

export const isSenderLoaded = (): boolean => PoolClass !== undefined

/** With the first webhook: a start that does not load undici takes about a tenth less of CPU. */
export async function loadSender(): Promise<void> {
  PoolClass = (await import('undici/lib/dispatcher/pool.js')).default
}

/** Receivers that are remembered; the one least recently used goes first. */
const maxReceivers = 1000
/** A pool keeps a record of every connection it ever had at one time, so a crowded one is let go when it falls idle. */
const maxPoolSize = 256
const warySends = 100

/**
 * A request on a kept connection that closes without a byte is never sent again: the receiver may have acted on it.
 * So it must not come to that. No connection is used that was idle for over a second, well before usual servers
 * close theirs; undici looks for a close that has arrived before it writes; and with a receiver that does close
 * kept connections sooner, each send gets its own for a while.
 */
const poolOptions = { keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000, headersTimeout: 0, bodyTimeout: 0 }
const closedByReceiver: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** There is no bound on connections, neither over all nor for one receiver: a hanging one costs its socket and no more. */
export function createReceivers(connect: buildConnector.connector): Receivers {
  const receivers = new Map<string, Receiver>()
  const leaving = new Set<Pool>()

  function create(origin: string, wary: number): Receiver {
    if (PoolClass === undefined) throw new Error('what sends webhooks has not been loaded')
    const pool = new PoolClass(origin, { ...poolOptions, connect, pipelining: wary > 0 ? 0 : 1 })
    const receiver = { origin, pool, inFlight: 0, peak: 0, connected: 0, warySends: wary }
    receivers.set(origin, receiver)
    pool.on('connect', () => {
      receiver.connected += 1
    })
    pool.on('disconnect', (_origin, _targets, error) => {
      receiver.connected -= 1
      if (wary > 0 || !closedByReceiver.has(error.code) || receivers.get(origin) !== receiver) return
      retire(receiver)
      create(origin, warySends)
    })
    return receiver
  }

  /** What is under way still finishes; idle connections end. */
  function retire(receiver: Receiver): void {
    if (receivers.get(receiver.origin) === receiver) receivers.delete(receiver.origin)
    if (leaving.has(receiver.pool) || receiver.pool.closed) return
    leaving.add(receiver.pool)
    receiver.pool.close(() => leaving.delete(receiver.pool))
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
    enter(receiver) {
      receiver.inFlight += 1
      receiver.peak = Math.max(receiver.peak, receiver.inFlight)
    },
    leave(receiver) {
      receiver.inFlight -= 1
      const isTrustedAgain = receiver.warySends > 0 && --receiver.warySends === 0
      if (isTrustedAgain || (receiver.inFlight === 0 && receiver.peak > maxPoolSize)) retire(receiver)
    },
    async destroy() {
      const pools = [...[...receivers.values()].map(({ pool }) => pool), ...leaving]
      receivers.clear()
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  }
}
