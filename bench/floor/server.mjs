/** The floor of calls: validates with zod, looks up and writes the same kinds of rows as the sandbox, without the platform's rules. `node server.mjs PORT FILE HOOK` sends a webhook for each paid charge to HOOK. */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { Pool } from 'undici'
import * as z from 'zod'
import { openStore } from './store.mjs'

const [port = '0', file = ':memory:', hook] = process.argv.slice(2)
const { db, unit } = openStore(file)
const find = db.prepare('select seq, id, amount from charges where account = ? and external_id = ?')
const insert = db.prepare('insert into charges values (null, ?, 1, ?, ?, ?, ?, 26, ?, ?, ?)')
const confirm = db.prepare("update charges set status = 'confirmed' where seq = ?")
const schedule = db.prepare('insert into jobs values (null, ?, ?)')
const remove = db.prepare('delete from jobs where ref = ?')
const use = db.prepare('insert into usage values (1, 1, ?) on conflict do update set used = used + excluded.used')
const readBalance = db.prepare(
  "select available, blocked, pending from balances where account = 1 and currency = 'BRL'",
)
const move = db.prepare(
  "update balances set available = available + ?, pending = pending + ? where account = 1 and currency = 'BRL'",
)
const post = db.prepare('insert into postings values (null, ?, ?, ?, ?, ?)')
const isUsed = db.prepare('select 1 from nonces where nonce = ?')
const remember = db.prepare('insert into nonces values (?, ?)')
const addEvent = db.prepare("insert into events values (null, ?, ?, ?, 'pending')")
const markDelivered = db.prepare("update events set status = 'delivered' where seq = ?")
const addAttempt = db.prepare("insert into attempts values (null, ?, ?, ?, 'ok', ?, ?)")
const page = db
  .prepare(
    'select id, type, status, external_id, amount, fee, detail, at from charges where account = 1 order by at desc, seq desc limit 50',
  )
  .raw()
const total = db.prepare('select count(*) from charges where account = 1').pluck()

const common = { amount: z.number(), currency: z.enum(['BRL', 'MXN']), external_id: z.string().max(150).optional() }
const charge = z.object({
  ...common,
  payer: z.object({ name: z.string().optional(), document: z.string().optional() }).optional(),
})
const withdrawal = z.object({
  ...common,
  key: z.string(),
  key_type: z.enum(['cpf', 'cnpj', 'email', 'phone', 'random']),
})

let count = 0
const newId = (kind) => `${kind}_${String(++count).padStart(8, '0')}${randomBytes(8).toString('hex')}`
const hmac = (key, text) => createHmac('sha256', key).update(text).digest('hex')
const moment = (atMs) => `${new Date(atMs - 10_800_000).toISOString().slice(0, -1)}-03:00`

function write(text, body, type, detail, at) {
  const print = createHash('sha256').update(text).digest('hex')
  find.get(1, body.external_id)
  const id = newId('tx')
  insert.run(id, type, 'pending', body.external_id, Math.round(body.amount * 100), print, JSON.stringify(detail), at)
  schedule.run(at + 3_600_000, id)
  use.run(Math.round(body.amount * 100))
  return { transaction_id: id, ...body, status: 'pending', created_at: moment(at) }
}

function makeCharge(text) {
  const body = charge.parse(JSON.parse(text))
  const qrcode = hmac('key', text)
  return { ...write(text, body, 'cashin', { qrcode, payer: body.payer }, Date.now()), payment_info: { qrcode } }
}

function makeWithdrawal(text, { timestamp, nonce, signature }) {
  if (signature.length !== hmac('key', `${timestamp}.${nonce}.${text}`).length || isUsed.get(nonce))
    throw new Error('rejected')
  const at = Date.now()
  remember.run(nonce, at)
  const body = withdrawal.parse(JSON.parse(text))
  const minor = Math.round(body.amount * 100)
  readBalance.get()
  const transaction = write(text, body, 'cashout', { key: body.key, key_type: body.key_type }, at)
  move.run(-minor, minor)
  post.run(count, 'available', -minor, transaction.transaction_id, at)
  post.run(count, 'pending', minor, transaction.transaction_id, at)
  return transaction
}

function pay({ id: external }) {
  const { seq, id, amount } = find.get(1, external)
  const at = Date.now()
  remove.run(id)
  confirm.run(seq)
  const before = readBalance.get().available
  move.run(amount, 0)
  post.run(count, 'rail', -amount, id, at)
  post.run(count, 'available', amount, id, at)
  const body = JSON.stringify({
    event: 'cashin.confirmed',
    timestamp: moment(at),
    transaction_id: id,
    data: { transaction_id: id, external_id: external, amount, old_balance: before, new_balance: before + amount },
  })
  const event = newId('evt')
  const { lastInsertRowid } = addEvent.run(event, id, body)
  schedule.run(at, event)
  return { seq: Number(lastInsertRowid), event, body, id }
}

const pool = hook === undefined ? null : new Pool(new URL(hook).origin, { connections: 16 })
async function sendWebhook({ seq, event, body }) {
  const headers = {
    'Content-Type': 'application/json',
    'X-Webhook-Signature': hmac('secret', body),
    'X-Webhook-Id': event,
    'X-Webhook-Timestamp': String(Math.floor(Date.now() / 1000)),
  }
  const response = await pool.request({ method: 'POST', path: '/hook', headers, body })
  const text = await response.body.text()
  await unit(() => {
    remove.run(event)
    markDelivered.run(seq)
    addAttempt.run(seq, Date.now(), JSON.stringify(headers), response.statusCode, text)
  })
}

const item = ([id, type, status, external, amount, fee, detail, at]) => ({
  transaction_id: id,
  external_id: external,
  type,
  status,
  currency: 'BRL',
  currency_type: 'fiat',
  amount: amount / 100,
  fee: fee / 100,
  created_at: moment(at),
  updated_at: moment(at),
  network: 'PIX',
  payment_info: JSON.parse(detail),
  e2e_id: null,
  payer: null,
})

const app = new Hono()
const respond = (c, data, status = 200) =>
  c.json({ success: true, data, request_id: 'req_0', timestamp: new Date().toISOString() }, status)
app.post('/v2/transactions/cashin', async (c) => {
  const text = await c.req.text()
  return respond(c, await unit(() => makeCharge(text)))
})
app.post('/v2/transactions/cashout', async (c) => {
  const text = await c.req.text()
  const header = (name) => c.req.header(name) ?? ''
  const signed = { timestamp: header('x-timestamp'), nonce: header('x-nonce'), signature: header('x-signature') }
  return respond(c, await unit(() => makeWithdrawal(text, signed)), 202)
})
app.get('/v2/account/balance', async (c) =>
  respond(c, { balances: [{ currency: 'BRL', ...(await unit(() => readBalance.get())) }] }),
)
app.post('/v2/account/transactions/list', async (c) => {
  const { page: number, page_size: size } = await c.req.json()
  const items = await unit(() => page.all().map(item))
  return respond(c, { items, pagination: { page: number, page_size: size, total: total.get() } })
})
app.post('/_sandbox/trigger', async (c) => {
  const body = await c.req.json()
  const payment = await unit(() => pay(body))
  if (pool !== null) void sendWebhook(payment)
  return respond(c, { id: payment.id, status: 'confirmed' })
})
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' }, (address) => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${address.port}` }))
})
