/** The options of `startSandbox`: those of the command line, by names of this language. */
import { UsageError } from '../client/errors.js'
import type { PlatformOptions } from '../client/types/settings.js'
import type { DatabaseDriver } from '../protocol/control/shapes/drivers.js'

export type Amount = number | string
/** A number of seconds, or text: `500ms`, `90s`, `10m`, `2h`, `7d`. */
export type Duration = number | string

export interface StartOptions extends PlatformOptions {
  /** A folder of your own scenarios. */
  scenarios?: string | undefined
  /** Scenarios armed from the start, and again after a reset. */
  arm?: readonly string[] | undefined
  /** A file that was exported from a sandbox: it begins as that, and a reset comes back to it. */
  snapshot?: string | undefined
  /** The largest snapshot file that can be imported, in MB; any if omitted. */
  maxImportMb?: number | undefined
  /** What opens the database; the first of `better-sqlite3` and `node` that loads where absent. */
  databaseDriver?: DatabaseDriver | undefined
  /** An SQLite file that keeps the state; `:memory:` where absent. */
  db?: string | undefined
  /** `127.0.0.1` where absent. */
  host?: string | undefined
  /** Any free one where absent. */
  port?: number | undefined
  /** Asked for on the control API. */
  adminToken?: string | undefined
  /** Further names that the sandbox answers to as `Host`. */
  allowHosts?: readonly string[] | undefined
}

/** An account that is there from the start. */
export type StartAccount = NonNullable<PlatformOptions['accounts']>[number]

/** A mistyped option must not be a wish that nobody heard. */
export function requireKnown(what: string, options: unknown, known: readonly string[]): void {
  if (options === null || typeof options !== 'object') throw new UsageError(`${what} takes an object of options`)
  const stranger = Object.keys(options).find((name) => !known.includes(name))
  if (stranger === undefined) return
  throw new UsageError(`${what} has no option ${stranger}; it has ${known.join(', ')}`)
}
