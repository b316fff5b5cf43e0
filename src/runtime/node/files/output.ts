/** Writes files that the user names: completely or not at all, and only over a file of the same kind, never over a database or a part of one. */
import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Writable } from 'node:stream'
import { codeOf } from '../../../base/unknown.js'
import { snapshotFormat } from '../../../protocol/control/snapshots.js'
import { syncFolder } from '../durable-file.js'
import { watchProcessEnd } from '../process-end.js'
import { databaseSuffixes } from '../sqlite/driver.js'
import { describeFileType, reasonOf, UnusableFile } from './input.js'

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

/** Throws `UnusableFile` for two outputs of one command that name the same file, too. */
export function checkOutputs(outputs: readonly Output[]): void {
  const flags = new Map<string, string>()
  for (const { file, flag = 'the file' } of outputs) {
    const other = flags.get(resolve(file))
    if (other !== undefined) throw new UnusableFile(`${other} and ${flag} must not name the same file`)
    flags.set(resolve(file), flag)
  }
  outputs.forEach(checkOutput)
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

interface OutputKind {
  /** Name in error messages: `it is not an exported snapshot`. */
  name: string
  /** Pattern of the beginning of such a file; null if an existing file is never replaced. */
  beginning: RegExp | null
  /** Whether the file contains secrets: only its owner can then read it, whatever the permissions of the replaced file. */
  isPrivate?: true
}

export const outputKinds = {
  snapshot: { name: 'an exported snapshot', beginning: new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${snapshotFormat}"`) },
  junit: {
    name: 'a JUnit report of payments-sandbox',
    beginning: /^<\?xml[^>]*\?>\s*<testsuites name="payments-sandbox"/,
  },
  markdown: { name: 'a certification report', beginning: /^# Certification of a (receiver|client|ledger)\b/ },
  comparison: { name: 'a report of a comparison', beginning: /^# Comparison with the platform\b/ },
  profile: { name: 'a profile of the platform', beginning: /^# Profile of the platform\b/ },
  badge: {
    name: 'a certification badge',
    beginning: /^<svg [^>]*aria-label="(webhook receiver|webhook client|ledger): /,
  },
  ready: { name: 'a file of --config-out', beginning: /^\s*\{\s*"event"\s*:\s*"ready"/, isPrivate: true },
  recording: {
    name: 'a recording of payments-sandbox',
    beginning: /^\{"log":\{"version":"1\.2","creator":\{"name":"payments-sandbox (record|probe)"/,
  },
  certificate: { name: 'a certificate', beginning: /^-----BEGIN CERTIFICATE-----/ },
  privateKey: { name: 'a private key', beginning: /^-----BEGIN PRIVATE KEY-----/, isPrivate: true },
  // When bytes that are not UTF-8 are read as text, they become U+FFFD.
  trustStore: { name: 'a trust store', beginning: /^[\ufffd\xfe]{1,2}/ },
  postmanCollection: {
    name: 'a Postman collection of payments-sandbox',
    beginning: /^\{\s*"info":\s*\{\s*"name":\s*"payments-sandbox"/,
  },
  postmanEnvironment: {
    name: 'a Postman environment of payments-sandbox',
    beginning: /^\{\s*"name":\s*"payments-sandbox",\s*"values"/,
    isPrivate: true,
  },
  brunoCollection: {
    name: 'a Bruno collection of payments-sandbox',
    beginning: /^\{\s*"version":\s*"1",\s*"name":\s*"payments-sandbox"/,
  },
  brunoEnvironment: { name: 'a Bruno environment', beginning: /^vars \{\s+base_url:/, isPrivate: true },
  brunoFile: { name: 'a file of a Bruno collection', beginning: /^(meta|auth) \{/ },
  scenario: { name: 'a new file', beginning: null },
  scenarioSchema: {
    name: 'the JSON Schema of scenario files',
    beginning: /^\{\s*"\$schema":\s*"https:\/\/json-schema\.org\/draft\/2020-12\/schema"/,
  },
  record: { name: 'the record of a sandbox in the background', beginning: /^\{"base_url":/, isPrivate: true },
} as const satisfies Record<string, OutputKind>

export type OutputKindName = keyof typeof outputKinds

interface FileTarget {
  /** The path without symbolic links: the links stay, and the file that they lead to is replaced. */
  path: string
  /** The file that is replaced; null if there is none. */
  found: Stats | null
}

/** Checks without changing anything. Throws `UnusableFile`; `remedy` is the end of its message. */
export function targetOf(file: string, kind: OutputKind, remedy: string): FileTarget {
  const refuse = (why: string) => new UnusableFile(`${file} cannot be written: ${why}; ${remedy}`)
  try {
    const path = pathOf(file, refuse)
    const found = statSync(path, { throwIfNoEntry: false }) ?? null
    if (found?.isFile() === false) throw refuse(`it is ${describeFileType(found)}, not a regular file`)
    refuseSqlite(path, refuse)
    if (found !== null) requireReplaceable(path, found, kind, refuse)
    return { path, found }
  } catch (error) {
    throw error instanceof UnusableFile ? error : refuse(reasonOf(error))
  }
}

type Refuse = (why: string) => UnusableFile

function pathOf(file: string, refuse: Refuse): string {
  if (file === '') throw refuse('the name is empty')
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return resolveLink(file, refuse)
  if (file.endsWith('/') || file.endsWith(sep)) throw refuse(`there is no folder ${file}`)
  const folder = dirname(file)
  const above = statSync(folder, { throwIfNoEntry: false })
  if (above === undefined) throw refuse(`there is no folder ${folder}`)
  if (!above.isDirectory()) throw refuse(`${folder} is not a folder`)
  const path = join(realpathSync(folder), basename(file))
  requireWritableFolder(path, refuse)
  return path
}

/** Rejects a symbolic link to a file that does not exist: the user cannot see where the new file would appear. */
function resolveLink(file: string, refuse: Refuse): string {
  try {
    return realpathSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw refuse('it is a symbolic link to a file that does not exist')
    throw error
  }
}

function requireReplaceable(path: string, found: Stats, kind: OutputKind, refuse: Refuse): void {
  if (kind.beginning === null) throw refuse('the file exists')
  if (found.size > 0 && !kind.beginning.test(headOf(path)))
    throw refuse(`it exists and is not ${kind.name}, so it is not replaced`)
  accessSync(path, constants.W_OK)
  requireWritableFolder(path, refuse)
}

/** Checks that the folder is writable, because the new file is written beside the old one. */
function requireWritableFolder(path: string, refuse: Refuse): void {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw refuse(`the folder ${dirname(path)} cannot be written (${reasonOf(error)})`)
  }
}

/** Suffixes of the sandbox's files beside a database: SQLite's files, snapshots, workspaces, unfinished files. */
const besideDatabase = new RegExp(`^(.+?)(${databaseSuffixes.join('|')}|\\.new|\\.[sw]-[^/]+)$`)

/** Rejects databases. An open database can be an empty file with all rows in its log, so the log is checked as well. */
function refuseSqlite(path: string, refuse: Refuse): void {
  if (isDatabase(path)) throw refuse('it is a SQLite database')
  const [, database] = besideDatabase.exec(path) ?? []
  if (database !== undefined && isDatabase(database)) throw refuse(`it belongs to the database ${database}`)
}

function isDatabase(path: string): boolean {
  if (databaseSuffixes.some((end) => existsSync(path + end))) return true
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true && headOf(path).startsWith('SQLite format 3\0')
}

const headBytes = 4096

function headOf(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const head = Buffer.alloc(headBytes)
    return head.toString('utf8', 0, readSync(fd, head, 0, headBytes, 0)).replace(/^\ufeff/, '')
  } finally {
    closeSync(fd)
  }
}
