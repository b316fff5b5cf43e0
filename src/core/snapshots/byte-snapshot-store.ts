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

/** The work on images that takes long. */
export interface ImageWork {
  seal(image: Uint8Array): Promise<Uint8Array>
  /** Returns the image without its seal. Rejects with `UnusableDatabase` if it is damaged. */
  check(sealed: Uint8Array): Promise<Uint8Array>
  /** Returns the text of the snapshot file. Rejects as `check` does. */
  textOf(sealed: Uint8Array): Promise<Uint8Array[]>
  /** Returns the sealed image of a snapshot file. Rejects with `UnusableDatabase` if the file is damaged, foreign or newer. */
  imageOf(text: Uint8Array[]): Promise<Uint8Array>
}

/** `db` only opens the images. */
export const imageWorkOn = (db: Db): ImageWork => ({
  seal: async (image) => addSeal(image),
  async check(sealed) {
    const image = intactImage(sealed)
    db.inspect(image, requireValidDatabase)
    return image
  },
  textOf: async (sealed) =>
    db.inspect(intactImage(sealed), (candidate) => {
      requireValidDatabase(candidate)
      const utf8 = new TextEncoder()
      return Array.from(fileText(candidate), (piece) => utf8.encode(piece))
    }),
  imageOf: async (text) => addSeal(imageOfFile(db, textOf(text))),
})

function intactImage(sealed: Uint8Array): Uint8Array {
  const { image, isIntact } = removeSeal(sealed)
  if (!isIntact) throw new UnusableDatabase('its content has changed since it was saved')
  return image
}

export function createByteSnapshotStore(db: Db, images: Images, work: ImageWork = imageWorkOn(db)): SnapshotStore {
  const stored = (name: string): Uint8Array => {
    const bytes = images.get(name)
    if (bytes === undefined) throw new UnusableDatabase('it no longer exists')
    return bytes
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
      images.put(name, await work.seal(db.image()))
    },
    async prepare(name) {
      const image = await work.check(stored(name))
      return { swap: () => db.replaceWith(image), discard: () => undefined }
    },
    exportPieces: async (name) => asyncPieces(await work.textOf(stored(name))),
    async receive(pieces) {
      const received: Uint8Array[] = []
      for await (const piece of pieces) received.push(piece)
      return {
        async store(name) {
          images.put(name, await work.imageOf(received))
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
