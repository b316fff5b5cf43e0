/** Counts in spans of time: a span begins with the first count after the last span. */

export interface Counted {
  sinceMs: number
  count: number
}

/** Where a count outlives the object. */
export interface Kept {
  load(): Counted | undefined
  save(counted: Counted): void
}

export class Window {
  #counted: Counted

  constructor(
    readonly spanMs: number,
    readonly kept?: Kept,
  ) {
    this.#counted = kept?.load() ?? { sinceMs: 0, count: 0 }
  }

  /** Counts one more; false when there were `most` of them in this span already. */
  takes(nowMs: number, most: number): boolean {
    if (nowMs - this.#counted.sinceMs >= this.spanMs) this.#counted = { sinceMs: nowMs, count: 0 }
    const { sinceMs, count } = this.#counted
    this.#counted = { sinceMs, count: count + 1 }
    this.kept?.save(this.#counted)
    return count < most
  }

  /** Until the next span can begin. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#counted.sinceMs + this.spanMs - nowMs)
  }
}
