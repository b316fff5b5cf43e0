/** How the store bears a million transactions, and how long a reset takes beside opening an empty database. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { build } from 'esbuild'
import { drive, rawRequest } from './load.mjs'
import { median, startProgram } from './process.mjs'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))
const program = here('../bin/payments-sandbox.js')
const rounds = Number(process.env.BENCH_ROUNDS ?? 4)
const perRound = Number(process.env.BENCH_REQUESTS ?? 20_000)

export async function measure(report) {
  await resets(report)
  await millions(report)
}

const start = (file) =>
  startProgram([program, 'start', '--port', '0', '--json', '--db', file, '--no-rate-limits', '--clock', 'manual'])

async function millions(report) {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-bench-'))
  const [few, many] = [join(folder, 'few.sqlite'), join(folder, 'many.sqlite')]
  for (const file of [few, many]) await (await start(file)).stop()
  fill(few, 1_000)
  fill(many, 1_000_000)
  const sandboxes = [await start(few), await start(many)]
  const bearers = await Promise.all(sandboxes.map(bearerOf))
  const found = [[], []]
  for (let round = -1; round < rounds; round++) {
    for (const [index, sandbox] of sandboxes.entries()) {
      const requests = Array.from({ length: perRound }, () =>
        rawRequest(sandbox.base, 'POST', '/v2/transactions/cashin', bearers[index], body()),
      )
      const perSecond = await drive(sandbox.base, requests)
      if (round >= 0) found[index].push(perSecond)
    }
  }
  report(
    'cash-in at 1,000,000 rows, of that at 1,000',
    median(found[1].map((value, index) => value / found[0][index])),
    ['atLeast', 0.88],
  )
  for (const sandbox of sandboxes) await sandbox.stop()
  rmSync(folder, { recursive: true, force: true })
}

let counter = 0
const body = () =>
  JSON.stringify({
    amount: 25.5,
    currency: 'BRL',
    external_id: `order-${++counter}-${randomUUID()}`,
    payer: { name: 'Maria Silva', document: '52998224725' },
  })

async function bearerOf({ base, ready }) {
  const { client_id, client_secret } = ready.accounts[0].credentials[0]
  const answer = await fetch(`${base}/v2/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`, 'Content-Type': 'application/json' },
    body: '{"grant_type":"client_credentials"}',
  })
  return { Authorization: `Bearer ${(await answer.json()).access_token}` }
}

/** Stored charges as they look after a long time: expired, in the order in which they came. */
function fill(file, rows) {
  const db = new Database(file)
  db.prepare(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
    insert into transactions (seq, id, account_seq, credential_seq, type, status, source, currency, amount_minor, fee_minor, external_id, fingerprint,
      postback_url, network, detail, created_at_ms, updated_at_ms)
    select i, printf('tx_%07d%s', i, lower(hex(randomblob(6)))), 1, 1, 'cashin', 'expired', 'dynamic_qr', 'BRL', 2550, 26,
      printf('old-%d-%s', i, lower(hex(randomblob(8)))), lower(hex(randomblob(32))), null, null, printf('{"paymentInfo":{"qrcode":"%s"}}', hex(zeroblob(110))),
      1790000000000 + i, 1790000000000 + i from n`).run(rows)
  db.close()
}

/** Inside one process, because a reset is a fraction of what a call costs. */
async function resets(report) {
  // Inside the checkout, so that the compiled driver is found from there.
  const folder = here('../node_modules/.cache/bench')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, 'reset.mjs')
  await build({
    entryPoints: [here('reset.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  const { timeResets } = await import(pathToFileURL(outfile).href)
  const { resetMs, openMs } = await timeResets()
  console.log(
    `reset ${resetMs.toFixed(2)} ms, opening and migrating an empty :memory: database ${openMs.toFixed(2)} ms`,
  )
  report('reset, of opening an empty :memory: database', resetMs / openMs, ['atMost', 1], 'x')
}
