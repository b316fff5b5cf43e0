/** What may open the databases of a sandbox that is a process of its own, in the order in which they are tried. */
export const databaseDrivers = ['better-sqlite3', 'node'] as const
export type DatabaseDriver = (typeof databaseDrivers)[number]

/** What holds a database, in any runtime. */
export const databaseHolders = [...databaseDrivers, 'durable-object'] as const
export type DatabaseHolder = (typeof databaseHolders)[number]
