/** Reads files that the user names: regular files only, and up to a limit. Explains why a file cannot be read or written. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { codeOf, messageOf } from '../../../base/unknown.js'
import { bodyLimits } from '../../../protocol/platform/limits.js'

interface InputKind {
  /** Name in error messages: `the snapshot golden.json cannot be read`. */
  name: string
  maxBytes: number
}

const mebibyte = 1024 * 1024

/** Every kind of file that users can name as input. */
const inputKinds = {
  /** A string in a JavaScript engine has at most 512 MiB. */
  snapshot: { name: 'the snapshot', maxBytes: 511 * mebibyte },
  /** Read in parts; the sandbox that receives the file applies its limit. */
  streamedSnapshot: { name: 'the snapshot', maxBytes: Number.POSITIVE_INFINITY },
  configuration: { name: 'the configuration', maxBytes: mebibyte },
  scenario: { name: 'the scenario', maxBytes: bodyLimits.scenarioBytes },
  books: { name: 'the ledger', maxBytes: 32 * mebibyte },
  recording: { name: 'the recording', maxBytes: 64 * mebibyte },
  acceptList: { name: 'the list of accepted differences', maxBytes: mebibyte },
  /** The limit is higher than that of the API, so that the errors of the API can be tested too. */
  body: { name: 'the body', maxBytes: 64 * mebibyte },
  certificate: { name: 'the certificate', maxBytes: mebibyte },
  attachment: { name: 'the attachment', maxBytes: 64 * mebibyte },
} as const satisfies Record<string, InputKind>

type Kind = keyof typeof inputKinds

/** Reads a whole file. Throws `UnusableFile`; `remedy` is the end of its message: `name another with --config`. */
export function readInputFile(kind: Kind, file: string, remedy?: string): Buffer {
  const { name, maxBytes } = inputKinds[kind]
  const unusable = unusableAs(`${name} ${file}`, remedy)
  const fd = open(file, unusable)
  try {
    return readBounded(fd, maxBytes, unusable)
  } finally {
    closeSync(fd)
  }
}

/** Reads all of standard input, whatever it is connected to. Throws `UnusableFile`. */
export const readStandardInput = (kind: Kind): Buffer =>
  readBounded(0, inputKinds[kind].maxBytes, unusableAs(`${inputKinds[kind].name} on standard input`))

/** Opens a regular file within the limit, for a reader that reads it in parts and closes it. Throws `UnusableFile`. */
export function openInputFile(kind: Kind, file: string, remedy?: string): { fd: number; sizeBytes: number } {
  const { name, maxBytes } = inputKinds[kind]
  const unusable = unusableAs(`${name} ${file}`, remedy)
  const fd = open(file, unusable)
  const sizeBytes = fstatSync(fd).size
  if (sizeBytes <= maxBytes) return { fd, sizeBytes }
  closeSync(fd)
  throw unusable(tooLarge(maxBytes))
}

type Unusable = (why: string) => UnusableFile

const unusableAs =
  (what: string, remedy?: string): Unusable =>
  (why) =>
    new UnusableFile(`${what} cannot be read: ${why}${remedy === undefined ? '' : `; ${remedy}`}`)

const tooLarge = (maxBytes: number) =>
  maxBytes < mebibyte ? `it has more than ${maxBytes / 1024} KiB` : `it has more than ${maxBytes / mebibyte} MiB`

function open(file: string, unusable: Unusable): number {
  let fd: number | undefined
  try {
    // Checked before it is opened: opening a device can have effects, and opening a pipe waits for its writer.
    requireRegular(statSync(file), unusable)
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    requireRegular(fstatSync(fd), unusable)
    return fd
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw error instanceof UnusableFile ? error : unusable(reasonOf(error))
  }
}

function requireRegular(found: ReturnType<typeof fstatSync>, unusable: Unusable): void {
  if (!found.isFile()) throw unusable(`it is ${describeFileType(found)}, not a regular file`)
}

const stepBytes = 64 * 1024

function readBounded(fd: number, maxBytes: number, unusable: Unusable): Buffer {
  try {
    const found = fstatSync(fd)
    if (found.isFile() && found.size > maxBytes) throw unusable(tooLarge(maxBytes))
    const parts: Buffer[] = []
    let total = 0
    // The size cannot be trusted: a file can grow, and system files have size 0.
    for (let room = Math.max(stepBytes, found.size + 1); ; room = stepBytes) {
      const part = Buffer.allocUnsafe(room)
      const count = readSync(fd, part, 0, room, null)
      if (count === 0) return Buffer.concat(parts, total)
      total += count
      if (total > maxBytes) throw unusable(tooLarge(maxBytes))
      parts.push(part.subarray(0, count))
    }
  } catch (error) {
    throw error instanceof UnusableFile ? error : unusable(reasonOf(error))
  }
}

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

export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return reasons[code ?? ''] ?? messageOf(error)
}

/** Describes what is at a path that is not a regular file. */
export function describeFileType(found: { isDirectory(): boolean; isFIFO(): boolean; isSocket(): boolean }): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}
