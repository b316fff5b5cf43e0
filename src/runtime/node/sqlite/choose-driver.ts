/** Chooses the library that opens the databases: the requested one, else the fastest one available. */
import { codeOf } from '../../../base/unknown.js'
import { type DatabaseDriver, databaseDrivers } from '../../../protocol/control/shapes/drivers.js'
import type { Driver } from './driver.js'
import { loadBetterSqlite3 } from './driver-better-sqlite3.js'
import { loadNodeSqlite } from './driver-node.js'

const loaders: Record<DatabaseDriver, () => Driver> = { 'better-sqlite3': loadBetterSqlite3, node: loadNodeSqlite }

/** Explains why no database can be opened, with the remedy. */
export class NoDriver extends Error {}

const remedy = 'run "npm install better-sqlite3" next to payments-sandbox, or use Node 22.16 or newer'

const loaded = new Map<DatabaseDriver, Driver>()

/** Returns the driver. Throws `NoDriver`. */
export function chooseDriver(driver: DatabaseDriver | null): Driver {
  const reasons: string[] = []
  const names = driver === null ? databaseDrivers : [driver]
  for (const name of names) {
    try {
      const driver = loaded.get(name) ?? loaders[name]()
      loaded.set(name, driver)
      return driver
    } catch (error) {
      reasons.push(reasonOf(name, error))
    }
  }
  throw new NoDriver(`${reasons.join('; ')}: ${driver === null ? '' : 'remove --database-driver, '}${remedy}`)
}

function reasonOf(name: DatabaseDriver, error: unknown): string {
  if (name === 'node') return error instanceof Error ? error.message : String(error)
  const why =
    codeOf(error) === 'MODULE_NOT_FOUND' ? 'is not installed' : `does not load on Node ${process.versions.node}`
  return `better-sqlite3 ${why}`
}
