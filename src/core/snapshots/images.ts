/** The ports through which snapshots are stored by name, outside of the workspace's database. */

/** `savedWallMs` is real time, epoch milliseconds. */
export interface ImageInfo {
  name: string
  sizeBytes: number
  savedWallMs: number
}

/** A snapshot that is checked and ready to take the place of the database. */
export interface Ready {
  /** At once and durably. */
  swap(): void
  /** It is not needed. */
  discard(): void
}

/** A file that has arrived and is not checked yet. */
export interface ReceivedFile {
  /** Rejects with `UnusableDatabase` if it is damaged, foreign or newer, and stores nothing then. */
  store(name: string): Promise<void>
  discard(): void
}

/** Stores snapshots. What takes long may run beside the event loop; calls go on meanwhile. Rejects with the store's error if it cannot be written. */
export interface SnapshotStore {
  list(): ImageInfo[]
  /** Whether there was one. */
  remove(name: string): boolean
  /** In the place of an earlier one of that name: whole, or not at all. */
  rename(from: string, to: string): void
  /** The database as it is at the moment of the call, in the place of an earlier snapshot: whole, or not at all. */
  save(name: string): Promise<void>
  /** Rejects with `UnusableDatabase` if it is not whole. */
  prepare(name: string): Promise<Ready>
  /** The text of its file in pieces. Rejects like `prepare` before the first of them. */
  exported(name: string): Promise<AsyncIterable<Uint8Array>>
  /** Takes in a file as it arrives. Rejects with the error of the pieces if they break off. */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedFile>
  /** What still runs is given up. */
  end(): void
}

/** Bytes by name, for whoever stores snapshots as bytes. */
export interface Images {
  /** In the place of earlier ones of that name: whole, or not at all. */
  put(name: string, bytes: Uint8Array): void
  get(name: string): Uint8Array | undefined
  list(): ImageInfo[]
  /** Whether there was one. */
  remove(name: string): boolean
}

/** Stored as long as the workspace is open. */
export function createMemoryImages(wall: () => number): Images {
  const images = new Map<string, { bytes: Uint8Array; savedWallMs: number }>()
  return {
    put: (name, bytes) => void images.set(name, { bytes, savedWallMs: wall() }),
    get: (name) => images.get(name)?.bytes,
    list: () => [...images].map(([name, { bytes, savedWallMs }]) => ({ name, sizeBytes: bytes.length, savedWallMs })),
    remove: (name) => images.delete(name),
  }
}
