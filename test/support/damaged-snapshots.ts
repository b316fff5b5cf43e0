/** Snapshots that are damaged in many ways. The sandbox must reject each of them. */
import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { openPlain } from './database.js'
import { control } from './http.js'

const pageBytes = 4096

/** Inverts some bytes. */
function flipped(bytes: Buffer, at: number, count = 64): Buffer {
  const damaged = Buffer.from(bytes)
  for (let index = at; index < at + count; index++) damaged[index] = ~(damaged[index] ?? 0) & 0xff
  return damaged
}

/** Removes the seal, so that only the content can reveal the damage. */
export const unsealed = (bytes: Buffer) => Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % pageBytes)))

/** Returns the snapshot after SQL statements that the sandbox did not run. */
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
  'a text': () => Buffer.from('this is a text and not a database file\n'.repeat(400)),
  'a database without tables': () => otherProgram('create table t (x); drop table t'),
  "another program's database": () => otherProgram('create table notes (text)', "insert into notes values ('x')"),
  "another program's database with a table of the same name": () =>
    otherProgram('pragma application_id = 77', 'create table meta (key text primary key, value text)'),
  'a database with only our first table': () =>
    otherProgram('create table meta (key text primary key, value text)', "insert into meta values ('schema', '1')"),
  "a newer version's": (bytes) => edited(bytes, "update meta set value = '999' where key = 'schema'"),
  'a row with invalid JSON': (bytes) => edited(bytes, "update transactions set detail = '{'"),
  'an amount that is a text': (bytes) => edited(bytes, "update transactions set amount_minor = 'ten'"),
  'a missing posting': (bytes) => edited(bytes, 'delete from postings where seq = 1'),
  'a balance that differs from its postings': (bytes) => edited(bytes, 'update balances set available = available + 1'),
  'a credential without an account': (bytes) => edited(bytes, 'delete from accounts where seq = 2'),
  'a trigger': (bytes) => edited(bytes, 'create trigger t after insert on jobs begin delete from jobs; end'),
}

/** Stores each damaged form of the intact snapshot `whole` beside the database as `bad`, and requires that restoring it is rejected. */
export async function rejectsDamaged(url: string, db: string, whole: Buffer): Promise<void> {
  for (const [kind, damage] of Object.entries(kinds)) {
    writeFileSync(`${db}.s-bad`, damage(whole))
    const { status, body } = await control(url)('POST', '/snapshots/bad/restore')
    expect([kind, status, body.error?.code]).toEqual([kind, 422, 'INVALID_VALUE'])
    expect(body.error.details.rule, kind).toMatch(/\w/)
    expect(body.error.message, kind).toContain('Nothing has changed')
  }
}
