/** Work on the large snapshots of databases in memory: in a thread, or in pieces between which calls pass. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sha256Stream } from '../../../base/crypto.js'
import { sealLength, sealOf } from '../../../core/snapshots/file.js'
import { type ImageWork, imageWorkOn } from '../../../core/snapshots/images.js'
import type { Job, RunJob } from '../../../http/host.js'
import type { Sqlite } from '../sqlite/sqlite.js'

/** A smaller image takes a few milliseconds. */
const largeBytes = 2 * 1024 * 1024
const nothing = new Uint8Array(0)

const sizeOf = (pieces: readonly Uint8Array[]) => pieces.reduce((size, { length }) => size + length, 0)

const pieceBytes = 2 * 1024 * 1024

/** Not in a thread: to copy the image there takes as long as to hash it. */
async function sealInPieces(image: Uint8Array): Promise<Uint8Array> {
  const hash = sha256Stream()
  const sealed = new Uint8Array(image.length + sealLength)
  for (let at = 0; at < image.length; at += pieceBytes) {
    await nextTurn()
    const piece = image.subarray(at, at + pieceBytes)
    hash.update(piece)
    sealed.set(piece, at)
  }
  sealed.set(sealOf(hash.hex()), image.length)
  return sealed
}

/** Does the work on large images in a thread. The sandbox keeps its own copy of what it stores. */
export const imageWork = (own: ImageWork, runJob: RunJob): ImageWork => {
  const run = <T>(name: keyof ImageWork, input: unknown) =>
    // Each job returns what the method of its name does.
    runJob(`image.${name}`, input, nothing) as Promise<T>
  return {
    seal: (image) => (image.length <= largeBytes ? own.seal(image) : sealInPieces(image)),
    check: (sealed) => (sealed.length <= largeBytes ? own.check(sealed) : run('check', sealed)),
    textOf: (sealed) => (sealed.length <= largeBytes ? own.textOf(sealed) : run('textOf', sealed)),
    imageOf: (text) => (sizeOf(text) <= largeBytes ? own.imageOf(text) : run('imageOf', text)),
  }
}

export function imageJobsOn(sqlite: Sqlite): Readonly<Record<string, Job>> {
  const own = imageWorkOn(sqlite.openInMemory())
  return {
    'image.check': (sealed) => own.check(sealed),
    'image.textOf': (sealed) => own.textOf(sealed),
    'image.imageOf': (text) => own.imageOf(text),
  }
}
