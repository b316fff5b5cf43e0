/** How values stand in columns. */
import { customType, integer } from 'drizzle-orm/sqlite-core'
import { storedJson } from './stored-json.js'

/** Minor units: a bigint in the program, an integer in the file. */
export const minor = customType<{ data: bigint; driverData: bigint | number }>({
  dataType: () => 'integer',
  toDriver: (value) => value,
  fromDriver: (value) => BigInt(value),
})

export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => storedJson<T>(value),
  })(name)

export const flag = (name: string) => integer(name, { mode: 'boolean' })
export const sequence = () => integer('seq').primaryKey()
