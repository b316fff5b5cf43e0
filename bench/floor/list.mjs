/** The floor of a list: finds a page of 50 transactions in the index, reads the rows, and writes them as JSON. It has no token, no rules and no request log. */
import { serve } from '@hono/node-server'
import Database from 'better-sqlite3'
import { Hono } from 'hono'

const [port = '0', file] = process.argv.slice(2)
const db = new Database(file, { readonly: true })
const order = 'order by created_at_ms desc, seq desc'
const page = db.prepare(`select seq from transactions where account_seq = 1 ${order} limit ? offset ?`).pluck()
const rows = db
  .prepare(`select id, external_id, source, currency, amount_minor, fee_minor, created_at_ms, updated_at_ms, type, status, detail
    from transactions where seq in (select value from json_each(?)) ${order}`)
  .raw()
const total = db.prepare('select count(*) from transactions where account_seq = 1').pluck().get()

const moment = (atMs) => `${new Date(atMs - 10_800_000).toISOString().slice(0, -1)}-03:00`
const item = ([id, external, source, currency, amount, fee, createdMs, updatedMs, type, status, detail]) => ({
  transaction_id: id,
  external_id: external,
  source,
  currency,
  currency_type: 'fiat',
  amount: amount / 100,
  fee: fee / 100,
  created_at: moment(createdMs),
  updated_at: moment(updatedMs),
  type,
  status,
  network: 'PIX',
  payment_method: 'pix',
  payment_info: JSON.parse(detail).paymentInfo,
  e2e_id: null,
  tracking_key: null,
  hash: null,
  payer: null,
})

const app = new Hono()
app.post('/', async (c) => {
  const { page: number, page_size: size } = await c.req.json()
  const items = rows.all(JSON.stringify(page.all(size, (number - 1) * size))).map(item)
  const pagination = { page: number, page_size: size, total, total_pages: Math.ceil(total / size) }
  const timestamp = new Date().toISOString()
  return c.json({ success: true, data: { items, pagination }, request_id: 'req_0', timestamp })
})
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' }, ({ port: bound }) => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${bound}` }))
})
