/** Why a start failed, in one line that says what, where and how to mend it. */

import { accessSync, constants, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { withoutTrailing } from '../../base/text.js'
import { codeOf } from '../../platform/node/durable-file.js'
import { UnusableFile } from '../../platform/node/files/unusable.js'
import { UnusableSnapshot } from '../../platform/node/sandbox.js'
import { NoDriver } from '../../platform/node/sqlite/choose-driver.js'
import { sqliteCode } from '../../platform/node/sqlite/driver.js'
import { ApiError } from '../../protocol/api/errors.js'
import { Failure } from '../errors.js'

interface Where {
  host: string
  port: number
  db: string
}

type Explain = (where: Where, message: string) => string

/** Keyed by the code of the error, the first that matches. */
const byCode: readonly (readonly [RegExp, Explain])[] = [
  [
    /^EADDRINUSE$/,
    ({ host, port }) =>
      `port ${port} on ${host} is in use: stop what runs there, or choose another with --port (0 takes any free one)`,
  ],
  [/^EACCES$/, ({ host, port }) => `port ${port} on ${host} may not be opened: choose one above 1023 with --port`],
  [
    /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|EINVAL)$/,
    ({ host }) => `${host} is no address of this machine: choose another with --host`,
  ],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    ({ db }) => `the database ${db} is in use by another process: stop that one, or choose another file with --db`,
  ],
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    ({ db }, message) =>
      `${db} is not a readable database (${message}): move it away, or choose another file with --db`,
  ],
  [
    /^SQLITE_(READONLY|PERM|AUTH)/,
    ({ db }) =>
      `the database ${db} may not be written: change the permissions of the file and its folder, or choose another with --db`,
  ],
  [/^SQLITE_FULL/, ({ db }) => `the disk of ${db} is full: make room, or choose another file with --db`],
  [/^SQLITE_CANTOPEN/, ({ db }) => cannotOpen(db)],
  [/^SQLITE_/, ({ db }, message) => `the database ${db} cannot be used (${message}): choose another file with --db`],
]

const byMessage: readonly (readonly [RegExp, Explain])[] = [
  [/^\S+:\d+:\d+: /, (_where, message) => message],
  [/scenario folder/, (_where, message) => `${message}: name another with --scenarios`],
  [/no scenario /, (_where, message) => `--arm: ${message}`],
  [/other program/, ({ db }) => `${db} is a database of some other program: choose another file with --db`],
  [
    /newer version/,
    ({ db }, message) => `${db}: ${message}; update payments-sandbox, or choose another file with --db`,
  ],
  [/damaged/, ({ db }, message) => `${db}: ${message}; move it away, or choose another file with --db`],
]

export function explainStartError(error: unknown, where: Where): string {
  const message = firstLine(error instanceof Error ? error.message : String(error))
  if (error instanceof UnusableSnapshot) return `${message}; name another file with --snapshot`
  if ([Failure, UnusableFile, ApiError, NoDriver].some((kind) => error instanceof kind)) return message
  const code = sqliteCode(error) ?? codeOf(error)
  const found = byCode.find(([pattern]) => pattern.test(code)) ?? byMessage.find(([pattern]) => pattern.test(message))
  return found === undefined ? `could not start: ${message}` : found[1](where, message)
}

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''

/** SQLite says only that it cannot open a file; the reason is on the disk. */
function cannotOpen(db: string): string {
  const choose = 'or choose another file with --db'
  const folder = dirname(db)
  if (kindOf(db) === 'folder')
    return `the database ${db} is a folder: name a file in it, such as ${withoutTrailing(db, '/')}/sandbox.sqlite`
  if (kindOf(folder) === 'none')
    return `the database ${db} cannot be made: there is no folder ${folder}; make it, ${choose}`
  if (kindOf(folder) === 'file') return `the database ${db} cannot be made: ${folder} is no folder; ${choose.slice(3)}`
  if (kindOf(db) === 'none')
    return `the database ${db} cannot be made: the folder ${folder} is not writable; change its permissions, ${choose}`
  return `the database ${db} cannot be opened: change its permissions, ${choose}`
}

function kindOf(path: string): 'none' | 'folder' | 'file' | 'odd' {
  try {
    const found = statSync(path)
    if (found.isDirectory()) return 'folder'
    return found.isFile() ? 'file' : 'odd'
  } catch {
    return 'none'
  }
}

/** What would fail after the database has been opened and perhaps upgraded is found out before; rejects with the error. */
export async function checkBeforeOpening({ host, port, db }: Where): Promise<void> {
  if (db !== ':memory:') {
    if (kindOf(db) === 'folder') throw Object.assign(new Error('it is a folder'), { code: 'SQLITE_CANTOPEN' })
    if (kindOf(db) === 'file') requireWritable(db)
    if (kindOf(db) === 'odd') throw new Failure(`the database ${db} is not a regular file: choose another with --db`)
  }
  if (port !== 0) await probe(host, port)
}

/** SQLite opens a file that it may not write read-only and without a word. */
function requireWritable(db: string): void {
  try {
    accessSync(db, constants.R_OK | constants.W_OK)
    accessSync(dirname(db), constants.W_OK)
  } catch (error) {
    throw Object.assign(new Error(String(error)), { code: 'SQLITE_READONLY' })
  }
}

function probe(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
}
