/** Writing a file so that after a crash it is there whole, or as it was before. */
import { close, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Puts the bytes beside `file` and onto the disk; `moveIntoPlace` makes them the file. Nothing is left behind by a failure. */
export function writeBeside(file: string, bytes: Uint8Array): string {
  const fresh = `${file}.new`
  try {
    writeFileSync(fresh, bytes, { flush: true })
    return fresh
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

export function moveIntoPlace(fresh: string, file: string): void {
  renameSync(fresh, file)
  syncFolder(dirname(file))
}

/** A rename is safe once its folder is; where folders cannot be synced (Windows) the system sees to it. */
export function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Nothing more can be done.
  }
}

/** Closes it beside the event loop. */
export const closeLater = (descriptor: number): void => close(descriptor, () => undefined)

/** `work` deletes or replaces a file. To free what a large one took holds up everybody, so that happens beside the event loop. */
export function freeLater(file: string, work: () => void): void {
  const descriptor = existsSync(file) ? openSync(file, 'r') : null
  try {
    work()
  } finally {
    if (descriptor !== null) closeLater(descriptor)
  }
}

export const removeLarge = (file: string): void => freeLater(file, () => rmSync(file, { force: true }))

/** What Node calls an error; empty where it has no name for it. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Errors of the file system that say the store cannot be written, not that the program is wrong. */
export const cannotWrite = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|EROFS|EIO|EACCES|EPERM|EMFILE|ENFILE|EFBIG|ENOENT|ENOTDIR)$/.test(codeOf(error))
