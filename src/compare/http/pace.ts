/** Derives the platform's time from its answers and webhooks. */
import { parseMoment } from '../../base/iso.js'
import type { Exchange } from './har/exchange.js'

/** Reads the platform's clock from its messages; in between it follows the recorder's clock. */
export class Pace {
  /** How far the platform's clock is ahead of the recorder's; null while unknown. */
  offsetMs: number | null = null
  #lastMs = 0

  /** The time of an entry, never before an earlier entry's. */
  next(entry: Exchange, platformTime: unknown): number {
    const saidMs = typeof platformTime === 'string' ? parseMoment(platformTime) : null
    const atMs = saidMs ?? entry.startedMs + (this.offsetMs ?? 0)
    this.#lastMs = Math.max(this.#lastMs, atMs)
    return this.#lastMs
  }

  /** Only an answer shows the current time; a webhook may be late. */
  learn(entry: Exchange, platformTime: unknown): void {
    const saidMs = typeof platformTime === 'string' ? parseMoment(platformTime) : null
    if (saidMs !== null) this.offsetMs = saidMs - entry.startedMs
  }
}
