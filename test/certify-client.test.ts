/** Certification of clients: what is right is never accused, and each fault is found by the rule that it breaks. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { watchClient } from '../src/core/certify/client/certify-client.js'
import { defaultConfig } from '../src/core/workspace/config.js'
import { withMoreFields } from '../src/http/more-fields.js'
import { openSandbox } from '../src/platform/node/sandbox.js'
import { clientRuleIds } from '../src/protocol/certify/client-rules.js'
import type { Report } from '../src/protocol/certify/rules.js'
import { clientMutants } from './certify/client-mutants.js'
import { type Edit, loadEdited, runs, told, withResult } from './support/certify.js'
import { secretsOf } from './support/signing.js'

interface Shop {
  createClient(options: object): object
  runShop(client: object, store: object, lookMs: number): Promise<void>
}

/** The shop runs in this process; its statuses are told over HTTP. */
async function certifyShop(edits: readonly Edit[], { observe = false, blind = false } = {}): Promise<Report> {
  const shop = (await loadEdited('client.mjs', edits)) as Shop
  const config = { ...defaultConfig, cashoutSettle: 'manual', pixChargeLifeMs: 864_000_000 } as const
  const sandbox = await openSandbox({
    host: '127.0.0.1',
    port: 0,
    db: ':memory:',
    adminToken: null,
    allowHosts: [],
    config,
    ...(observe ? {} : { through: withMoreFields }),
  })
  const known = new Map<string, string>()
  const set = (id: string, status: string) => known.set(id, status)
  // Somebody else tells it what becomes of its withdrawals.
  const ends = ['failed', 'refunded', 'confirmed']
  const hear = (id: string) => set(id, 'pending') && setTimeout(() => set(id, ends.shift() ?? ''), 500)
  const server = createServer((request, response) => {
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('transaction_id') ?? ''
    response.end(JSON.stringify({ status: known.get(id) ?? null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const effects = blind ? null : `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    const watched = await watchClient(sandbox.workspace, { observe, effects, hasMoreFields: !observe })
    const client = shop.createClient({ url: sandbox.url, pauseMs: 60, ...secretsOf('merchant') })
    // What a faulty one ends with is its own affair.
    const ran = shop.runShop(client, { set, hear, note() {} }, 100)
    const failed = await ran.then(
      () => false,
      () => true,
    )
    return await watched.report({ failed })
  } finally {
    server.close()
    await sandbox.close(0)
  }
}

test.concurrent.each(runs)('run %i: the reference is certified in full', async () => {
  const report = await certifyShop([])
  expect(
    report.rules.map(({ id, result }) => `${id} ${result}`),
    told(report),
  ).toEqual(clientRuleIds.map((id) => `${id} holds`))
  expect(report.verdict).toBe('right')
})

test('whom nothing is put in the way is judged by what it does, and the rest stays unseen', async () => {
  const report = await certifyShop([], { observe: true, blind: true })
  expect(withResult(report, 'broken'), told(report)).toEqual([])
  expect(withResult(report, 'holds')).toEqual([
    ...['token.reused', 'sign.body', 'sign.nonce', 'sign.time', 'repeat.named', 'amounts.decimal'],
  ])
})

describe.concurrent('a client with one fault is found out', () => {
  for (const { fault, edits, breaks } of clientMutants)
    test(`by ${breaks}: ${fault}`, async () => {
      const report = await certifyShop(edits)
      expect(withResult(report, 'broken'), told(report)).toEqual([breaks])
    })
})

test('there is a fault for every rule', () => {
  expect(new Set(clientMutants.map(({ breaks }) => breaks))).toEqual(new Set(clientRuleIds))
})
