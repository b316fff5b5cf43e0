/** Snapshots as images in memory, each operation in one go: for databases that are small, or that cannot be copied as a file. */
import { type Db, UnusableDatabase } from '../../store/db.js'
import type { WorkspaceSlot } from '../unit/workspace.js'
import { fileText, fillFromFile, textOf } from './file.js'
import { requireValidDatabase } from './image-check.js'
import { createMemoryImages, type Images, type SnapshotStore } from './images.js'
import { addSeal, removeSeal } from './seal.js'

/** The store for the snapshots of a workspace (default: bytes in memory). */
export const snapshotStore: WorkspaceSlot<SnapshotStore> = {
  begin: ({ db, clock }) =>
    createByteSnapshotStore(
      db,
      createMemoryImages(() => clock.wall()),
    ),
}

/** The image that a reset restores; null if a reset creates a new database. */
export const resetImage: WorkspaceSlot<Uint8Array | null> = { begin: () => null }

export function createByteSnapshotStore(db: Db, images: Images): SnapshotStore {
  const stored = (name: string): Uint8Array => {
    const bytes = images.get(name)
    if (bytes === undefined) throw new UnusableDatabase('it no longer exists')
    const { image, isIntact } = removeSeal(bytes)
    if (!isIntact) throw new UnusableDatabase('its content has changed since it was saved')
    return image
  }
  return {
    list: () => images.list(),
    remove: (name) => images.remove(name),
    rename(from, to) {
      const bytes = images.get(from)
      if (bytes === undefined) return
      images.put(to, bytes)
      images.remove(from)
    },
    async save(name) {
      images.put(name, addSeal(db.image()))
    },
    async prepare(name) {
      const image = stored(name)
      db.inspect(image, requireValidDatabase)
      return { swap: () => db.replaceWith(image), discard: () => undefined }
    },
    async exportPieces(name) {
      const pieces = db.inspect(stored(name), (candidate) => {
        requireValidDatabase(candidate)
        const utf8 = new TextEncoder()
        return Array.from(fileText(candidate), (piece) => utf8.encode(piece))
      })
      return asyncPieces(pieces)
    },
    async receive(pieces) {
      const received: Uint8Array[] = []
      for await (const piece of pieces) received.push(piece)
      return {
        async store(name) {
          images.put(name, addSeal(imageOfFile(db, textOf(received))))
        },
        discard: () => undefined,
      }
    },
    abort: () => undefined,
  }
}

/** Creates and checks an image from the text of a file. Throws `UnusableDatabase` with the reason. */
export function imageOfFile(db: Db, text: Iterable<string>): Uint8Array {
  const image = db.imageOf((fresh) => fillFromFile(fresh, text))
  db.inspect(image, requireValidDatabase)
  return image
}

async function* asyncPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
