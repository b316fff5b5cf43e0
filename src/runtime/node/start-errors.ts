/** Explains why a start failed: a code, and one line with the problem, the place and the remedy. */

import { accessSync, constants, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { withoutTrailing } from '../../base/text.js'
import { codeOf, messageOf } from '../../base/unknown.js'
import { UnknownArm } from '../../core/scenarios/arms.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type DatabaseFault, UnusableDatabase } from '../../store/db.js'
import { UnusableFile } from './files/input.js'
import { UnusableSnapshot } from './sandbox.js'
import { UnusableScenarios } from './scenario-files.js'
import { sqliteCode } from './sqlite/driver.js'
import { NoDriver } from './sqlite/sqlite.js'

interface StartLocation {
  host: string
  port: number
  db: string
}

/** Machine-readable reason. */
type StartCode =
  | 'PORT_UNUSABLE'
  | 'HOST_UNUSABLE'
  | 'DATABASE_UNUSABLE'
  | 'SNAPSHOT_UNUSABLE'
  | 'SCENARIOS_UNUSABLE'
  | 'START_FAILED'

interface StartFault {
  code: StartCode
  message: string
}

/** The path of the database is a pipe, a socket or a device. */
class NotARegularFile extends UnusableFile {}

type Explain = (where: StartLocation, message: string) => string

/** Explanations by error code; the first match is used. */
const byCode: readonly (readonly [RegExp, StartCode, Explain])[] = [
  [
    /^EADDRINUSE$/,
    'PORT_UNUSABLE',
    ({ host, port }) =>
      `port ${port} on ${host} is in use: stop what runs there, or choose another with --port (0 chooses any free port)`,
  ],
  [
    /^EACCES$/,
    'PORT_UNUSABLE',
    ({ host, port }) =>
      `port ${port} on ${host} cannot be opened (permission denied): choose a port above 1023 with --port`,
  ],
  [
    /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|EINVAL)$/,
    'HOST_UNUSABLE',
    ({ host }) => `${host} is not an address of this machine. Choose another with --host`,
  ],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'DATABASE_UNUSABLE',
    ({ db }) => `the database ${db} is in use by another process: stop that process, or choose another file with --db`,
  ],
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    'DATABASE_UNUSABLE',
    ({ db }, message) =>
      `${db} is not a readable database (${message}): move it away, or choose another file with --db`,
  ],
  [
    /^SQLITE_(READONLY|PERM|AUTH)/,
    'DATABASE_UNUSABLE',
    ({ db }) =>
      `the database ${db} cannot be written: change the permissions of the file and its folder, or choose another with --db`,
  ],
  [
    /^SQLITE_FULL/,
    'DATABASE_UNUSABLE',
    ({ db }) => `the disk of ${db} is full: free some space, or choose another file with --db`,
  ],
  [/^SQLITE_CANTOPEN/, 'DATABASE_UNUSABLE', ({ db }) => cannotOpen(db)],
  [
    /^SQLITE_/,
    'DATABASE_UNUSABLE',
    ({ db }, message) => `the database ${db} cannot be used (${message}): choose another file with --db`,
  ],
]

const byFault: Readonly<Record<DatabaseFault, Explain>> = {
  foreign: ({ db }) => `${db} is a database of another program: choose another file with --db`,
  newer: ({ db }, message) => `${db}: ${message}; update payments-sandbox, or choose another file with --db`,
  damaged: ({ db }, message) => `${db}: ${message}; move it away, or choose another file with --db`,
}

type ErrorClass = abstract new (...args: never[]) => Error

/** Codes by error class, for errors whose message already names the problem. The first match is used. */
const byClass: readonly (readonly [ErrorClass, StartCode, (message: string) => string])[] = [
  [UnusableSnapshot, 'SNAPSHOT_UNUSABLE', (message) => `${message}; name another file with --snapshot`],
  [UnusableScenarios, 'SCENARIOS_UNUSABLE', (message) => message],
  [UnknownArm, 'SCENARIOS_UNUSABLE', (message) => `--arm: ${message}`],
  [NotARegularFile, 'DATABASE_UNUSABLE', (message) => message],
  [NoDriver, 'DATABASE_UNUSABLE', (message) => message],
  [UnusableFile, 'START_FAILED', (message) => message],
  [ApiError, 'START_FAILED', (message) => message],
]

/** Classifies errors by their class, then by the code of the system or of SQLite. */
export function explainStartError(error: unknown, where: StartLocation): StartFault {
  const message = firstLine(messageOf(error))
  if (error instanceof UnusableDatabase)
    return { code: 'DATABASE_UNUSABLE', message: byFault[error.fault](where, message) }
  const row = byClass.find(([one]) => error instanceof one)
  if (row !== undefined) return { code: row[1], message: row[2](message) }
  const systemCode = sqliteCode(error) ?? codeOf(error) ?? ''
  const found = byCode.find(([pattern]) => pattern.test(systemCode))
  if (found === undefined) return { code: 'START_FAILED', message: `could not start: ${message}` }
  const [, code, explain] = found
  return { code, message: explain(where, message) }
}

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''

/** SQLite reports only that it cannot open a file, so the reason is looked up on disk. */
function cannotOpen(db: string): string {
  const remedy = 'choose another file with --db'
  const folder = dirname(db)
  if (kindOf(db) === 'folder')
    return `the database ${db} is a folder: name a file in it, such as ${withoutTrailing(db, '/')}/sandbox.sqlite`
  if (kindOf(folder) === 'none')
    return `the database ${db} cannot be created: the folder ${folder} does not exist; create it, or ${remedy}`
  if (kindOf(folder) === 'file') return `the database ${db} cannot be created: ${folder} is not a folder; ${remedy}`
  if (kindOf(db) === 'none')
    return `the database ${db} cannot be created: the folder ${folder} is not writable; change its permissions, or ${remedy}`
  return `the database ${db} cannot be opened: change its permissions, or ${remedy}`
}

/** `other` is a pipe, a socket or a device; `unreadable` is below a folder without permission. */
function kindOf(path: string): 'none' | 'folder' | 'file' | 'other' | 'unreadable' {
  try {
    const found = statSync(path)
    if (found.isDirectory()) return 'folder'
    return found.isFile() ? 'file' : 'other'
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '') ? 'none' : 'unreadable'
  }
}

/** Detects failures before the database is opened and perhaps upgraded; rejects with the error. */
export async function checkBeforeOpening({ host, port, db }: StartLocation): Promise<void> {
  if (db !== ':memory:') {
    // The code is SQLite's, so that `explainStartError` explains both in the same way.
    if (kindOf(db) === 'folder') throw Object.assign(new Error('it is a folder'), { code: 'SQLITE_CANTOPEN' })
    if (kindOf(db) === 'file') requireWritable(db)
    if (kindOf(db) === 'other')
      throw new NotARegularFile(`the database ${db} is not a regular file: choose another with --db`)
  }
  if (port !== 0) await requireUsablePort(host, port)
}

/** SQLite opens a file that is not writable, and reports no error until the first write. */
function requireWritable(db: string): void {
  try {
    accessSync(db, constants.R_OK | constants.W_OK)
    accessSync(dirname(db), constants.W_OK)
  } catch (error) {
    throw Object.assign(new Error(String(error)), { code: 'SQLITE_READONLY' })
  }
}

function requireUsablePort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
}
