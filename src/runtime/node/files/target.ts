/**
 * Checks where an output goes: the path must be free, an empty file, or a file of the same kind; never a database or a
 * part of one.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { codeOf } from '../../../base/unknown.js'
import { databaseSuffixes } from '../sqlite/driver.js'
import type { OutputKind } from './kinds.js'
import { describeFileType, reasonOf, UnusableFile } from './unusable.js'

export interface FileTarget {
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
