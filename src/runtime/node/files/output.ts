/** Writes files that the user names: completely or not at all, and never over a file of another kind. */
import { createWriteStream, linkSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { codeOf } from '../../../base/unknown.js'
import { syncFolder } from '../durable-file.js'
import { watchProcessEnd } from '../process-end.js'
import { type OutputKind, type OutputKindName, outputKinds } from './kinds.js'
import { type FileTarget, targetOf } from './target.js'
import { reasonOf, UnusableFile } from './unusable.js'

export interface Output {
  file: string
  kind: OutputKindName
  /** The flag that names the file; undefined if an argument names it. */
  flag?: string
}

/** Text, bytes, or parts that are written as they arrive. */
type Content = string | Uint8Array | AsyncIterable<string | Uint8Array>

/**
 * Check at the start of a long command: throws `UnusableFile` for every output that `writeOutput` would refuse. Changes
 * nothing.
 */
export function checkOutput({ file, kind, flag }: Output): void {
  if (streamNameOf(file) === null) targetOf(file, outputKinds[kind], remedyFor(flag))
}

/** Returns whether the file is standard output. Nothing else must then be printed there. */
export const isStandardOutput = (file: string): boolean => streamNameOf(file) === 1

/** Returns whether the name leads to something that is already open and has no positions to write at. */
export const isStream = (file: string): boolean => streamNameOf(file) !== null

/**
 * Writes the content to a new file beside the named one, syncs it and renames it. A failure leaves the old file
 * unchanged and no new file. Throws `UnusableFile`, and whatever the content throws.
 */
export async function writeOutput({ file, kind, flag }: Output, content: Content): Promise<{ sizeBytes: number }> {
  const fail = (error: unknown) =>
    new UnusableFile(`${file} cannot be written: ${reasonOf(error)}; ${remedyFor(flag)}`, { cause: error })
  const stream = streamNameOf(file)
  if (stream !== null) return { sizeBytes: await pour(content, intoStream(stream, fail)) }
  const row = outputKinds[kind]
  const currentTarget = () => targetOf(file, row, remedyFor(flag))
  const target = currentTarget()
  const { fresh, handle } = await openBeside(target, row).catch((error: unknown) => {
    throw fail(error)
  })
  const clear = () => rmSync(fresh, { force: true })
  const unwatch = watchProcessEnd(clear)
  try {
    const sizeBytes = await writeContent(handle, content, target, row, fail)
    // Checked again, because another file may have appeared there since the first check.
    putInPlace(fresh, currentTarget(), fail)
    return { sizeBytes }
  } catch (error) {
    clear()
    throw error
  } finally {
    unwatch()
  }
}

const remedyFor = (flag: string | undefined) =>
  flag === undefined ? 'name another file' : `name another file with ${flag}`

type Fail = (error: unknown) => UnusableFile

async function writeContent(
  handle: FileHandle,
  content: Content,
  { found }: FileTarget,
  { isPrivate }: OutputKind,
  fail: Fail,
): Promise<number> {
  const withFileError = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw fail(error)
    })
  try {
    const sizeBytes = await pour(content, (part) => withFileError(handle.writeFile(part)))
    // Only root can change the owner of a file.
    if (found !== null) await handle.chown(found.uid, found.gid).catch(() => undefined)
    if (found !== null && isPrivate !== true) await withFileError(handle.chmod(found.mode & 0o777))
    await withFileError(handle.sync())
    return sizeBytes
  } finally {
    await handle.close()
  }
}

async function pour(content: Content, write: (part: string | Uint8Array) => Promise<unknown>): Promise<number> {
  let sizeBytes = 0
  for await (const part of typeof content === 'string' || content instanceof Uint8Array ? [content] : content) {
    await write(part)
    sizeBytes += Buffer.byteLength(part)
  }
  return sizeBytes
}

const mostNames = 1000

/** Uses a short unique name: a killed process may have left such a file, even one with the same process id. */
async function openBeside(
  { path, found }: FileTarget,
  { isPrivate }: OutputKind,
): Promise<{ fresh: string; handle: FileHandle }> {
  // The new file must not be more readable than the one it replaces, so it gets its permissions before its name.
  const mode = isPrivate === true || found !== null ? 0o600 : 0o666
  for (let at = 1; ; at++) {
    const fresh = join(dirname(path), `.payments-sandbox-${process.pid}-${at}.tmp`)
    try {
      return { fresh, handle: await open(fresh, 'wx', mode) }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || at === mostNames) throw error
    }
  }
}

function putInPlace(fresh: string, { path, found }: FileTarget, fail: Fail): void {
  try {
    if (found !== null || !tryLink(fresh, path)) renameSync(fresh, path)
    syncFolder(dirname(path))
  } catch (error) {
    throw fail(error)
  }
}

/** Unlike a rename, a hard link never replaces a file that has appeared since the check. Some file systems have no links. */
function tryLink(fresh: string, path: string): boolean {
  try {
    linkSync(fresh, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error
    return false
  }
  rmSync(fresh, { force: true })
  return true
}

const streamNames: Readonly<Record<string, number | '/dev/null'>> = {
  '/dev/stdout': 1,
  '/dev/stderr': 2,
  '/dev/null': '/dev/null',
}

/** Open descriptors and `/dev/null` have no content that could be lost: `/dev/stdout`, `/dev/fd/63` of a shell's `>(gzip)`. */
function streamNameOf(file: string): number | '/dev/null' | null {
  const [, descriptor] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,4})$/.exec(file) ?? []
  return descriptor === undefined ? (streamNames[file] ?? null) : Number(descriptor)
}

function intoStream(name: number | '/dev/null', fail: Fail): (part: string | Uint8Array) => Promise<void> {
  const stream = streamOf(name)
  return (part) =>
    new Promise((resolve, reject) => {
      const failed = (error: unknown) => reject(fail(error))
      stream.once('error', failed)
      stream.write(part, (error) => {
        stream.off('error', failed)
        if (error) failed(error)
        else resolve()
      })
    })
}

function streamOf(name: number | '/dev/null'): Writable {
  if (name === 1) return process.stdout
  if (name === 2) return process.stderr
  return name === '/dev/null' ? createWriteStream(name) : createWriteStream('', { fd: name, autoClose: false })
}
