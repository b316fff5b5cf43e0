/** The floor of a workspace in memory: opens a database from an image, writes two accounts, a token and a charge, and closes the database. It accepts the same four calls as the sandbox. */
import { createHash, randomBytes } from 'node:crypto'
import { serve } from '@hono/node-server'
import Database from 'better-sqlite3'
import { Hono } from 'hono'

/** Has as many tables and indexes as the sandbox, so that opening takes as long. */
const first = new Database(':memory:')
first.exec(`create table accounts (seq integer primary key, username text unique, name text, document text);
  create table credentials (seq integer primary key, account integer, client_id text unique, secret text);
  create table balances (account integer, currency text, available integer, primary key (account, currency)) without rowid;
  create table tokens (seq integer primary key, hash text unique, credential integer);
  create table charges (seq integer primary key, id text unique, account integer, external_id text, amount integer, detail text, at integer);
  create index by_time on charges (account, at);
  create table jobs (seq integer primary key, due integer, ref text); create index by_due on jobs (due, seq)`)
for (let at = 0; at < 18; at++)
  first.exec(
    `create table more_${at} (seq integer primary key, a text, b text, c integer, d integer, e text); create index more_${at}_by_a on more_${at} (a)`,
  )
const image = first.serialize()

const currencies = ['BRL', 'MXN', 'USDT', 'USDC', 'BTC', 'ETH', 'SOL', 'BNB']
const open = new Map()
const hash = (text) => createHash('sha256').update(text).digest('hex')
let base = ''

function make(name) {
  const db = new Database(image)
  db.exec('pragma journal_mode = MEMORY; pragma synchronous = OFF')
  const account = db.prepare('insert into accounts values (?, ?, ?, ?)')
  const credential = db.prepare('insert into credentials values (?, ?, ?, ?)')
  const balance = db.prepare('insert into balances values (?, ?, ?)')
  db.exec('begin immediate')
  for (const [seq, username] of [
    [1, 'merchant'],
    [2, 'customer'],
  ]) {
    account.run(seq, username, username, '52998224725')
    credential.run(seq, seq, `client_${username}`, `secret_${username}`)
    for (const currency of currencies) balance.run(seq, currency, 100_000)
  }
  db.exec('commit')
  open.set(name, {
    db,
    secretOf: db.prepare('select seq, secret from credentials where client_id = ?'),
    addToken: db.prepare('insert into tokens values (null, ?, ?)'),
    tokenOf: db.prepare('select credential from tokens where hash = ?'),
    find: db.prepare('select id from charges where account = ? and external_id = ?'),
    insert: db.prepare('insert into charges values (null, ?, 1, ?, ?, ?, ?)'),
    schedule: db.prepare('insert into jobs values (null, ?, ?)'),
  })
  return {
    name,
    base_url: `${base}/w/${name}`,
    accounts: [{ credentials: [{ client_id: 'client_merchant', client_secret: 'secret_merchant' }] }],
  }
}

const app = new Hono()
app.post('/_sandbox/workspaces', async (c) => c.json(make((await c.req.json()).name)))
app.delete('/_sandbox/workspaces/:name', (c) => {
  const name = c.req.param('name')
  open.get(name).db.close()
  open.delete(name)
  return c.body(null, 204)
})
app.post('/w/:name/v2/oauth/token', async (c) => {
  const { secretOf, addToken } = open.get(c.req.param('name'))
  await c.req.json()
  const [id] = atob(c.req.header('authorization').slice(6)).split(':')
  const token = randomBytes(32).toString('hex')
  addToken.run(hash(token), secretOf.get(id).seq)
  return c.json({ access_token: token, expires_in: 3600 })
})
app.post('/w/:name/v2/transactions/cashin', async (c) => {
  const { tokenOf, find, insert, schedule } = open.get(c.req.param('name'))
  const body = await c.req.json()
  tokenOf.get(hash(c.req.header('authorization').slice(7)))
  find.get(1, body.external_id)
  const id = `tx_${randomBytes(12).toString('hex')}`
  const at = Date.now()
  insert.run(id, body.external_id, Math.round(body.amount * 100), JSON.stringify({ qrcode: hash(id) }), at)
  schedule.run(at + 3_600_000, id)
  return c.json({
    success: true,
    data: { transaction_id: id, ...body },
    request_id: 'req_0',
    timestamp: new Date(at).toISOString(),
  })
})
serve({ fetch: app.fetch, port: Number(process.argv[2] ?? 0), hostname: '127.0.0.1' }, ({ port }) => {
  base = `http://127.0.0.1:${port}`
  console.log(JSON.stringify({ event: 'ready', base_url: base, accounts: [] }))
})
