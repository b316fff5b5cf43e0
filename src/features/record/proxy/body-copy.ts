/** Copies of the passing bodies, limited for each and in total. */

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { rowAt } from '../../../base/keys.js'

/** A longer body is omitted. */
const longestBytes = 1024 * 1024
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

  /** Decompressed; null if it is too long or cannot be decompressed. */
  decoded(encoding: string | null): Uint8Array | null {
    if (this.#chunks === null) return null
    const whole = Buffer.concat(this.#chunks)
    return whole.length === 0 ? whole : decompressed(whole, encoding ?? '')
  }

  release(): void {
    this.#chunks = null
    this.budget.giveBack(this.#takenBytes)
    this.#takenBytes = 0
  }
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  '': (bytes) => bytes,
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: longestBytes }),
  'x-gzip': (bytes) => gunzipSync(bytes, { maxOutputLength: longestBytes }),
  deflate: (bytes) => inflateSync(bytes, { maxOutputLength: longestBytes }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: longestBytes }),
}

function decompressed(bytes: Buffer, encoding: string): Uint8Array | null {
  try {
    return rowAt(decoders, encoding.trim().toLowerCase())?.(bytes) ?? null
  } catch {
    return null
  }
}
