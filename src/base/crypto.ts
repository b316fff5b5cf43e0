/** Hashes, signatures, constant-time comparison and random bytes. No other file below `runtime` imports `node:crypto`. */
import { createCipheriv, createHash, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Random, RandomBytes, StreamPositions } from './random.js'

/** Lower-case hex of HMAC-SHA256; the key is used as UTF-8 text. */
export function hmacHex(key: string, data: string | Uint8Array): string {
  return createHmac('sha256', key).update(data).digest('hex')
}

/** Lower-case hex of HMAC-SHA256 over several parts, as if they were one text. */
export function hmacHexOf(key: string, ...parts: (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

export type HashName = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512'

/** Lower-case hex of the HMAC over several parts, with any hash and key: for recognizing a signature that was computed wrongly. */
export function hmacHexWith(name: HashName, key: string | Uint8Array, parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac(name, key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** SHA-256 of data that arrives in pieces; `hex` finishes the hash. */
export function sha256Stream(): { update(bytes: Uint8Array): void; hex(): string } {
  const hasher = createHash('sha256')
  return { update: (bytes) => void hasher.update(bytes), hex: () => hasher.digest('hex') }
}

/** Compares secrets of any length in constant time, by comparing their hashes. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}

/** Whether a text has the form that `hmacHex` returns. Check this before `sameHex`. */
export const isHmacHex = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Compares two hexadecimal digests in constant time. Both must have the same length. */
export function sameHex(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'))
}

/** Random bytes from the operating system, fetched in blocks: one system call for each secret would cost more than the secret. */
export function systemRandom(): Random {
  let block: Uint8Array = new Uint8Array(0)
  let used = 0
  const draw: RandomBytes = (size) => {
    if (size > 4096) return randomBytes(size)
    if (used + size > block.length) {
      block = randomBytes(4096)
      used = 0
    }
    used += size
    return block.subarray(used - size, used)
  }
  return { stream: () => draw, savePositions: () => () => undefined, positions: () => null }
}

/**
 * Returns the same bytes for the same seed and label: AES-256 in counter mode, keyed by both. Continues at the
 * positions in `from`.
 */
export function seededRandom(seed: string, from: StreamPositions = {}): Random {
  const streams = new Map<string, ReturnType<typeof seededStream>>()
  return {
    stream(label) {
      let stream = streams.get(label)
      if (stream === undefined) {
        stream = seededStream(createHash('sha256').update(`${seed}\0${label}`).digest())
        stream.seek(from[label] ?? 0)
        streams.set(label, stream)
      }
      return stream.draw
    },
    savePositions() {
      const places = new Map([...streams].map(([label, stream]) => [label, stream.place()]))
      return () => {
        for (const [label, stream] of streams) stream.seek(places.get(label) ?? from[label] ?? 0)
      }
    },
    positions: () => ({ ...from, ...Object.fromEntries([...streams].map(([label, { place }]) => [label, place()])) }),
  }
}

const cipherBlock = 16

function seededStream(key: Uint8Array) {
  let cipher = createCipheriv('aes-256-ctr', key, new Uint8Array(cipherBlock))
  let drawnBytes = 0
  const draw: RandomBytes = (size) => {
    drawnBytes += size
    return cipher.update(new Uint8Array(size))
  }
  return {
    draw,
    place: () => drawnBytes,
    seek(place: number) {
      if (place === drawnBytes) return
      const counter = new Uint8Array(cipherBlock)
      new DataView(counter.buffer).setBigUint64(8, BigInt(Math.floor(place / cipherBlock)))
      cipher = createCipheriv('aes-256-ctr', key, counter)
      cipher.update(new Uint8Array(place % cipherBlock))
      drawnBytes = place
    },
  }
}
