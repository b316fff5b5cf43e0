/** Certification of clients: what is right is never accused, and each fault is found by the rule that it breaks. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Send } from '../../src/core/unit/ports.js'
import type { Workspace } from '../../src/core/unit/unit.js'
import { judge, watchClient } from '../../src/features/certify/client/certify-client.js'
import { failureOf } from '../../src/features/certify/client/payer-simulator.js'
import { clientRuleIds } from '../../src/features/certify/client/rules.js'
import { withMoreFields } from '../../src/features/certify/client/run-client.js'
import type { Report } from '../../src/features/certify/report/rules.js'
import { cashoutRoutes, failuresOn } from '../../src/protocol/platform/failures.js'
import { cliUserAgent } from '../../src/protocol/platform/headers.js'
import { defaultConfig } from '../../src/protocol/settings/platform.js'
import { describeReport, type Edit, loadEdited, runs, withResult } from '../support/certify.js'
import { openClient } from '../support/client.js'
import { figure } from '../support/figures.js'
import { busyMachine, OwnTime, plant, type Surroundings } from '../support/own-time.js'
import { startSandbox } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'
import { clientMutants } from './client-mutants.js'

interface Shop {
  createClient(options: object): object
  runShop(client: object, store: object, lookMs: number): Promise<void>
}

const config = { ...defaultConfig, cashoutSettle: 'manual', pixChargeLifeMs: 864_000_000 } as const

interface World {
  url: string
  workspace: Workspace
  /** Tells the status of a transaction. */
  stateUrl: string | null
  observe: boolean
  shop: Shop
  known: Map<string, string>
  after: (delayMs: number, ring: () => void) => unknown
}

async function certifyShop({ url, workspace, stateUrl, observe, shop, known, after }: World): Promise<Report> {
  const set = (id: string, status: string) => known.set(id, status)
  // Somebody else tells it what becomes of its withdrawals.
  const ends = ['failed', 'refunded', 'confirmed']
  const hear = (id: string) => set(id, 'pending') && after(500, () => set(id, ends.shift() ?? ''))
  const watched = await watchClient(workspace, { observe, stateUrl })
  const client = shop.createClient({ url, pauseMs: 60, ...secretsOf('merchant') })
  // What a faulty one ends with is its own affair.
  const ran = shop.runShop(client, { set, hear, note() {} }, 100)
  const failed = await ran.then(
    () => false,
    () => true,
  )
  return await watched.report({ failed })
}

/** Instead of what every program has, it has these. */
const within = (surroundings: Surroundings): Edit => [
  "import { setTimeout as pause } from 'node:timers/promises'",
  `const { pause, fetch, Date } = ${plant(surroundings)}`,
]

/** In a time of its own, where nothing is waited for. */
async function certifyTimeless(
  edits: readonly Edit[],
  { observe = false, blind = false, busyMs = (): number => 0 } = {},
): Promise<Report> {
  const time = new OwnTime(busyMs)
  const known = new Map<string, string>()
  const tell: Send = async ({ url }) => {
    const id = new URL(url).searchParams.get('transaction_id') ?? ''
    const responseBody = JSON.stringify({ status: known.get(id) ?? null })
    return { outcome: 'ok', status: 200, responseBody, durationMs: 0, detail: null }
  }
  const { ws: workspace, app } = time.openSandbox(config, tell, observe ? undefined : withMoreFields)
  const shop = (await loadEdited('client.mjs', [within(time.surroundingsOf(app)), ...edits])) as Shop
  const stateUrl = blind ? null : 'http://127.0.0.1:3000/effects'
  const world = { url: time.url, workspace, stateUrl, observe, shop, known, after: time.alarm }
  try {
    return await time.pass(() => certifyShop(world))
  } finally {
    workspace.closed = true
    workspace.db.close()
  }
}

