/** Opens databases with the driver under test: the one that `TEST_DATABASE_DRIVER` names (default: the one whose statements `failing-store.ts` can break). */

import { type DatabaseDriver, databaseDrivers } from '../../src/protocol/settings/process.js'
import { chooseDriver, createSqlite } from '../../src/runtime/node/sqlite/sqlite.js'

export const databaseDriver = requestedDriver()

function requestedDriver(): DatabaseDriver {
  const { TEST_DATABASE_DRIVER: given = 'better-sqlite3' } = process.env
  const found = databaseDrivers.find((name) => name === given)
  if (found === undefined) throw new Error(`TEST_DATABASE_DRIVER=${given} is not a driver`)
  return found
}

const driver = chooseDriver(databaseDriver)
export const sqlite = createSqlite(driver)

/** Opens SQLite without the sandbox's code, to inspect files and to create files of other programs. */
export const openPlain = (source: string | Uint8Array = ':memory:') =>
  typeof source === 'string' ? driver.open(source) : driver.openImage(source)
