/** Counts events in time windows: a window starts with the first count after the previous window has ended. */

export interface WindowCount {
  sinceMs: number
  count: number
}

/** Storage for a count that must survive eviction. */
export interface CountStorage {
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
