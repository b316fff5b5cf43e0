/** SQLite through better-sqlite3: the fastest, and compiled for the machine that it is installed on. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Connection, Driver } from './sqlite-driver.js'

export const betterSqlite3: Driver = {
  name: 'better-sqlite3',
  open(file, mustExist) {
    // It would say so without a code.
    if (!existsSync(dirname(file))) throw Object.assign(new Error(`there is no folder ${dirname(file)}`), noFolder)
    return connect(new Database(file, { timeout: 0, fileMustExist: mustExist }))
  },
  openImage: (image) => connect(new Database(Buffer.from(image.buffer, image.byteOffset, image.byteLength))),
}

const noFolder = { code: 'SQLITE_CANTOPEN' }

const connect = (client: Database.Database): Connection => ({
  client,
  statement(sqlText) {
    const prepared = client.prepare(sqlText)
    return (params) => void prepared.run(params)
  },
  query(sqlText) {
    const prepared = client.prepare(sqlText)
    return (params) => prepared.all(params)
  },
  exec: (sqlText) => void client.exec(sqlText),
  value: (sqlText) => client.prepare(sqlText).pluck().get(),
  get inTransaction() {
    return client.inTransaction
  },
  serialize: () => client.serialize(),
  close: () => void client.close(),
})
