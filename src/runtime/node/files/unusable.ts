/** Explains why a file that the user named cannot be read or written, in one line with the problem and the remedy. */
import { codeOf } from '../../../base/unknown.js'

/** The message is complete: the problem, the place and the remedy. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

/** Explanations of the system's most common error codes. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'the system does not allow this file to be replaced (a file that is mounted by itself cannot be)',
  EEXIST: 'a file with this name already exists',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'it would be larger than the system allows',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many files are open',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'the system does not permit it',
  EROFS: 'the disk is read-only',
}

/** Returns the system's reason, explained if the code is known. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return reasons[code ?? ''] ?? (error instanceof Error ? error.message : String(error))
}

/** Describes what is at a path that is not a regular file. */
export function describeFileType(found: { isDirectory(): boolean; isFIFO(): boolean; isSocket(): boolean }): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}
