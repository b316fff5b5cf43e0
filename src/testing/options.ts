/** The options of `startSandbox`: those of the command line, in camel case. */
import { UsageError } from '../client/errors.js'
import type { PlatformOptions } from '../client/types/settings.js'
import type { DatabaseDriver, Durability } from '../protocol/settings/process.js'

export type Amount = number | string
/** A number of seconds, or text: `500ms`, `90s`, `10m`, `2h`, `7d`. */
export type Duration = number | string

export interface StartOptions extends PlatformOptions {
  /** A folder with your own scenarios. */
  scenarios?: string | undefined
  /** Scenarios armed from the start, and again after a reset. */
  arm?: readonly string[] | undefined
  /** A `snapshot export` file to start from; a reset returns to it. */
  snapshot?: string | undefined
  /** The largest snapshot file that can be imported, in MB (default: no limit). */
  maxImportMb?: number | undefined
  /** The SQLite driver (default: `node` on Node 22.16 and newer, else `better-sqlite3`). */
  databaseDriver?: DatabaseDriver | undefined
  /** What a database file survives: `normal` every end of the process, `full` a power failure too (default: `normal`). */
  durability?: Durability | undefined
  /** An SQLite file for the state (default: `:memory:`). */
  db?: string | undefined
  /** Address to listen on (default: `127.0.0.1`). */
  host?: string | undefined
  /** Port to listen on (default: any free port). */
  port?: number | undefined
  /** The token that the control API requires. */
  adminToken?: string | undefined
  /** Additional `Host` names that the sandbox accepts. */
  allowHosts?: readonly string[] | undefined
}

/** An account that exists from the start. */
export type StartAccount = NonNullable<PlatformOptions['accounts']>[number]

/** Rejects a mistyped option instead of ignoring it. */
export function requireKnown(what: string, options: unknown, known: readonly string[]): void {
  if (options === null || typeof options !== 'object')
    throw new UsageError(`${what} must be called with an options object`)
  const stranger = Object.keys(options).find((name) => !known.includes(name))
  if (stranger === undefined) return
  throw new UsageError(`${stranger} is not an option of ${what}; use one of ${known.join(', ')}`)
}

/** Where a receiver listens. */
export interface ListenOptions {
  /** Address to listen on. With neither host, port nor URL it shares a server of this process, at a path of its own. */
  host?: string | undefined
  /** Any free one by default. */
  port?: number | undefined
  /** The URL at which the sandbox reaches it, if not `http://host:port`: from a container, for example. */
  url?: string | undefined
}
