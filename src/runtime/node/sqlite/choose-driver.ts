/** Chooses the library that opens the databases: the requested one, else the fastest one available. */
import { codeOf } from '../../../base/unknown.js'
import { type DatabaseDriver, databaseDrivers } from '../../../protocol/control/shapes/drivers.js'
import { program } from '../program.js'
import type { Driver } from './driver.js'
import { loadBetterSqlite3 } from './driver-better-sqlite3.js'
import { loadNodeSqlite } from './driver-node.js'

const loaders: Record<DatabaseDriver, () => Driver> = { 'better-sqlite3': loadBetterSqlite3, node: loadNodeSqlite }

/** Explains why no database can be opened, with the remedy. */
export class NoDriver extends Error {}

const remedy = 'run "npm install better-sqlite3" next to payments-sandbox, or use Node 22.16 or newer'

const loaded = new Map<DatabaseDriver, Driver>()

/** Returns the driver. Throws `NoDriver`. */
export function chooseDriver(requestedDriver: DatabaseDriver | null): Driver {
  const reasons: string[] = []
  if (program.isExecutable && requestedDriver === 'better-sqlite3')
    throw new NoDriver('the executable does not contain better-sqlite3: remove --database-driver')
  for (const name of namesToTry(requestedDriver)) {
    try {
      const driver = loaded.get(name) ?? loaders[name]()
      loaded.set(name, driver)
      return driver
    } catch (error) {
      reasons.push(reasonOf(name, error))
    }
  }
  throw new NoDriver(`${reasons.join('; ')}: ${requestedDriver === null ? '' : 'remove --database-driver, '}${remedy}`)
}

function namesToTry(requestedDriver: DatabaseDriver | null): readonly DatabaseDriver[] {
  if (requestedDriver !== null) return [requestedDriver]
  // A better-sqlite3 beside the executable belongs to another program.
  return program.isExecutable ? ['node'] : databaseDrivers
}

function reasonOf(name: DatabaseDriver, error: unknown): string {
  if (name === 'node') return error instanceof Error ? error.message : String(error)
  const why =
    codeOf(error) === 'MODULE_NOT_FOUND' ? 'is not installed' : `does not load on Node ${process.versions.node}`
  return `better-sqlite3 ${why}`
}
