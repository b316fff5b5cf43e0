/** What a cash-in costs at least with the sandbox's libraries: checked by zod, looked up, inserted with its job and its usage, a hash, and all calls of a turn in one transaction, which the disk takes beside the event loop. */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { fdatasync, openSync } from 'node:fs'
import { serve } from '@hono/node-server'
import Database from 'better-sqlite3'
import { Hono } from 'hono'
import * as z from 'zod'

const [port = '0', file = ':memory:'] = process.argv.slice(2)
const db = new Database(file)
if (file === ':memory:') db.exec('pragma journal_mode = MEMORY; pragma synchronous = OFF')
else
  db.exec(
    'pragma locking_mode = EXCLUSIVE; pragma journal_mode = WAL; pragma synchronous = NORMAL; pragma wal_autocheckpoint = 4000',
  )
db.exec(`create table charges (seq integer primary key, id text unique, account integer, external_id text, amount integer, print text, detail text, at integer);
  create unique index by_external_id on charges (account, external_id);
  create index by_time on charges (account, at);
  create table jobs (seq integer primary key, due integer, ref text);
  create index by_due on jobs (due, seq); create index by_ref on jobs (ref);
  create table usage (account integer, day integer, used integer, primary key (account, day))`)
const find = db.prepare('select id from charges where account = ? and external_id = ?')
const insert = db.prepare('insert into charges values (null, ?, ?, ?, ?, ?, ?, ?)')
const schedule = db.prepare('insert into jobs values (null, ?, ?)')
const use = db.prepare('insert into usage values (1, 1, ?) on conflict do update set used = used + excluded.used')
const [begin, commit] = ['begin immediate', 'commit'].map((text) => db.prepare(text))

const schema = z.object({
  amount: z.number(),
  currency: z.enum(['BRL', 'MXN']),
  external_id: z.string().max(150).optional(),
  payer: z.object({ name: z.string().optional(), document: z.string().optional() }).optional(),
})

const log = file === ':memory:' ? null : openSync(`${file}-wal`, 'r+')
let [committed, synced, syncing] = [0, 0, null]
/** Settles when all that is committed is on the disk. */
const kept = async () => {
  for (const mine = committed; log !== null && synced < mine; ) {
    const upTo = committed
    syncing ??= new Promise((resolve) => fdatasync(log, () => resolve(upTo)))
    const running = syncing
    synced = Math.max(synced, await running)
    if (syncing === running) syncing = null
  }
}

let waiting = []
const unit = (work) =>
  new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(flush)
    waiting.push({ work, resolve })
  })
function flush() {
  const group = waiting
  waiting = []
  begin.run()
  const values = group.map(({ work }) => work())
  commit.run()
  committed++
  for (const [index, { resolve }] of group.entries()) resolve(values[index])
}

let count = 0
const app = new Hono()
app.post('/', async (c) => {
  const text = await c.req.text()
  const data = await unit(() => {
    const body = schema.parse(JSON.parse(text))
    const print = createHash('sha256').update(text).digest('hex')
    find.get(1, body.external_id)
    const id = `tx_${String(++count).padStart(8, '0')}${randomBytes(8).toString('hex')}`
    const at = Date.now()
    const qrcode = createHmac('sha256', 'key').update(id).digest('hex')
    const detail = JSON.stringify({ qrcode, payer: body.payer })
    insert.run(id, 1, body.external_id, Math.round(body.amount * 100), print, detail, at)
    schedule.run(at + 3_600_000, id)
    use.run(Math.round(body.amount * 100))
    return {
      transaction_id: id,
      ...body,
      status: 'pending',
      payment_info: { qrcode },
      created_at: new Date(at).toISOString(),
    }
  })
  await kept()
  return c.json({ success: true, data, request_id: 'req_0', timestamp: new Date().toISOString() })
})
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' }, (address) => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${address.port}` }))
})
