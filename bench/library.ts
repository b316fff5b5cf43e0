/** Times a sandbox in this process, in turn with an empty Hono server and an empty database with the same tables. */

import { serve } from '@hono/node-server'
import Database from 'better-sqlite3'
import { Hono } from 'hono'
import { chooseDriver, createSqlite } from '../src/runtime/node/sqlite/sqlite.js'
import { createTables, schemaSql } from '../src/store/db.js'
import { startSandbox } from '../src/testing/index.js'

const rounds = 40
const warmUp = 5

/** Medians in milliseconds. `start` and `bare` end with a first response; `open` is the empty database alone. */
export async function timeLibrary(): Promise<Record<'start' | 'bare' | 'open' | 'workspace', number>> {
  const found = { start: [], bare: [], open: [], workspace: [] } as Record<string, number[]>
  for (let round = -warmUp; round < rounds; round++) {
    const bare = await timed(startBare)
    await bare.result()
    const start = await timed(() => startSandbox({ clock: 'manual' }))
    const sandbox = start.result
    await useIt(sandbox)
    await sandbox.reset()
    const open = await timed(openMigrated)
    open.result.close()
    const workspace = await timed(() => sandbox.workspace())
    await sandbox.close()
    if (round < 0) continue
    for (const [name, { ms }] of Object.entries({ start, bare, open, workspace })) found[name]?.push(ms)
  }
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, median(values)])) as never
}

/** Creates three charges and pays one, like a typical test. */
async function useIt(sandbox: Awaited<ReturnType<typeof startSandbox>>): Promise<void> {
  for (let charge = 0; charge < 3; charge++) await sandbox.client().cashin({ amount: 10, currency: 'BRL' })
  await sandbox.trigger('cashin.pay')
}

/** Opens the database with the sandbox's own code. */
function openMigrated() {
  const db = createSqlite(chooseDriver(null)).openInMemory()
  createTables(db)
  return db
}

/** Opens the same tables in as few steps as possible. */
function openEmpty(): Database.Database {
  const database: Database.Database = new Database(':memory:')
  database.exec(schemaSql)
  return database
}

async function startBare(): Promise<() => Promise<void>> {
  const database = openEmpty()
  const app = new Hono()
  app.get('/', (c) => c.json({ ok: true }))
  const server = await new Promise<{ port: number; end: () => Promise<void> }>((resolve) => {
    const listening = serve(
      { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false },
      ({ port }) => resolve({ port, end: () => new Promise((done) => void listening.close(() => done())) }),
    )
  })
  await (await fetch(`http://127.0.0.1:${server.port}/`)).json()
  return async () => {
    await server.end()
    database.close()
  }
}

async function timed<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const startedMs = performance.now()
  const result = await work()
  return { ms: performance.now() - startedMs, result }
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
