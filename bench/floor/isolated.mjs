/** The floor of an isolated test: opens a database from an image, writes an account, a charge and its payment, sends a signed webhook over HTTP to a shared server, and verifies it. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import { Pool } from 'undici'

const first = new Database(':memory:')
first.exec(`create table accounts (seq integer primary key, username text unique, available integer);
  create table charges (seq integer primary key, id text unique, account integer, amount integer, status text);
  create table events (seq integer primary key, charge text, body text, status text);
  create table attempts (seq integer primary key, event integer, status integer)`)
for (let at = 0; at < 20; at++)
  first.exec(
    `create table more_${at} (seq integer primary key, a text, b text); create index more_${at}_by_a on more_${at} (a)`,
  )
const image = first.serialize()

const hmac = (text) => createHmac('sha256', 'secret').update(text).digest()
const receivers = new Map()
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  receivers.get(request.url)?.(Buffer.concat(chunks).toString(), request.headers['x-signature'])
  response.writeHead(200).end()
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
server.unref()
const pool = new Pool(`http://127.0.0.1:${server.address().port}`)

export async function floorTest() {
  const db = new Database(image)
  db.exec('pragma journal_mode = MEMORY; pragma synchronous = OFF')
  const run = (text, ...values) => db.prepare(text).run(...values)
  const [path, id] = [`/${randomUUID()}`, `tx_${randomUUID()}`]
  const received = new Promise((resolve) => receivers.set(path, (text, signature) => resolve({ text, signature })))
  db.transaction(() => {
    run('insert into accounts values (1, ?, 0)', 'merchant')
    run("insert into charges values (1, ?, 1, 1000, 'pending')", id)
  })()
  const body = JSON.stringify({ event: 'cashin.confirmed', transaction_id: id, data: { amount: '10.00' } })
  db.transaction(() => {
    run("update charges set status = 'confirmed' where id = ?", id)
    run('update accounts set available = available + 1000 where seq = 1')
    run("insert into events values (1, ?, ?, 'pending')", id, body)
  })()
  const response = await pool.request({
    method: 'POST',
    path,
    headers: { 'X-Signature': hmac(body).toString('hex') },
    body,
  })
  await response.body.text()
  const { text, signature } = await received
  if (!timingSafeEqual(hmac(text), Buffer.from(signature, 'hex'))) throw new Error('the signature is wrong')
  run('insert into attempts values (1, 1, 200)')
  const names = db.prepare('select body from events order by seq').all()
  receivers.delete(path)
  db.close()
  if (names.length !== 1) throw new Error('the event is missing')
}
