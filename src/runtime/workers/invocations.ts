/** Limits of one invocation of a Durable Object. Calls and alarms start a new invocation; long work continues in the next one. */

/** Limits of advance steps (some hundred jobs each) and webhooks: well below the CPU time and the 50 requests of the smallest plan. */
const perInvocation = { step: 50, send: 40 }

type Kind = keyof typeof perInvocation

export class Invocations {
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
   * Counts one step or send. Returns null if this invocation has room for it, otherwise a promise that resolves in one
   * that has.
   */
  whenAllowed(kind: Kind): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#done[kind] < perInvocation[kind]) {
      this.#done[kind]++
      return null
    }
    this.request()
    const next = new Promise<void>((goOn) => this.#waiting.push(goOn)).then(() => this.whenAllowed(kind) ?? undefined)
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
