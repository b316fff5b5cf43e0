/** Webhooks a second, each signed and recorded, compared with a bare client that makes the same posts in the same run. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drive, rawRequest } from './load.mjs'
import { median, startProgram } from './process.mjs'

const here = (file) => fileURLToPath(new URL(file, import.meta.url))
const program = here('../bin/payments-sandbox.js')
const rounds = Number(process.env.BENCH_ROUNDS ?? 4)
const perRound = Number(process.env.BENCH_WEBHOOKS ?? 4000)
const many = 8
/** The number of webhooks that the sandbox sends to one receiver at a time. */
const width = 16

const call = async (url, body) => {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.text()
}

const posts = (base, path, bearer, bodies) =>
  drive(
    base,
    bodies.map((body) => rawRequest(base, 'POST', path, bearer, JSON.stringify(body))),
  )

/** Sets the status that the receivers respond with, and the number of webhooks to expect. */
const plan = (receivers, status, expected) => call(`${receivers.base}/plan`, { status, expected })

/** Waits for all webhooks and returns their rate per second between the first and the last. */
async function rate(receivers) {
  const { got, ms } = JSON.parse(await call(`${receivers.base}/done`))
  return ((got - 1) / ms) * 1000
}

async function bareRound({ receivers, bare, body }, urls, width) {
  await plan(receivers, 200, perRound)
  await call(`${bare.base}/run`, { posts: perRound, urls, body, width })
  return rate(receivers)
}

/**
 * Times only the delivery: the events exist already. The receivers fail each first attempt,
 * and the controllable clock makes all second attempts due at one moment.
 */
async function sandboxRound({ receivers, sandbox, bearer }, urls) {
  const ids = Array.from({ length: perRound }, () => randomUUID())
  await plan(receivers, 503, perRound)
  const charge = (external_id, index) => ({
    amount: 25.5,
    currency: 'BRL',
    external_id,
    postback_url: `${urls[index % urls.length]}/hook`,
  })
  await posts(sandbox.base, '/v2/transactions/cashin', bearer, ids.map(charge))
  const pay = (id) => ({ action: 'cashin.pay', id })
  await posts(sandbox.base, '/_sandbox/trigger', {}, ids.map(pay))
  await rate(receivers)
  await call(`${sandbox.base}/_sandbox/clock/advance`, { by: '500ms' })
  await plan(receivers, 200, perRound)
  await call(`${sandbox.base}/_sandbox/clock/advance`, { by: '1s' })
  return rate(receivers)
}

async function bearerOf({ base, ready }) {
  const { client_id, client_secret } = ready.accounts[0].credentials[0]
  const response = await fetch(`${base}/v2/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`, 'Content-Type': 'application/json' },
    body: '{"grant_type":"client_credentials"}',
  })
  return { Authorization: `Bearer ${(await response.json()).access_token}` }
}

const start = (db, clock) =>
  startProgram([program, 'start', '--port', '0', '--json', '--db', db, '--no-rate-limits', '--clock', clock])

/** Measures the floor in turn with the bare client: by rate, and by CPU (lowest against lowest round). */
async function floorOf(row, urls, bench, report, db) {
  const floor = await startProgram([here('floor/webhooks.mjs'), db])
  const found = { bare: [], floor: [] }
  const micros = { bare: [], floor: [] }
  for (let round = -1; round < rounds; round++)
    for (const [kind, sender] of Object.entries({ bare: bench.bare, floor })) {
      const before = sender.cpuMs()
      const perSecond = await bareRound({ ...bench, bare: sender }, urls, width)
      if (round < 0) continue
      found[kind].push(perSecond)
      micros[kind].push(sender.cpuMs() - before)
    }
  report(
    row,
    median(found.floor.map((value, index) => value / found.bare[index])),
    Math.min(...micros.bare) / Math.min(...micros.floor),
  )
  await floor.stop()
}

export async function measure(wants, report) {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-bench-'))
  const receivers = await startProgram([here('receiver.mjs'), String(many)])
  const bare = await startProgram([here('bare-sender.mjs')])
  const sandbox = await start(join(folder, 'webhooks.sqlite'), 'manual')
  const bench = { receivers, bare, sandbox, bearer: await bearerOf(sandbox), body: sampleBody }
  const kinds = [
    ['webhooks-one', 'one receiver', receivers.ready.urls.slice(0, 1), 'floor-webhooks'],
    ['webhooks-many', `${many} receivers`, receivers.ready.urls, 'floor-webhooks-many'],
  ]
  for (const [row, name, urls] of kinds) {
    if (!wants(row)) continue
    const found = { alone: [], beside: [], sandbox: [] }
    for (let round = -1; round < rounds; round++) {
      const alone = await bareRound(bench, urls, 1)
      const beside = await bareRound(bench, urls, width)
      const sandboxRate = await sandboxRound(bench, urls)
      if (round < 0) continue
      found.alone.push(alone)
      found.beside.push(beside)
      found.sandbox.push(sandboxRate)
    }
    const perSecond = (kind) => `${Math.round(median(found[kind]))}/s`
    console.log(
      `webhooks to ${name}: bare, one at a time ${perSecond('alone')}, bare, ${width} at a time ${perSecond('beside')}, sandbox ${perSecond('sandbox')} (medians of ${rounds} rounds of ${perRound}, durable file)`,
    )
    const ratio = (kind) => median(found.sandbox.map((value, index) => value / found[kind][index]))
    console.log(`ratio to the bare client that sends one at a time: ${ratio('alone').toFixed(2)}`)
    report(row, ratio('beside'))
  }
  for (const [, , urls, floor] of kinds)
    if (wants(floor)) await floorOf(floor, urls, bench, report, join(folder, `${floor}.sqlite`))
  for (const started of [sandbox, bare, receivers]) await started.stop()
  rmSync(folder, { recursive: true, force: true })
}

const sampleBody = JSON.stringify({
  event: 'cashin.confirmed',
  timestamp: '2026-11-21T09:00:00.000-03:00',
  transaction_id: `tx_${'0'.repeat(24)}`,
  data: {
    transaction_id: `tx_${'0'.repeat(24)}`,
    external_id: '00000000-0000-0000-0000-000000000000',
    type: 'cashin',
    currency: 'BRL',
    currency_type: 'fiat',
    amount: '25.50',
    fee: '0.26',
    amount_net: '25.24',
    status: 'confirmed',
    source: 'dynamic_qr',
    network: 'PIX',
    e2e_id: 'E0000000020261121090000000000000',
    payer: { name: null, document: null },
    old_balance: '100000.00',
    new_balance: '100025.24',
    confirmed_at: '2026-11-21T12:00:00.000Z',
  },
})
