/** The databases that a process holds open: those that nobody uses are closed for the time being, so that descriptors never run out. */
import { closeSync, openSync } from 'node:fs'
import { codeOf } from '../durable-file.js'

/** One that can be closed and opened again by itself. */
export interface Restable {
  /** Since it was last asked. */
  wasUsed(): boolean
  /** Whether it could be closed: not in the middle of a transaction. */
  rest(): boolean
}

export interface OpenFiles {
  /** Before a file is opened: makes room where there are many. */
  makeRoom(): void
  opened(file: Restable): void
  closed(file: Restable): void
  end(): void
}

/** One that was not used in the time between two looks is closed. */
const lookEveryMs = 1000
/** So many are never too many; beyond it the limit of the process is asked for, which takes a moment. */
const unasked = 32
/** Each has its database, and its log twice; the other half is for sockets and all else that a process opens. */
const descriptorsEach = 6

export function createOpenFiles(): OpenFiles {
  const open = new Set<Restable>()
  let timer: NodeJS.Timeout | undefined
  let most: number | undefined

  const look = () => {
    for (const file of [...open]) if (!file.wasUsed() && file.rest()) open.delete(file)
  }
  return {
    makeRoom() {
      if (open.size < unasked) return
      most ??= Math.max(unasked, (descriptorLimit() ?? 1024) / descriptorsEach)
      for (const file of [...open]) {
        if (open.size < most) return
        if (file.rest()) open.delete(file)
      }
    },
    opened(file) {
      open.add(file)
      timer ??= setInterval(look, lookEveryMs).unref()
    },
    closed: (file) => void open.delete(file),
    end() {
      clearInterval(timer)
      open.clear()
    },
  }
}

/** How many descriptors the process may have; null where the system does not tell. */
function descriptorLimit(): number | null {
  const report = process.report?.getReport() as unknown as { userLimits?: { open_files?: { soft: unknown } } }
  const limit = Number(report?.userLimits?.open_files?.soft)
  return Number.isFinite(limit) ? limit : null
}

/** The error of an opening, which SQLite words as if the file were at fault, where there were too few descriptors for it. */
export function descriptorsGone(folder: string): Error | null {
  const taken: number[] = []
  try {
    // All at once: what the failed opening had got hold of is free again.
    while (taken.length < descriptorsEach) taken.push(openSync(folder, 'r'))
    return null
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EMFILE' && code !== 'ENFILE') return null
    const limit = descriptorLimit()
    const message = `the process has as many files and connections open as it may${limit === null ? '' : ` (${limit}, ulimit -n)`}`
    return Object.assign(new Error(message), { code })
  } finally {
    for (const descriptor of taken) closeSync(descriptor)
  }
}
