/** `npm run bench`: the real program against a bare Hono server, in the same run; figures are ratios, beside their goals. */

import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drive, rawRequest } from './load.mjs'
import { median, startProgram, timeToEnd } from './process.mjs'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))
const program = here('../bin/payments-sandbox.js')
const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-bench-'))
const rounds = Number(process.env.BENCH_ROUNDS ?? 4)
const perRound = Number(process.env.BENCH_REQUESTS ?? 20_000)
const rows = []

/** `atLeast` or `atMost` the goal. */
function report(name, value, goal, unit = '') {
  const [kind, bound] = goal
  const met = kind === 'atLeast' ? value >= bound : value <= bound
  rows.push({
    figure: name,
    value: `${value.toFixed(2)}${unit}`,
    goal: `${kind === 'atLeast' ? '>=' : '<='} ${bound}${unit}`,
    met: met ? 'yes' : 'NO',
  })
}

const control = async (base, method, path, body) => {
  const answer = await fetch(`${base}/_sandbox${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

async function token(base, { client_id, client_secret }) {
  const answer = await fetch(`${base}/v2/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`, 'Content-Type': 'application/json' },
    body: '{"grant_type":"client_credentials"}',
  })
  return (await answer.json()).access_token
}

let counter = 0
const charge = () =>
  JSON.stringify({
    amount: 25.5,
    currency: 'BRL',
    external_id: `order-${++counter}-${randomUUID()}`,
    payer: { name: 'Maria Silva', document: '52998224725' },
  })
const withdrawal = () =>
  JSON.stringify({
    external_id: `wd-${++counter}-${randomUUID()}`,
    amount: 1,
    currency: 'BRL',
    key: '52998224725',
    key_type: 'cpf',
  })

function signed(signingKey, body) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  return {
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': createHmac('sha256', signingKey).update(`${timestamp}.${nonce}.${body}`).digest('hex'),
  }
}

const many = (count, make) => Array.from({ length: count }, make)

async function throughput() {
  const bare = await startProgram([here('bare.mjs')])
  const sandbox = await startProgram([
    program,
    'start',
    '--port',
    '0',
    '--json',
    '--db',
    join(folder, 'bench.sqlite'),
    '--no-rate-limits',
    '--clock',
    'manual',
  ])
  const credential = sandbox.ready.accounts[0].credentials[0]
  const bearer = { Authorization: `Bearer ${await token(sandbox.base, credential)}` }
  await control(sandbox.base, 'PUT', '/accounts/merchant/balances', { BRL: '9000000000.00' })
  await control(sandbox.base, 'PATCH', '/accounts/merchant', {
    limits: ['cashin', 'cashout'].map((operation) => ({ currency: 'BRL', operation, daily_limit: '9000000000.00' })),
  })
  const bareRound = (body) =>
    drive(
      bare.base,
      many(perRound, () => rawRequest(bare.base, 'POST', '/', bearer, body())),
    )
  const cashinRound = () =>
    drive(
      sandbox.base,
      many(perRound, () => rawRequest(sandbox.base, 'POST', '/v2/transactions/cashin', bearer, charge())),
    )
  const cashoutRound = () =>
    drive(
      sandbox.base,
      many(perRound, () => {
        const body = withdrawal()
        return rawRequest(
          sandbox.base,
          'POST',
          '/v2/transactions/cashout',
          { ...bearer, ...signed(credential.signing_key, body) },
          body,
        )
      }),
      { wanted: 202 },
    )
  await bareRound(charge)
  await cashinRound()
  await cashoutRound()
  const found = { bare: [], cashin: [], cashout: [] }
  for (let round = 0; round < rounds; round++) {
    found.bare.push(await bareRound(charge))
    found.cashin.push(await cashinRound())
    found.cashout.push(await cashoutRound())
  }
  const ratio = (kind) => median(found[kind].map((value, index) => value / found.bare[index]))
  console.log(
    `bare ${Math.round(median(found.bare))}/s, cash-in ${Math.round(median(found.cashin))}/s, signed withdrawal ${Math.round(median(found.cashout))}/s (medians of ${rounds} rounds of ${perRound}, 50 connections, durable file)`,
  )
  report('cash-in, durable file, of bare Hono', ratio('cashin'), ['atLeast', 0.45])
  report('signed withdrawal, durable file, of bare Hono', ratio('cashout'), ['atLeast', 0.35])
  await bare.stop()
  await sandbox.stop()
}

async function startAndMemory() {
  const found = { start: [], memory: [] }
  for (let round = 0; round < rounds + 1; round++) {
    const [bare, sandbox] = [
      await firstAnswer([here('bare.mjs')], '/'),
      await firstAnswer([program, 'start', '--port', '0', '--json'], '/_sandbox/health'),
    ]
    found.start.push(sandbox.ms / bare.ms)
    found.memory.push(sandbox.memoryMb / bare.memoryMb)
    if (round === 0)
      console.log(
        `first answer: bare ${bare.ms.toFixed(0)} ms and ${bare.memoryMb.toFixed(0)} MB, sandbox ${sandbox.ms.toFixed(0)} ms and ${sandbox.memoryMb.toFixed(0)} MB`,
      )
  }
  report('start to first answer, of bare Hono', median(found.start), ['atMost', 2], 'x')
  report('idle memory, of bare Hono', median(found.memory), ['atMost', 1.6], 'x')
  const version = []
  for (let round = 0; round < 7; round++)
    version.push((await timeToEnd([program, '--version'])) / (await timeToEnd(['-e', '0'])))
  report('--version, of node -e 0', median(version), ['atMost', 1.4], 'x')
}

async function firstAnswer(args, path) {
  const started = await startProgram(args)
  await (await fetch(started.base + path)).text()
  const ms = performance.now() - started.startedMs
  await new Promise((resolve) => setTimeout(resolve, 500))
  const memoryMb = started.memoryMb()
  await started.stop()
  return { ms, memoryMb }
}

/** Further figures, each file exporting `measure(report)`. */
const extras = ['webhooks.mjs', 'store.mjs', 'library.mjs']

try {
  const only = process.argv.slice(2)
  const wanted = (name) => only.length === 0 || only.includes(name)
  if (wanted('throughput')) await throughput()
  if (wanted('start')) await startAndMemory()
  for (const file of extras) {
    if (wanted(file.replace('.mjs', ''))) await (await import(`./${file}`)).measure(report)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.table(rows)
