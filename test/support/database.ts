/** Databases as the sandbox opens them: by the driver that the tests run against, the fastest that there is unless one is named. */

import { databaseDrivers } from '../../src/protocol/control/shapes/drivers.js'
import { chooseDriver } from '../../src/runtime/node/sqlite/choose-driver.js'
import { createSqlite } from '../../src/runtime/node/sqlite/sqlite.js'

const { TEST_DATABASE_DRIVER: given } = process.env

export const databaseDriver = databaseDrivers.find((name) => name === given) ?? null
if (given !== undefined && databaseDriver === null) throw new Error(`TEST_DATABASE_DRIVER=${given} is no driver`)

const driver = chooseDriver(databaseDriver)
export const sqlite = createSqlite(driver)

/** SQLite without anything of ours: to look at a file from outside, and to make those of other programs. */
export const openPlain = (source: string | Uint8Array = ':memory:') =>
  typeof source === 'string' ? driver.open(source) : driver.openImage(source)