/** The shop runs in this process, over real sockets and in real time; it reports its statuses over HTTP. */
async function certifyInEarnest(): Promise<Report> {
  const sandbox = await startSandbox(config, { through: withMoreFields })
  const known = new Map<string, string>()
  const server = createServer((request, response) => {
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('transaction_id') ?? ''
    response.end(JSON.stringify({ status: known.get(id) ?? null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stateUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const shop = (await loadEdited('client.mjs', [])) as Shop
  const { url, workspace } = sandbox
  const after = (delayMs: number, ring: () => void) => setTimeout(ring, delayMs)
  try {
    return await certifyShop({ url, workspace, stateUrl, observe: false, shop, known, after })
  } finally {
    server.close()
    await sandbox.close(0)
  }
}

const certified = clientRuleIds.map((id) => `${id} passed`)
const resultsOf = ({ rules }: Report) => rules.map(({ id, result }) => `${id} ${result}`)

test('the reference client passes every requirement', async () => {
  const report = await certifyTimeless([])
  expect(resultsOf(report), describeReport(report)).toEqual(certified)
  expect(report.verdict).toBe('passed')
})

test.each(runs)('run %i: the reference client passes every requirement over real sockets', async () => {
  const report = await certifyInEarnest()
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  // On a machine that is too busy to measure them it says so.
  expect(resultsOf(report).filter((row) => row !== 'repeat.pauses inconclusive')).toEqual(
    certified.filter((row) => row !== 'repeat.pauses passed' || withResult(report, 'passed').includes('repeat.pauses')),
  )
})

test('no client fails because the machine is busy, and most rules still have a result', async () => {
  const found = { passed: 0, inconclusive: 0 }
  for (let seed = 1; seed <= figure(3, 400); seed++) {
    const report = await certifyTimeless([], { busyMs: busyMachine(seed, 20, 600) })
    const otherwise = certified.filter((row) => !row.startsWith('repeat.pauses'))
    expect(resultsOf(report), `${seed}\n${describeReport(report)}`).toEqual(expect.arrayContaining(otherwise))
    expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
    found[withResult(report, 'passed').includes('repeat.pauses') ? 'passed' : 'inconclusive']++
  }
  // Chance has the larger part in few.
  expect(found.passed).toBeGreaterThan(figure(1, 3) * found.inconclusive)
})

test('a client whose pauses have jitter and an upper limit is not accused', async () => {
  const waits = 'await pause(seconds ? Number(seconds) * 1000 : pauseMs * 2 ** count)'
  const pausesMs = [120, 210, 460, 720, 1360, 2220, 1920, 2050, 1800, 2200]
  const edits: Edit[] = [
    [waits, `await pause(seconds ? Number(seconds) * 1000 : [${pausesMs}][count % ${pausesMs.length}])`],
  ]
  const report = await certifyTimeless(edits)
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
})

test('the reference client passes whichever of its calls a fault hits, and its withdrawals have a result', async () => {
  for (const every of figure([2, 3, 5], [2, 3, 4, 5, 6]))
    for (let first = 1; first <= figure(2, every); first++) {
      const edits: Edit[] = [
        ['let count = 1; count <= 12', `let count = ${first}; count < ${first + 12}`],
        ['count % 4 === 1', `count % ${every} === 1`],
      ]
      const report = await certifyTimeless(edits)
      const aboutWithdrawals = resultsOf(report).filter((row) => row.startsWith('withdrawal.'))
      expect(aboutWithdrawals, `${every} ${first}\n${describeReport(report)}`).toEqual(
        ['pending', 'failed', 'refunded'].map((rule) => `withdrawal.${rule} passed`),
      )
      expect(withResult(report, 'failed')).toEqual([])
    }
})

test('eleven payments, two of them withdrawals, are enough for every fault, whenever the withdrawals come', async () => {
  for (const withdrawals of figure(
    ['1, 2', '1, 7', '7, 10', '10, 11'],
    ['1, 2', '1, 7', '2, 6', '7, 10', '6, 7', '10, 11'],
  )) {
    const edits: Edit[] = [
      ['let count = 1; count <= 12', 'let count = 1; count <= 11'],
      ['count % 4 === 1', `[${withdrawals}].includes(count)`],
      ['    const made = await', `    if ([${withdrawals}].includes(count)) continue\n    const made = await`],
    ]
    const report = await certifyTimeless(edits)
    expect(report.verdict, `${withdrawals}\n${describeReport(report)}`).toBe('passed')
    expect(withResult(report, 'inconclusive'), `${withdrawals}\n${describeReport(report)}`).toEqual([])
  }
})

test('calls that the command line makes meanwhile are not judged as calls of the client', async () => {
  const { calls } = await certifyTimeless([])
  const beside = `${'let token = null'}\n  void fetch(url + '/v2/account/balance', { headers: ${JSON.stringify(cliUserAgent)} })`
  const report = await certifyTimeless([['let token = null', beside]])
  expect(report).toMatchObject({ calls, verdict: 'passed' })
})

test('a call has arrived before its answer, however late that is', async () => {
  const sandbox = await startSandbox({ chaos: { slow: { share: '100%', by: '20ms' } } })
  try {
    const { calls } = await watchClient(sandbox.workspace, { observe: true, stateUrl: null })
    await openClient(sandbox.url)
    expect(calls).toHaveLength(1)
    for (const { arrivedMs, answeredMs } of calls) expect(arrivedMs).toBeLessThan(answeredMs)
  } finally {
    await sandbox.close(0)
  }
})

test('a client that gives up after seventeen attempts is not accused', async () => {
  const report = await certifyTimeless([
    ['const attempts = 5', 'const attempts = 17'],
    ['pauseMs * 2 ** count)', 'Math.min(2000, pauseMs * 2 ** count))'],
  ])
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(report.rules.find(({ id }) => id === 'repeat.ends')?.observed).toBe('stopped after 17 attempts')
})

test('a client with fixed pauses that gives up after twenty-one attempts is not accused', async () => {
  const report = await certifyTimeless([
    ['const attempts = 5', 'const attempts = 21'],
    ['pauseMs * 2 ** count)', '400)'],
  ])
  expect(resultsOf(report), describeReport(report)).toEqual(certified)
  expect(report.rules.find(({ id }) => id === 'repeat.ends')?.observed).toBe('stopped after 21 attempts')
})

/** Each of four workers takes the next payment when it has finished one. */
const fourWorkers: readonly Edit[] = [
  [
    'for (let count = 1; count <= 12; count++) {',
    'let next = 1\n  const work = async () => { for (let count = next++; count <= 60; count = next++) {',
  ],
  [
    'if (made) store.set(made.transaction_id, made.status)\n  }',
    'if (made) store.set(made.transaction_id, made.status)\n  } }\n  await Promise.all([work(), work(), work(), work()])',
  ],
]

test('503 responses to different payments of several workers are not attempts of one call', async () => {
  const report = await certifyTimeless(fourWorkers)
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(withResult(report, 'passed'), describeReport(report)).toEqual(
    expect.arrayContaining(['repeat.pauses', 'repeat.ends']),
  )
  expect(report.rules.find(({ id }) => id === 'repeat.ends')?.observed).toBe('stopped after 5 attempts')
})

test('payments without an external_id are not taken for attempts of one call', async () => {
  const report = await certifyTimeless([
    ...fourWorkers,
    ["currency: 'BRL', external_id: id }),", "currency: 'BRL' }),"],
  ])
  expect(withResult(report, 'failed'), describeReport(report)).toEqual(['repeat.named'])
})

test('requirements of signatures are skipped for a client that only charges', async () => {
  const report = await certifyTimeless([['count % 4 === 1', 'count < 0']], { blind: true })
  expect(withResult(report, 'skipped'), describeReport(report)).toEqual(
    expect.arrayContaining(['sign.body', 'sign.nonce', 'sign.time']),
  )
  expect(report.verdict).toBe('passed')
})

test('an outage ends after two minutes, and a client with longer pauses is not accused', async () => {
  const report = await certifyTimeless([['const attempts = 5', 'const attempts = 15']])
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(report.rules.find(({ id }) => id === 'repeat.ends')).toMatchObject({
    result: 'inconclusive',
    observed: expect.stringMatching(/^still repeated after 12 attempts in 2 minutes/),
  })
})

test.each([
  ['SPEI', "{ amount: 30, currency: 'MXN', key: '002010077777777771', name: 'Ana', external_id: id }"],
  [
    'Tron',
    "{ amount: 30, currency: 'USDT', network: 'tron', key: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', external_id: id }",
  ],
])('a client that withdraws over %s passes every requirement', async (_rail, fields) => {
  const report = await certifyTimeless([["{ amount: Number(amount), currency: 'BRL', key, external_id: id }", fields]])
  expect(resultsOf(report), describeReport(report)).toEqual(certified)
})

test('a client that withdraws over the older route passes every requirement', async () => {
  const report = await certifyTimeless([
    ["'/v2/transactions/cashout'", "'/v2/pix/payment'"],
    [
      "{ amount: Number(amount), currency: 'BRL', key, external_id: id }",
      "{ amount: Number(amount), creditParty: { name: 'Ana', keyType: 'email', key, taxId: '52998224725' }, external_id: id }",
    ],
  ])
  expect(resultsOf(report), describeReport(report)).toEqual(certified)
})

test('the simulated failure of a withdrawal is possible in every currency and network', () => {
  for (const route of cashoutRoutes) expect(failuresOn(route), route.currency).toContain(failureOf(route.currency))
})

test('an end of a withdrawal that the sandbox refuses decides nothing about the client', async () => {
  const failing = { id: 'tx_1', statusWhilePending: 'pending', end: 'failed', refusal: 'no such failure' } as const
  const simulator = {
    withdrawals: [failing],
    paidMs: [],
    dispute: null,
    stateError: null,
    statusOf: async () => 'pending',
  }
  const log = { calls: [], injected: [], expiredMs: [], simulator, drift: { driftBetween: () => 0 } }
  const report = await judge({ ...log, hasStateUrl: true, observe: false, failed: false })
  expect(report.rules.find(({ id }) => id === 'withdrawal.failed')).toMatchObject({
    result: 'inconclusive',
    observed: 'the sandbox could not make tx_1 failed: no such failure',
  })
})

test('a client that ends at a rejection is not blamed for what it would have done afterwards', async () => {
  const report = await certifyTimeless([
    ['store.note(error.message)', "{ if (error.message === 'LIMIT_EXCEEDED') throw error }"],
  ])
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(report.verdict).toBe('incomplete')
  expect(report.rules.find(({ id }) => id === 'withdrawal.failed')).toMatchObject({
    result: 'inconclusive',
    observed: expect.stringContaining(
      'it was rejected with an error that is not retryable, and the program made no call after it',
    ),
  })
})

test('a client without injected faults is judged by its behavior, and the other rules are skipped', async () => {
  const report = await certifyTimeless([], { observe: true, blind: true })
  expect(withResult(report, 'failed'), describeReport(report)).toEqual([])
  expect(withResult(report, 'passed')).toEqual([
    ...['token.reused', 'sign.body', 'sign.nonce', 'sign.time', 'repeat.named', 'amounts.decimal'],
  ])
  expect(withResult(report, 'inconclusive')).toEqual([])
  expect(report.verdict).toBe('passed')
})

describe('a client with one fault', () => {
  for (const { fault, edits, breaks } of clientMutants)
    test(`rule ${breaks} fails for this fault: ${fault}`, async () => {
      const report = await certifyTimeless(edits)
      expect(withResult(report, 'failed'), describeReport(report)).toEqual([breaks])
    })
})

test('every client rule has a planted fault', () => {
  expect(new Set(clientMutants.map(({ breaks }) => breaks))).toEqual(new Set(clientRuleIds))
})
