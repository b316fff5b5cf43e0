/** The connections for webhooks: at most as many as the runtime opens for one object, shared fairly among receivers. */

/** Number of connections that the runtime opens for one object; it silently delays any further one. */
const maxConnections = 6
/** Returns whether a receiver with `own` connections gets another one while `free` are unused. */
type MayOpen = (openCount: number, free: number) => boolean

/** Gives one receiver at most three and leaves as many free, so it takes several hanging receivers to delay a healthy one. */
export const fairShare: MayOpen = (openCount, free) => openCount < free
/** Sets no limit, for a single receiver. */
export const wholeShare: MayOpen = () => true

interface Waiting {
  receiver: string
  start: () => void
}

export class Connections {
  readonly #open = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #openTogether = 0

  constructor(readonly share: MayOpen) {}

  /** Calls `send` as soon as a connection is available. */
  async withConnection<T>(receiver: string, send: () => Promise<T>): Promise<T> {
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
    if (this.#openTogether >= maxConnections) return
    const next = this.#leastServed()
    if (next === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#count(next.receiver, 1)
    next.start()
  }

  /**
   * Among the sends whose receiver may open another connection, returns one of the receiver with the fewest, and of
   * these the oldest.
   */
  #leastServed(): Waiting | undefined {
    const openTo = ({ receiver }: Waiting) => this.#open.get(receiver) ?? 0
    const free = maxConnections - this.#openTogether
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
