/** Settings of a process that other layers know: its address, its environment variables, its database. */

export const defaultHost = '127.0.0.1'
export const defaultPort = 4010
export const defaultUrl = `http://${defaultHost}:${defaultPort}`

export const variablePrefix = 'PAYMENTS_SANDBOX_'

/** `webhook_url` is `PAYMENTS_SANDBOX_WEBHOOK_URL`. */
export const variableOf = (name: string) => variablePrefix + name.toUpperCase()

export const databaseDrivers = ['better-sqlite3', 'node'] as const
export type DatabaseDriver = (typeof databaseDrivers)[number]

/** What a database file survives: every end of the process, or a power failure too. Also SQLite's names for `synchronous`. */
export const durabilities = ['normal', 'full'] as const
export type Durability = (typeof durabilities)[number]

/** All drivers, in any runtime. */
export const databaseHolders = [...databaseDrivers, 'durable-object'] as const
export type DatabaseHolder = (typeof databaseHolders)[number]
