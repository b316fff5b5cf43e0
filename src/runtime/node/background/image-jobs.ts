/** Jobs that work on the snapshots of databases in memory. */
import { type ImageWork, imageWorkOn } from '../../../core/snapshots/byte-snapshot-store.js'
import type { Job, RunJob } from '../../../http/host.js'
import type { Sqlite } from '../sqlite/sqlite.js'

/** A smaller image takes a few milliseconds. */
const largeBytes = 2 * 1024 * 1024
const nothing = new Uint8Array(0)

const sizeOf = (pieces: readonly Uint8Array[]) => pieces.reduce((size, { length }) => size + length, 0)

/** Does the work on large images in a thread. The sandbox keeps its own copy of what it stores. */
export const imageWork = (own: ImageWork, runJob: RunJob): ImageWork => {
  const run = <T>(name: keyof ImageWork, input: unknown) =>
    // Each job returns what the method of its name does.
    runJob(`image.${name}`, input, nothing) as Promise<T>
  return {
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
