/** The SQLite drivers of a process, in the order in which they are tried. */
export const databaseDrivers = ['better-sqlite3', 'node'] as const
export type DatabaseDriver = (typeof databaseDrivers)[number]

/** What a database file survives: every end of the process, or a power failure too. Also SQLite's names for `synchronous`. */
export const durabilities = ['normal', 'full'] as const
export type Durability = (typeof durabilities)[number]

/** All drivers, in any runtime. */
export const databaseHolders = [...databaseDrivers, 'durable-object'] as const
export type DatabaseHolder = (typeof databaseHolders)[number]
