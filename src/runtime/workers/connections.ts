/** The connections that webhooks go out by: no more at a time than the runtime opens for one object, and shared fairly among receivers. */

/** The runtime opens six for one object, and lets any further one wait without a word. */
const together = 6
/** Whether a receiver with so many connections gets another one while so many are free. */
export type Share = (own: number, free: number) => boolean

/** One receiver gets three at most and leaves as many: three that hang are needed to hold up a healthy one. */
export const fairShare: Share = (own, free) => own < free
/** There is one receiver. */
export const wholeShare: Share = () => true

interface Waiting {
  receiver: string
  start: () => void
}

export class Connections {
  readonly #open = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #openTogether = 0

  constructor(readonly share: Share) {}

  /** Calls `send` once there is a connection for it. */
  async use<T>(receiver: string, send: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ receiver, start })
      this.#startNext()
    })
    try {
      return await send()
    } finally {
      this.#count(receiver, -1)
      this.#startNext()
    }
  }

  #startNext(): void {
    if (this.#openTogether >= together) return
    const next = this.#leastServed()
    if (next === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#count(next.receiver, 1)
    next.start()
  }

  /** Of those whose receiver has room: the one whose receiver has the fewest connections, and of these the one that waits longest. */
  #leastServed(): Waiting | undefined {
    const openTo = ({ receiver }: Waiting) => this.#open.get(receiver) ?? 0
    const free = together - this.#openTogether
    const withRoom = this.#waiting.filter((waiting) => this.share(openTo(waiting), free))
    const fewest = Math.min(...withRoom.map(openTo))
    return withRoom.find((waiting) => openTo(waiting) === fewest)
  }

  #count(receiver: string, change: 1 | -1): void {
    const open = (this.#open.get(receiver) ?? 0) + change
    if (open === 0) this.#open.delete(receiver)
    else this.#open.set(receiver, open)
    this.#openTogether += change
  }
}
