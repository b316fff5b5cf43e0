/** The interfaces through which snapshots are stored by name, outside the workspace's database. */

/** `savedWallMs` is real time, epoch milliseconds. */
export interface ImageInfo {
  name: string
  sizeBytes: number
  savedWallMs: number
}

/** A snapshot that is checked and ready to replace the database. */
export interface PreparedSnapshot {
  /** Replaces the database at once and durably. */
  swap(): void
  /** Called if it is not used. */
  discard(): void
}

/** A received file that is not checked yet. */
export interface ReceivedFile {
  /** Rejects with `UnusableDatabase` and stores nothing if the file is damaged, foreign or newer. */
  store(name: string): Promise<void>
  discard(): void
}

/**
 * Stores snapshots. Long work may run outside the event loop, so that calls continue. Rejects with the store's error if
 * it cannot be written.
 */
export interface SnapshotStore {
  list(): ImageInfo[]
  /** Returns whether there was one. */
  remove(name: string): boolean
  /** Replaces an earlier one of that name, atomically. */
  rename(from: string, to: string): void
  /** Saves the database as it is at the time of the call; replaces an earlier snapshot, atomically. */
  save(name: string): Promise<void>
  /** Rejects with `UnusableDatabase` if the snapshot is damaged. */
  prepare(name: string): Promise<PreparedSnapshot>
  /** Returns the text of the snapshot file in pieces. Rejects like `prepare` before the first one. */
  exportPieces(name: string): Promise<AsyncIterable<Uint8Array>>
  /** Receives a file as it arrives. Rejects with the error of the pieces if they break off. */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedFile>
  /** Aborts copies and imports that are still running. */
  abort(): void
}

/** Stores bytes by name, for implementations that keep snapshots as bytes. */
export interface Images {
  /** Replaces earlier bytes of that name, atomically. */
  put(name: string, bytes: Uint8Array): void
  get(name: string): Uint8Array | undefined
  list(): ImageInfo[]
  /** Returns whether there was one. */
  remove(name: string): boolean
}

/** Keeps the bytes as long as the workspace is open. */
export function createMemoryImages(wall: () => number): Images {
  const images = new Map<string, { bytes: Uint8Array; savedWallMs: number }>()
  return {
    put: (name, bytes) => void images.set(name, { bytes, savedWallMs: wall() }),
    get: (name) => images.get(name)?.bytes,
    list: () => [...images].map(([name, { bytes, savedWallMs }]) => ({ name, sizeBytes: bytes.length, savedWallMs })),
    remove: (name) => images.delete(name),
  }
}
