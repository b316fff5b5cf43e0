/** What may open the databases of a sandbox, in the order in which they are tried. */
export const databaseDrivers = ['better-sqlite3', 'node'] as const
export type DatabaseDriver = (typeof databaseDrivers)[number]
