/** Opens databases with the driver under test: the one that `TEST_DATABASE_DRIVER` names (default: the fastest available). */

import { databaseDrivers } from '../../src/protocol/settings/process.js'
import { chooseDriver, createSqlite } from '../../src/runtime/node/sqlite/sqlite.js'

const { TEST_DATABASE_DRIVER: given } = process.env

export const databaseDriver = databaseDrivers.find((name) => name === given) ?? null
if (given !== undefined && databaseDriver === null) throw new Error(`TEST_DATABASE_DRIVER=${given} is not a driver`)

const driver = chooseDriver(databaseDriver)
export const sqlite = createSqlite(driver)

/** Opens SQLite without the sandbox's code, to inspect files and to create files of other programs. */
export const openPlain = (source: string | Uint8Array = ':memory:') =>
  typeof source === 'string' ? driver.open(source) : driver.openImage(source)
