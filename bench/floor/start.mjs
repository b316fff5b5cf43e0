/** The floor of a start: reads flags, opens an empty database in memory, validates with zod, and starts a server. The bench bundles it into one file with V8's code cache, like the sandbox. */
import { serve } from '@hono/node-server'
import Database from 'better-sqlite3'
import { Command } from 'commander'
import { Hono } from 'hono'
import * as z from 'zod'

const { port } = new Command().option('--port <number>', 'port', '0').parse().opts()
const db = openMemory()
db.exec('pragma journal_mode = MEMORY; create table charges (seq integer primary key, id text unique, amount integer)')
const schema = z.object({ amount: z.number(), currency: z.enum(['BRL', 'MXN']) })
const insert = db.prepare('insert into charges values (null, ?, ?)')

const app = new Hono()
app.get('/', (c) => c.json({ ok: true }))
app.post('/', async (c) => {
  const body = schema.parse(await c.req.json())
  insert.run(String(Date.now()), body.amount)
  return c.json(body)
})
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' }, (address) => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${address.port}` }))
})

/** As the sandbox does: better-sqlite3, or Node's own SQLite where it is not compiled for this Node. */
function openMemory() {
  try {
    return new Database(':memory:')
  } catch {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    return new DatabaseSync(':memory:')
  }
}
