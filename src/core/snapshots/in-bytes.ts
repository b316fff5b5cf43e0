/** Snapshots as images in memory, each step in one go: for databases that are small, or that nobody can copy as a file. */
import { type Db, UnusableDatabase } from '../../store/db.js'
import type { RoomSlot } from '../unit/workspace.js'
import { fileText, fillFromFile, textOf } from './file.js'
import { requireWhole } from './image-check.js'
import { createMemoryImages, type Images, type SnapshotStore } from './images.js'
import { sealed, unsealed } from './seal.js'

/** What stores the snapshots of a workspace (default: as bytes in memory). */
export const snapshotStore: RoomSlot<SnapshotStore> = {
  begin: ({ db, clock }) =>
    snapshotsInBytes(
      db,
      createMemoryImages(() => clock.wall()),
    ),
}

/** What a reset returns to; null: a newly made database. */
export const originImage: RoomSlot<Uint8Array | null> = { begin: () => null }

export function snapshotsInBytes(db: Db, images: Images): SnapshotStore {
  const stored = (name: string): Uint8Array => {
    const bytes = images.get(name)
    if (bytes === undefined) throw new UnusableDatabase('it is no longer there')
    const { image, isIntact } = unsealed(bytes)
    if (!isIntact) throw new UnusableDatabase('its bytes are not those that were saved')
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
      images.put(name, sealed(db.image()))
    },
    async prepare(name) {
      const image = stored(name)
      db.inspect(image, requireWhole)
      return { swap: () => db.swap(image), discard: () => undefined }
    },
    async exported(name) {
      const pieces = db.inspect(stored(name), (candidate) => {
        requireWhole(candidate)
        const utf8 = new TextEncoder()
        return Array.from(fileText(candidate), (piece) => utf8.encode(piece))
      })
      return inTurn(pieces)
    },
    async receive(pieces) {
      const received: Uint8Array[] = []
      for await (const piece of pieces) received.push(piece)
      return {
        async store(name) {
          images.put(name, sealed(imageOfFile(db, textOf(received))))
        },
        discard: () => undefined,
      }
    },
    end: () => undefined,
  }
}

/** An image of what a file holds, checked like any other. Throws `UnusableDatabase` with what is wrong. */
export function imageOfFile(db: Db, text: Iterable<string>): Uint8Array {
  const image = db.imageOf((fresh) => fillFromFile(fresh, text))
  db.inspect(image, requireWhole)
  return image
}

async function* inTurn(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
