/** Writes files atomically: after a crash a file is complete, or as it was before. */

import { close, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../base/unknown.js'

/**
 * Writes the bytes to a new file beside `file` and syncs it; `moveIntoPlace` then replaces `file`. A failure leaves no
 * new file behind.
 */
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

/** Syncs the folder of a file, which makes a rename durable. Windows cannot sync folders; there the system makes it durable. */
export function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // Without the sync, the rename is still done, but may not survive a power failure.
  }
}

/** Closes the descriptor without blocking the event loop. */
export const closeAsync = (descriptor: number): void => close(descriptor, () => undefined)

/**
 * Runs `work`, which deletes or replaces a file. Freeing the space of a large file would block the event loop, so this
 * happens when the last descriptor is closed outside it.
 */
export function freeSpaceAsync(file: string, work: () => void): void {
  const descriptor = existsSync(file) ? openSync(file, 'r') : null
  try {
    work()
  } finally {
    if (descriptor !== null) closeAsync(descriptor)
  }
}

/** Removes a file; if it is large, its space is freed later. */
export const removeFileAsync = (file: string): void => freeSpaceAsync(file, () => rmSync(file, { force: true }))

/** Returns whether a file system error says that the file cannot be written. Any other error is a bug. */
export const isWriteError = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|EROFS|EIO|EACCES|EPERM|EMFILE|ENFILE|EFBIG|ENOENT|ENOTDIR)$/.test(codeOf(error) ?? '')
