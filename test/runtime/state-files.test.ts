/** State files that earlier versions wrote (one database and one snapshot for each version): this version opens or converts them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createTables, requireSameSchema, schemaNumber, schemaOf } from '../../src/store/db.js'
import { openPlain, sqlite } from '../support/database.js'
import { temporaryFolder } from '../support/folder.js'
import { type Body, control, send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

const folder = join(import.meta.dirname, 'state-files')
const stored = (file: string) => gunzipSync(readFileSync(join(folder, file)))
const versions = readdirSync(folder).flatMap((file) =>
  file.endsWith('.db.gz') ? [file.slice(0, -'.db.gz'.length)] : [],
)

function databaseOf(version: string): string {
  const db = join(temporaryFolder(), 'state.db')
  writeFileSync(db, stored(`${version}.db.gz`))
  return db
}

/** What the state files contain. */
async function requireState(url: string): Promise<void> {
  const call = control(url)
  const list = async (path: string): Promise<Body[]> => (await call('GET', path)).body.data
  const kinds = (await list('/transactions')).map(({ type, status }) => `${type} ${status}`)
  expect(kinds.sort()).toEqual([
    'cashin confirmed',
    'cashin confirmed',
    'cashin pending',
    'cashin refunded',
    'cashout failed',
    'conversion refunded',
    'transfer confirmed',
    'transfer confirmed',
  ])
  expect(await list('/transactions?external_id=order-1')).toMatchObject([{ amount: '25.00', status: 'confirmed' }])
  expect(await list('/disputes')).toMatchObject([{ status: 'open', amount: '25.00' }])
  expect(await list('/wallets')).toHaveLength(1)
  expect(await list('/inbox/mine')).toHaveLength(2)
  expect((await call('GET', '/scenarios/kept')).body.armed).toMatchObject([{ scenario: 'kept' }])
  expect((await call('GET', '/ledger')).body.balanced).toBe(true)
  expect((await call('POST', '/clock/advance', { by: '8d' })).status).toBe(200)
  expect(await list('/disputes')).toMatchObject([{ status: 'confirmed' }])
}

/** The columns and indexes, in the form that does not depend on how a table was made. */
function tablesIn(file: string): unknown[] {
  const connection = openPlain(file)
  const rows = connection.query(
    `select t.name as "table", c.name as "column", c.type, c."notnull" as required, c.pk
       from sqlite_master t, pragma_table_xinfo(t.name) c where t.type = 'table'
     union all select tbl_name, name, sql, 0, 0 from sqlite_master where type = 'index' and sql is not null
     order by 1, 2`,
  )([])
  connection.close()
  return rows
}

test('the state files of this version exist', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as Body
  expect(versions).toContain(version)
})

test.each(versions)(
  'a database of version %s opens with its whole state and the tables of this version',
  async (version) => {
    const db = databaseOf(version)
    const opened = await openSandbox({ clock: 'manual' }, { db })
    await requireState(opened.url)
    await opened.close()
    const fresh = join(temporaryFolder(), 'fresh.db')
    await (await openSandbox({}, { db: fresh })).close()
    // A difference means that a change of the tables has no row in `upgrades` (src/store/db.ts).
    expect(tablesIn(db)).toEqual(tablesIn(fresh))
  },
)

test.each(versions)('a snapshot of version %s is imported, or rejected with the way to convert it', async (version) => {
  const text = stored(`${version}.json.gz`).toString()
  const { url } = await openSandbox({ clock: 'manual' })
  const { status, body } = await send('POST', `${url}/_sandbox/snapshots/old/import`, text)
  if ((JSON.parse(text) as Body).schema === schemaNumber) {
    expect(status).toBe(200)
    expect((await control(url)('POST', '/snapshots/old/restore')).status).toBe(200)
    await requireState(url)
  } else expect([status, body.error.message]).toEqual([422, expect.stringContaining('docs/state.md')])
})

test('an older database is upgraded step by step, and a step that fails leaves it as it was', () => {
  const db = sqlite.openInMemory()
  createTables(db, [])
  const steps = ['alter table accounts add column tier text', 'create index accounts_by_tier on accounts (tier)']
  expect(() => createTables(db, [...steps, 'alter table nowhere add column lost text'])).toThrow(/nowhere/)
  expect(schemaOf(db)).toBe(1)
  createTables(db, steps.slice(0, 1))
  expect(schemaOf(db)).toBe(2)
  createTables(db, steps)
  createTables(db, steps)
  expect(schemaOf(db)).toBe(3)
  expect(() => createTables(db, steps.slice(0, 1))).toThrow(
    /newer version of the sandbox \(schema 3, this one supports 2\)/,
  )
  db.close()
})

test('a snapshot of an older schema is rejected with the page that has the commands to convert it', () => {
  expect(() => requireSameSchema(1, 2)).toThrow(/older version of the sandbox.*schema 1.*schema 2.*docs\/state\.md/)
  expect(readFileSync(join(import.meta.dirname, '../../docs/state.md'), 'utf8')).toContain('snapshot export new.json')
})
