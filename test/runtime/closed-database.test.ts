/** Commits that wait for the disk are resolved when the database is closed or replaced meanwhile. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { IdleClosable, OpenFiles } from '../../src/runtime/node/sqlite/open-files.js'
import { createTables, type Db } from '../../src/store/db.js'
import { sqlite } from '../support/database.js'
import { temporaryFolder } from '../support/folder.js'

/** Opens a database with one change that is being synced and one that waits. */
function waiting(): { db: Db; file: string; rest: () => void; kept: Promise<unknown> } {
  const file = join(temporaryFolder(), 'sandbox.db')
  let mine: IdleClosable | undefined
  const opened = (one: IdleClosable) => {
    mine = one
  }
  const openFiles: OpenFiles = { makeRoom() {}, opened, closed() {}, end() {} }
  const db = sqlite.open(file, openFiles)
  createTables(db)
  db.exec('create table kept (n integer)')
  const insert = () => void db.group(() => db.exec('insert into kept values (1)'))
  insert()
  const first = db.whenDurable()
  insert()
  const second = db.whenDurable()
  const third = db.whenDurable()
  expect([first, second, third]).not.toContain(null)
  return { db, file, rest: () => expect(mine?.closeIfIdle()).toBe(true), kept: Promise.all([first, second, third]) }
}

test('a database that is closed in a pause stores what waited for the disk', async () => {
  const { db, file, rest, kept } = waiting()
  rest()
  expect(existsSync(`${file}-wal`)).toBe(false)
  await kept
  expect(db.query('select count(*) as n from kept')([])).toEqual([{ n: 2 }])
  db.close()
})

test('a database that is closed for good stores what waited for the disk', async () => {
  const { db, kept } = waiting()
  db.close()
  await kept
})

test('a database that is replaced stores what waited for the disk', async () => {
  const { db, kept } = waiting()
  db.replaceWith(db.image())
  await kept
  db.close()
})

test('commits after a pause are stored in the new log', async () => {
  const { db, rest, kept } = waiting()
  rest()
  db.group(() => db.exec('insert into kept values (1)'))
  await kept
  await db.whenDurable()
  expect(db.whenDurable()).toBeNull()
  db.close()
})
