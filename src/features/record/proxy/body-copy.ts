/** Copies of the passing bodies, limited for each and in total. */

/** A longer body is omitted. */
export const longestBytes = 1024 * 1024
/** For all bodies in transit together. */
const budgetBytes = 64 * 1024 * 1024

export class BodyBudget {
  #takenBytes = 0

  take(bytes: number): boolean {
    if (this.#takenBytes + bytes > budgetBytes) return false
    this.#takenBytes += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#takenBytes -= bytes
  }
}

export class BodyCopy {
  /** Bytes that passed. */
  bytes = 0
  #chunks: Buffer[] | null = []
  #takenBytes = 0

  constructor(private readonly budget: BodyBudget) {}

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.#chunks === null) return
    if (this.bytes <= longestBytes && this.budget.take(chunk.length)) {
      this.#takenBytes += chunk.length
      this.#chunks.push(chunk)
    } else this.release()
  }

  /** As it passed; null if it is too long. */
  whole(): Uint8Array | null {
    return this.#chunks === null ? null : Buffer.concat(this.#chunks)
  }

  release(): void {
    this.#chunks = null
    this.budget.giveBack(this.#takenBytes)
    this.#takenBytes = 0
  }
}
