/** The runtime limits what one invocation of an object may do. Calls and alarms begin a new one; long work goes on in the next. */

/** Steps of an advance, some hundred jobs each, and webhooks sent: well below the processor time and the 50 requests of the smallest plan. */
const perInvocation = { step: 50, send: 40 }

type Kind = keyof typeof perInvocation

export class Invocations {
  #done = { step: 0, send: 0 }
  #waiting: (() => void)[] = []
  #onSpent = () => {}

  /** `request` has the runtime begin another one soon. */
  constructor(readonly request: () => void) {}

  begin(): void {
    this.#done = { step: 0, send: 0 }
    for (const goOn of this.#waiting.splice(0)) goOn()
  }

  /** Counts one; null while this invocation has room for it, else settles in one that has. */
  take(kind: Kind): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#done[kind] < perInvocation[kind]) {
      this.#done[kind]++
      return null
    }
    this.request()
    const next = new Promise<void>((goOn) => this.#waiting.push(goOn)).then(() => this.take(kind) ?? undefined)
    this.#onSpent()
    return next
  }

  /** Settles with the work, or as soon as something waits for the next invocation: then this one must end. */
  async untilSpent(work: Promise<unknown>): Promise<void> {
    const spent = new Promise<void>((resolve) => {
      this.#onSpent = resolve
    })
    if (this.#waiting.length === 0) await Promise.race([work, spent])
  }
}
