/** Why a file that somebody named cannot be read or written, in one line that says what is wrong and what to do. */
import { codeOf } from '../../../base/unknown.js'

/** The message is complete: what, where, and the way out. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

/** The system's codes that people meet, in words. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'the system does not let it be replaced; a file that is mounted by itself cannot be',
  EEXIST: 'another file is there',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'it would be larger than the system allows',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many files are open',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'the system does not permit it',
  EROFS: 'the disk is read-only',
}

/** What the system said, in words where it is known. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return reasons[code ?? ''] ?? (error instanceof Error ? error.message : String(error))
}

/** What stands at a path that is not a regular file. */
export function oddKindOf(found: { isDirectory(): boolean; isFIFO(): boolean; isSocket(): boolean }): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}
