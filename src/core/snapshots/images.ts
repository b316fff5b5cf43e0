/** The port through which snapshots are kept: images of a workspace's database by name, outside of that database. */

/** `savedWallMs` is real time, epoch milliseconds. */
export interface ImageInfo {
  name: string
  sizeBytes: number
  savedWallMs: number
}

export interface Images {
  /** Keeps the bytes, in the place of earlier ones of that name: whole, or not at all. */
  put(name: string, bytes: Uint8Array): void
  get(name: string): Uint8Array | undefined
  list(): ImageInfo[]
  /** Whether there was one. */
  remove(name: string): boolean
}

/** Kept as long as the workspace is open. */
export function createMemoryImages(wall: () => number): Images {
  const images = new Map<string, { bytes: Uint8Array; savedWallMs: number }>()
  return {
    put: (name, bytes) => void images.set(name, { bytes, savedWallMs: wall() }),
    get: (name) => images.get(name)?.bytes,
    list: () => [...images].map(([name, { bytes, savedWallMs }]) => ({ name, sizeBytes: bytes.length, savedWallMs })),
    remove: (name) => images.delete(name),
  }
}
