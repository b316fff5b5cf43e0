/** The open databases of a process. Unused ones are closed for the time being, so that file descriptors do not run out. */

import { closeSync, openSync } from 'node:fs'
import { codeOf } from '../../../base/unknown.js'

/** A database that can be closed and reopened by itself. */
export interface IdleClosable {
  /** Returns whether the database was used since the last call. */
  wasUsed(): boolean
  /** Closes the database unless a transaction is running; returns whether it is closed. */
  closeIfIdle(): boolean
}

export interface OpenFiles {
  /** Closes unused databases if many are open. Must be called before opening a file. */
  makeRoom(): void
  opened(file: IdleClosable): void
  closed(file: IdleClosable): void
  end(): void
}

/** Time between two checks. A database that was not used in between is closed. */
const lookEveryMs = 1000
/** Up to this number of open files no limit applies. Above it the limit of the process is read, which is slow. */
const alwaysAllowed = 32
/** Descriptors for each database: its file, and its log twice. The other half is for sockets and other files of the process. */
const descriptorsEach = 6

export function createOpenFiles(): OpenFiles {
  const open = new Set<IdleClosable>()
  let timer: NodeJS.Timeout | undefined
  let most: number | undefined

  const closeUnused = () => {
    for (const file of [...open]) if (!file.wasUsed() && file.closeIfIdle()) open.delete(file)
  }
  return {
    makeRoom() {
      if (open.size < alwaysAllowed) return
      most ??= Math.max(alwaysAllowed, (descriptorLimit() ?? 1024) / descriptorsEach)
      for (const file of [...open]) {
        if (open.size < most) return
        if (file.closeIfIdle()) open.delete(file)
      }
    },
    opened(file) {
      open.add(file)
      timer ??= setInterval(closeUnused, lookEveryMs).unref()
    },
    closed: (file) => void open.delete(file),
    end() {
      clearInterval(timer)
      open.clear()
    },
  }
}

/** Returns the limit of descriptors of the process; null if the system does not report it. */
function descriptorLimit(): number | null {
  const report = process.report?.getReport() as unknown as { userLimits?: { open_files?: { soft: unknown } } }
  const limit = Number(report?.userLimits?.open_files?.soft)
  return Number.isFinite(limit) ? limit : null
}

/** Returns the true cause of a failed opening if descriptors ran out, because SQLite's error blames the file; otherwise null. */
export function descriptorShortage(folder: string): Error | null {
  const descriptors: number[] = []
  try {
    // Opens all at once, because the descriptors of the failed opening are free again.
    while (descriptors.length < descriptorsEach) descriptors.push(openSync(folder, 'r'))
    return null
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EMFILE' && code !== 'ENFILE') return null
    const limit = descriptorLimit()
    const message = `the process has reached its limit of open files and connections${limit === null ? '' : ` (${limit}, ulimit -n)`}`
    return Object.assign(new Error(message), { code })
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}
