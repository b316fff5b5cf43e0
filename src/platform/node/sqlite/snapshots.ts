/** Snapshots as files beside the database: `sandbox.db.s-NAME`. Files are copied, checked, written and read in a thread; calls go on meanwhile. */
import { existsSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { SnapshotStore } from '../../../core/snapshots/images.js'
import { type Background, inBackground } from '../background/run.js'
import type { Task } from '../background/task.js'
import { freeLater, moveIntoPlace } from '../durable-file.js'
import type { DatabaseFile } from './file.js'
import { imageInfo, namesBeside } from './images.js'

export function snapshotsBeside(place: DatabaseFile): SnapshotStore {
  const fileOf = (name: string) => `${place.file}.s-${name}`
  const driver = place.driver.name
  const running = new Map<Background, string>()
  let count = 0
  /** What a kill leaves of it is removed at the next start. */
  const unfinished = () => `${place.file}.s-${++count}.new`

  const begin = (task: Task): Background => {
    const thread = inBackground(task)
    running.set(thread, task.to)
    return thread
  }
  const finish = (thread: Background) => {
    thread.end()
    running.delete(thread)
  }
  /** Writes `task.to`, or leaves nothing. */
  const complete = async (task: Task): Promise<void> => {
    const thread = begin(task)
    try {
      await thread.ready
    } catch (error) {
      rmSync(task.to, { force: true })
      throw error
    } finally {
      finish(thread)
    }
  }
  const store = (fresh: string, name: string) => freeLater(fileOf(name), () => moveIntoPlace(fresh, fileOf(name)))

  return {
    list: () => namesBeside(place.file, '.s-').map((name) => imageInfo(name, fileOf(name))),
    remove(name) {
      const found = existsSync(fileOf(name))
      freeLater(fileOf(name), () => rmSync(fileOf(name), { force: true }))
      return found
    },
    rename: (from, to) => store(fileOf(from), to),
    async save(name) {
      const held = place.hold()
      const to = unfinished()
      try {
        await complete({ do: 'copy', descriptor: held.descriptor, sizeBytes: held.sizeBytes, to })
      } finally {
        place.endHold(held)
      }
      if (held.isWhole) return store(to, name)
      rmSync(to, { force: true })
      throw Object.assign(new Error('the database changed its place while it was copied'), { code: 'SQLITE_BUSY' })
    },
    async prepare(name) {
      const to = unfinished()
      await complete({ do: 'prepare', driver, from: fileOf(name), to })
      return { swap: () => place.swapFile(to), discard: () => rmSync(to, { force: true }) }
    },
    async exported(name) {
      const task: Task = { do: 'export', driver, from: fileOf(name), to: unfinished() }
      const thread = begin(task)
      const end = () => {
        finish(thread)
        rmSync(task.to, { force: true })
      }
      try {
        await thread.ready
      } catch (error) {
        end()
        throw error
      }
      return piecesOf(thread, end)
    },
    async receive(pieces) {
      const from = unfinished()
      const discard = () => rmSync(from, { force: true })
      try {
        await write(from, pieces)
      } catch (error) {
        discard()
        throw error
      }
      return {
        async store(name) {
          const to = unfinished()
          await complete({ do: 'import', driver, from, to })
          store(to, name)
        },
        discard,
      }
    },
    end() {
      for (const [thread, file] of running) {
        thread.end()
        rmSync(file, { force: true })
      }
      running.clear()
    },
  }
}

async function write(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const output = await open(file, 'w')
  try {
    for await (const piece of pieces) await output.writeFile(piece)
  } finally {
    await output.close()
  }
}

async function* piecesOf(thread: Background, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = await thread.next(); piece !== null; piece = await thread.next()) yield piece
  } finally {
    end()
  }
}
