/** A snapshot that is damaged, of another program or of a newer version is refused with what is wrong, and everything stays as it was. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { openPlain } from '../support/database.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

const pageBytes = 4096

/** The bytes with some of them turned over. */
function flipped(bytes: Buffer, at: number, count = 64): Buffer {
  const damaged = Buffer.from(bytes)
  for (let index = at; index < at + count; index++) damaged[index] = ~(damaged[index] ?? 0) & 0xff
  return damaged
}

/** Without the seal, as a file that somebody made by hand: then only what is in it can tell. */
const unsealed = (bytes: Buffer) => Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % pageBytes)))

/** The snapshot as another program, or a hand, would leave it. */
function edited(bytes: Buffer, ...statements: string[]): Buffer {
  const db = openPlain(unsealed(bytes))
  for (const statement of statements) db.exec(statement)
  return Buffer.from(db.serialize())
}

function otherProgram(...statements: string[]): Buffer {
  const db = openPlain()
  for (const statement of statements) db.exec(statement)
  return Buffer.from(db.serialize())
}

const kinds: Record<string, (bytes: Buffer) => Buffer> = {
  'the header': (bytes) => flipped(bytes, 0, 16),
  'the header, without its seal': (bytes) => flipped(unsealed(bytes), 0, 16),
  'the page of the schema': (bytes) => flipped(bytes, 100),
  'the page of the schema, without its seal': (bytes) => flipped(unsealed(bytes), 100),
  'a page of data': (bytes) => flipped(bytes, 12 * pageBytes),
  'a page of data, without its seal': (bytes) => flipped(unsealed(bytes), 12 * pageBytes),
  'one bit of a text': (bytes) => flipped(bytes, bytes.indexOf('Merchant Demo'), 1),
  'its seal': (bytes) => flipped(bytes, bytes.length - 10, 1),
  'a file cut in the middle': (bytes) => bytes.subarray(0, bytes.length / 2),
  'a file cut at a page': (bytes) => bytes.subarray(0, 8 * pageBytes),
  'an empty file': () => Buffer.alloc(0),
  'a text': () => Buffer.from('this is no database, whatever it is called\n'.repeat(400)),
  'a database without tables': () => otherProgram('create table t (x); drop table t'),
  "another program's database": () => otherProgram('create table notes (text)', "insert into notes values ('x')"),
  "another program's database with a table of the same name": () =>
    otherProgram('pragma application_id = 77', 'create table meta (key text primary key, value text)'),
  'a database with nothing but our first table': () =>
    otherProgram('create table meta (key text primary key, value text)', "insert into meta values ('schema', '1')"),
  "a newer version's": (bytes) => edited(bytes, "update meta set value = '999' where key = 'schema'"),
  'a row that is not as it should be': (bytes) => edited(bytes, "update transactions set detail = '{'"),
  'an amount that is a text': (bytes) => edited(bytes, "update transactions set amount_minor = 'ten'"),
  'a posting too few': (bytes) => edited(bytes, 'delete from postings where seq = 1'),
  'a balance that its postings do not make': (bytes) => edited(bytes, 'update balances set available = available + 1'),
  'a credential without an account': (bytes) => edited(bytes, 'delete from accounts where seq = 2'),
  'a trigger': (bytes) => edited(bytes, 'create trigger t after insert on jobs begin delete from jobs; end'),
}

test('a damaged snapshot is rejected, the running state stays, and the sandbox starts again', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const sandbox = await openSandbox({ clock: 'manual' }, { db })
  const call = control(sandbox.url)
  const api = await openClient(sandbox.url)
  await api.charge()
  await call('POST', '/snapshots', { name: 'good' })
  const whole = readFileSync(`${db}.s-good`)
  const now = await api.charge()
  await call('POST', '/trigger', { action: 'cashin.pay', id: now })
  const state = async () => [
    (await call('GET', '/transactions')).body,
    (await call('GET', '/ledger')).body,
    (await call('GET', '/clock')).body,
  ]
  const before = await state()

  for (const [kind, damage] of Object.entries(kinds)) {
    writeFileSync(`${db}.s-bad`, damage(whole))
    const { status, body } = await call('POST', '/snapshots/bad/restore')
    expect([kind, status, body.error?.code]).toEqual([kind, 422, 'INVALID_VALUE'])
    expect(body.error.details.rule, kind).toMatch(/\w/)
    expect(body.error.message, kind).toContain('Nothing has changed')
  }
  expect(await state()).toEqual(before)
  expect((await call('GET', '/health')).status).toBe(200)
  await api.charge({ external_id: 'goes-on' })

  // What a process leaves that is killed while it writes.
  const unfinished = [`${db}.new`, `${db}.s-good.new`, `${db}.w-other.db.new`, `${db}.w-other.db.s-x.new`]
  for (const file of unfinished) writeFileSync(file, 'half')
  writeFileSync(`${db}-notes.new`, 'of the user')
  await sandbox.close(0)
  const second = await openSandbox({}, { db })
  expect(unfinished.filter((file) => existsSync(file))).toEqual([])
  expect(existsSync(`${db}-notes.new`)).toBe(true)
  expect((await control(second.url)('GET', '/transactions')).body.data).toHaveLength(3)
  expect((await control(second.url)('POST', '/snapshots/good/restore')).status).toBe(200)
  expect((await control(second.url)('GET', '/transactions')).body.data).toHaveLength(1)
})

test('an intact snapshot without a checksum can be restored', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const { url } = await openSandbox({}, { db })
  await (await openClient(url)).charge()
  await control(url)('POST', '/snapshots', { name: 'good' })
  writeFileSync(`${db}.s-plain`, unsealed(readFileSync(`${db}.s-good`)))
  await control(url)('POST', '/reset')
  expect((await control(url)('POST', '/snapshots/plain/restore')).status).toBe(200)
  expect((await control(url)('GET', '/transactions')).body.data).toHaveLength(1)
})
