/** The SQLite drivers of a process, in the order in which they are tried. */
export const databaseDrivers = ['better-sqlite3', 'node'] as const
export type DatabaseDriver = (typeof databaseDrivers)[number]

/** All drivers, in any runtime. */
export const databaseHolders = [...databaseDrivers, 'durable-object'] as const
export type DatabaseHolder = (typeof databaseHolders)[number]
