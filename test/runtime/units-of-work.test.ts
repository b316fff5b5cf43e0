/** A unit of work may run more than once: whichever write the store refuses, in whichever unit, the result is the same. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Workspace } from '../../src/core/unit/unit.js'
import { actionNames } from '../../src/protocol/actions/actions.js'
import type { RunningSandbox } from '../../src/runtime/node/sandbox.js'
import { type Db, reader, readMeta, writeMeta } from '../../src/store/db.js'
import type { Scope } from '../../src/store/unit-of-work.js'
import { deliveriesOf } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { type Refusal, refuseWrite, watchWrites, writesSeen } from '../support/failing-store.js'
import { figure } from '../support/figures.js'
import { gate } from '../support/gate.js'
import { answersIn, talk } from '../support/raw-http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox, startSandbox } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

const startMs = Date.UTC(2026, 5, 1, 12)
let stopWatching = () => {}
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs })
  stopWatching = watchWrites()
})
afterAll(() => {
  stopWatching()
  vi.useRealTimers()
})

interface Call {
  method: string
  path: string
  body?: object
  headers?: Record<string, string>
  signed?: true
}

const post = (path: string, body?: object): Call => ({ method: 'POST', path, ...(body === undefined ? {} : { body }) })
const control = (method: string, path: string, body?: object): Call => ({ ...post(`/_sandbox${path}`, body), method })
const signed = (path: string, body: object): Call => ({ ...post(path, body), signed: true })
const basic = (secret: string) => `Basic ${btoa(`${secretsOf('merchant').clientId}:${secret}`)}`
const token = (secret = secretsOf('merchant').clientSecret): Call => ({
  ...post('/v2/oauth/token', { grant_type: 'client_credentials' }),
  headers: { Authorization: basic(secret) },
})
const cashin = (external_id: string, more: object = {}) =>
  post('/v2/transactions/cashin', { amount: 10, currency: 'BRL', external_id, ...more })
const cashout = (external_id: string, amount = 5) =>
  signed('/v2/transactions/cashout', { external_id, amount, currency: 'BRL', key: '52998224725', key_type: 'cpf' })
const trigger = (action: string, more: object = {}) => control('POST', '/trigger', { action, ...more })
const story = {
  name: 'story',
  on: { operation: 'cashin' },
  steps: [{ 'cashin.pay': {} }, { wait: '5s' }, { expect: { event: 'cashin.confirmed', delivered: true } }],
}

/** The call that runs each unit, and its preparation. */
const units: Record<string, { before?: Call[]; calls: Call[] }> = {
  'charges of several currencies': {
    calls: [cashin('a'), cashin('b', { currency: 'MXN' }), cashin('c', { currency: 'USDT', chain: 'tron' })],
  },
  'the same charge twice': { calls: [cashin('a'), cashin('a'), cashin('a', { amount: 11 })] },
  'withdrawals, one of which is refused': { calls: [cashout('a'), cashout('b', 9_999), cashout('c')] },
  'a transfer': {
    calls: [signed('/v2/internal_transfers/payment', { username: 'customer', amount: 5, currency: 'BRL' })],
  },
  'a conversion': {
    calls: [signed('/v2/conversions/new', { amount: 5, base_currency: 'BRL', destination_currency: 'USDT' })],
  },
  'a wallet': { calls: [post('/v2/transactions/wallet', { currency: 'BRL' })] },
  'a token': { calls: [token()] },
  'wrong secrets, one short of the lockout': { calls: Array.from({ length: 4 }, () => token('wrong')) },
  'token calls up to the rate': { calls: Array.from({ length: 28 }, () => ({ ...token(), body: {} })) },
  reads: {
    calls: [
      { method: 'GET', path: '/v2/account/balance' },
      post('/v2/account/transactions/list', { page: 1, page_size: 10 }),
    ],
  },
  'a new account': { calls: [control('POST', '/accounts', { balances: { BRL: '5.00' }, credential: {} })] },
  'changes of an account': {
    calls: [
      control('PATCH', '/accounts/merchant', { limits: [{ currency: 'BRL', operation: 'cashin', max_amount: 500 }] }),
      control('PUT', '/accounts/merchant/balances', { BRL: '77.00', USDT: '1.00' }),
      control('POST', '/accounts/merchant/credentials', {}),
      control('PATCH', `/credentials/${secretsOf('customer').clientId}`, { active: false }),
    ],
  },
  'a message to an inbox': {
    calls: [control('POST', '/inbox/mine', { hello: 1 }), control('POST', '/inbox/mine', { hello: 2 })],
  },
  'a scenario, uploaded, armed and run': {
    calls: [
      control('POST', '/scenarios', story),
      control('POST', '/scenarios/story/arm', { times: 1 }),
      cashin('caught'),
      control('POST', '/scenarios/story/run', { id: 'there' }),
    ],
    before: [cashin('there')],
  },
  'jobs of every kind': {
    before: [
      control('POST', '/scenarios', story),
      control('POST', '/scenarios/story/arm', {}),
      cashin('announced'),
      control('DELETE', '/scenarios/story/arm'),
      cashin('expires'),
      cashout('settles'),
      cashin('disputed'),
      trigger('cashin.pay', { id: 'disputed' }),
      trigger('dispute.open', { id: 'disputed' }),
    ],
    calls: [control('POST', '/clock/advance', { by: '8d' })],
  },
  'a webhook sent again': {
    before: [trigger('cashin.pay', { create: true })],
    calls: [control('POST', '/webhooks/NEWEST/redeliver')],
  },
  'the clock': { calls: [control('PUT', '/clock', { now: '2026-06-02T00:00:00Z' })] },
  'a reset': { before: [cashin('gone')], calls: [control('POST', '/reset')] },
  ...Object.fromEntries(
    actionNames.map((action) => [action, { calls: [trigger(action, { create: true, ...paramsOf(action) })] }]),
  ),
}

function paramsOf(action: string): object {
  return action === 'wallet.deposit' ? { amount: 3 } : {}
}

/** State that shows in later calls: ids, random streams, rate windows, lockout counts, used nonces. */
const probes: Call[] = [
  cashin('probe'),
  cashout('probe-out'),
  token('wrong'),
  token('wrong'),
  control('GET', '/inbox/mine'),
  control('GET', '/inbox/own'),
  control('GET', '/clock'),
  control('GET', '/ledger'),
  control('GET', '/requests?limit=100'),
]

interface World {
  running: RunningSandbox
  port: number
  bearer: string
  nonce: number
}

/** Sends all calls in one write, so that they run in as few turns as possible. Returns the responses in order. */
async function ask(world: World, calls: readonly Call[]): Promise<string[]> {
  const raw = calls.map((call, index) => rawOf(world, call, index === calls.length - 1)).join('')
  const received = answersIn(await talk(world.port, raw))
  return received.map(({ status, body }) => normal(world, `${status} ${body}`))
}

function rawOf(world: World, { method, path, body, headers = {}, signed: isSigned }: Call, isLast: boolean): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = {
    Host: `127.0.0.1:${world.port}`,
    ...(path.startsWith('/_sandbox') ? {} : { Authorization: `Bearer ${world.bearer}` }),
    ...(text === '' ? {} : { 'Content-Type': 'application/json' }),
    'Content-Length': String(Buffer.byteLength(text)),
    ...(isSigned ? signatureOf(secretsOf('merchant').signingKey, text, { nonce: nonceOf(world.nonce++) }) : {}),
    ...(isLast ? { Connection: 'close' } : {}),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

const nonceOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Removes the port and real durations, which differ between sandboxes. */
const normal = ({ port }: World, text: string) =>
  text.replaceAll(`:${port}`, ':PORT').replace(/("duration_ms":|"x-request-id":)[^,}]+/g, '$1_')

function rowsOf(world: World): string[] {
  const { db } = world.running.workspace
  const all = <Row>(text: string) => reader<Row>(text)(db)
  const tables = all<{ name: string }>("select name from sqlite_master where type = 'table' order by name")
  return tables.flatMap(({ name }) =>
    all<Record<string, unknown>>(`select * from "${name}" order by 1, 2`).map(({ duration_ms: _, ...row }) =>
      normal(world, `${name} ${JSON.stringify(row, asText)}`),
    ),
  )
}

const asText = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** Runs the unit between two charges in a reproducible sandbox, and returns everything that the API shows of it. */
async function live(unit: { before?: Call[]; calls: Call[] }, refuse: { at: number; code: Refusal } | null) {
  const running = await startSandbox({ seed: 'units', clock: 'manual' })
  try {
    const world: World = { running, port: Number(new URL(running.url).port), bearer: '', nonce: 1 }
    const own = `${running.url}/_sandbox/inbox/own`
    const patched = control('PATCH', `/credentials/${secretsOf('merchant').clientId}`, { postback_url: own })
    const [granted = ''] = await ask(world, [token(), patched])
    world.bearer = JSON.parse(granted.slice(4)).access_token
    for (const call of unit.before ?? []) await ask(world, [call])
    await ask(world, [control('POST', '/clock/advance', { by: '1s' })])
    const newest = await ask(world, [control('GET', '/webhooks?limit=1')])
    const id = /"id":"(evt_\w+)"/.exec(newest[0] ?? '')?.[1] ?? ''
    const calls = unit.calls.map((call) => ({ ...call, path: call.path.replace('NEWEST', id) }))
    refuseWrite(refuse?.at ?? Number.POSITIVE_INFINITY, refuse?.code ?? 'SQLITE_FULL')
    const answers = await ask(world, [cashin('first'), ...calls, cashin('last')])
    const probed = await ask(world, probes)
    const idle = await ask(world, [control('POST', '/clock/advance', { by: '1m' })])
    const writes = writesSeen()
    refuseWrite(Number.POSITIVE_INFINITY, 'SQLITE_FULL')
    const later = await ask(world, [
      control('GET', '/ledger'),
      control('GET', '/inbox/own'),
      control('GET', '/requests?limit=100'),
    ])
    return { writes, seen: [...answers, ...probed, ...idle, ...later, ...rowsOf(world)] }
  } finally {
    await running.close(0)
  }
}

/** Returns the first lines that differ. */
function differences(plain: readonly string[], seen: readonly string[]): string[] {
  const [left, right] = [new Set(plain), new Set(seen)]
  const lost = plain.filter((line) => !right.has(line)).map((line) => `- ${line}`)
  const found = seen.filter((line) => !left.has(line)).map((line) => `+ ${line}`)
  return [...lost.slice(0, 3), ...found.slice(0, 3)]
}

/** The writes to refuse, one in each run: all at full figures. */
function someOf(writes: number): number[] {
  const step = Math.max(1, Math.ceil(writes / figure(2, writes)))
  return Array.from({ length: Math.ceil(writes / step) }, (_, index) => 1 + index * step)
}

describe('the result is the same whichever write the store refuses once, during', () => {
  for (const [name, unit] of Object.entries(units))
    test(name, async () => {
      const plain = await live(unit, null)
      expect(differences(plain.seen, (await live(unit, null)).seen)).toEqual([])
      for (const at of someOf(plain.writes)) {
        const { seen } = await live(unit, { at, code: 'SQLITE_FULL' })
        expect(differences(plain.seen, seen), `write ${at} of ${plain.writes}`).toEqual([])
      }
    })
})

describe('an invalid write rolls back its own unit and no other, during', () => {
  for (const name of ['charges of several currencies', 'withdrawals, one of which is refused', 'changes of an account'])
    test(name, async () => {
      const unit = units[name] ?? { calls: [] }
      const plain = await live(unit, null)
      for (const at of someOf(plain.writes)) {
        const { seen } = await live(unit, { at, code: 'SQLITE_CONSTRAINT_CHECK' })
        const calls = unit.calls.length + 2
        const failed = seen.slice(0, calls).filter((answer) => answer.startsWith('500'))
        const where = `write ${at} of ${plain.writes}`
        expect(failed.length, where).toBeLessThanOrEqual(1)
        expect(
          seen.some((line) => line.startsWith('200 {"balanced":true')),
          where,
        ).toBe(true)
      }
    })
})

const transferOf = (amount: number, username = 'customer') =>
  signed('/v2/internal_transfers/payment', { username, amount, currency: 'BRL' })
const refusedCalls: Record<string, Call> = {
  INSUFFICIENT_BALANCE: cashout('poor', 49_999),
  NOT_FOUND: transferOf(5, 'nobody'),
  SELF_TRANSFER_BLOCKED: transferOf(5, 'merchant'),
  DUPLICATE_EXTERNAL_ID: cashin('taken', { amount: 11 }),
  BELOW_MIN_LIMIT: cashin('small', { amount: 0.5 }),
  INVALID_SPLIT_CONFIG: cashin('split', { split: [{ username: 'nobody', percentage: 5 }] }),
}

/** Otherwise its whole group would be rolled back and run again, which is expensive with many rejections. */
test.each(Object.entries(refusedCalls))(
  'a call rejected with %s has written nothing but its nonce',
  async (code, call) => {
    const running = await startSandbox({ clock: 'manual' })
    try {
      const world: World = { running, port: Number(new URL(running.url).port), bearer: '', nonce: 1 }
      const [granted = ''] = await ask(world, [token()])
      world.bearer = JSON.parse(granted.slice(4)).access_token
      await ask(world, [cashin('taken'), cashout('warm')])
      refuseWrite(Number.POSITIVE_INFINITY, 'SQLITE_FULL')
      const [answer] = await ask(world, [call])
      expect(answer).toContain(code)
      expect(writesSeen()).toBe(call.signed ? 2 : 1)
    } finally {
      await running.close(0)
    }
  },
)

test('a unit that runs again because of another one, which leaves nothing behind, gets the same numbers', async () => {
  const { workspace } = await openSandbox()
  const given: number[] = []
  const [, refused] = await Promise.allSettled([
    workspace.unit(({ ids }) => given.push(ids.sequence('jobs'))),
    workspace.unit(({ db }) => {
      writeMeta(db, 'spoilt', 'by the test')
      throw new Error('refused by the test')
    }),
  ])
  expect([given.length, new Set(given).size, refused.status]).toEqual([2, 1, 'rejected'])
  expect(readMeta(workspace.db, 'spoilt')).toBeUndefined()
})

test('a failed unit reverses its effects outside the database, last first, and skips what was to follow', async () => {
  const { workspace } = await openSandbox()
  const reported: string[] = []
  const failing = (name: string, { after, undo }: Pick<Scope, 'after' | 'undo'>): never => {
    after(() => reported.push(`${name} is over`))
    for (const step of ['first', 'second']) undo(() => reported.push(`${name}: ${step} taken back`))
    throw new Error('refused by the test')
  }
  await expect(workspace.unit((unit) => failing('unit', unit))).rejects.toThrow('refused by the test')
  expect(reported.splice(0)).toEqual(['unit: second taken back', 'unit: first taken back'])
  await workspace.unit((unit) => {
    unit.after(() => reported.push('the rest is over'))
    expect(() => unit.attempt(() => failing('part', unit))).toThrow('refused by the test')
  })
  expect(reported).toEqual(['part: second taken back', 'part: first taken back', 'the rest is over'])
})

test('a unit that fails beside one that the store refuses rejects with its own error', async () => {
  const { workspace } = await openSandbox()
  refuseWrite(1, 'SQLITE_FULL')
  const [kept, failed] = await Promise.allSettled([
    workspace.unit(({ db }) => writeMeta(db, 'kept', 'by the test')),
    workspace.unit(({ db }) => {
      writeMeta(db, 'failed', 'by the test')
      throw new Error('its own')
    }),
  ])
  expect([kept.status, failed]).toEqual(['fulfilled', { status: 'rejected', reason: new Error('its own') }])
})

const spoil = ({ db }: { db: Db }): never => {
  writeMeta(db, 'spoilt', 'by the test')
  throw new Error('refused by the test')
}

/**
 * Each unit first runs behind one that takes two numbers of jobs, and then again without that one, because the one behind
 * it failed. Returns a function that ends this.
 */
function runTwice(workspace: Workspace): () => void {
  const { unit } = workspace
  workspace.unit = (work) => {
    let runs = 0
    const before = unit((own) => (runs++ === 0 ? [own.ids.sequence('jobs'), own.ids.sequence('jobs')] : spoil(own)))
    const result = unit(work)
    void Promise.allSettled([before, unit(spoil)])
    return result
  }
  return () => {
    workspace.unit = unit
  }
}

test('an advance whose jobs run again runs each of them at its own time', async () => {
  const { workspace, url } = await openSandbox({ clock: 'manual' })
  const sandbox = await deliveriesOf(url)
  await sandbox.charge(['first'])
  await sandbox.advance({ by: '1m' })
  await sandbox.charge(['second'])
  const runOnce = runTwice(workspace)
  const { ran } = await sandbox.advance({ until: 'idle' })
  runOnce()
  expect(ran.map(({ at, job }: { at: string; job: string }) => `${job} ${at}`)).toEqual([
    'expire 2026-06-01T13:00:00.000Z',
    'expire 2026-06-01T13:01:00.000Z',
  ])
})

test('an advance does not wait for a webhook whose job got a number that a repeated unit gave back', async () => {
  const { workspace, url } = await openSandbox({ clock: 'manual', rateLimits: false })
  const [answering, answeringLater] = [gate(), gate()]
  const receiver = await openReceiver(() => ({ until: answering.opened }))
  const slower = await openReceiver((_post, index) => (index === 0 ? {} : { until: answeringLater.opened }))
  const sandbox = await deliveriesOf(url)
  await sandbox.pay(['paid'], slower.url)
  const { id } = await sandbox.eventOnce('paid', ({ status }) => status === 'delivered')
  await sandbox.charge(['expires'], receiver.url)
  await sandbox.advance({ by: '1m' })
  await sandbox.charge(['expires later'], receiver.url)
  const runOnce = runTwice(workspace)
  const advanced = sandbox.advance({ until: 'idle' })
  await eventually(
    async () => receiver.open,
    (open) => open === 1,
  )
  runOnce()
  await sandbox.call('POST', `/webhooks/${id}/redeliver`)
  await eventually(
    async () => slower.open,
    (open) => open === 1,
  )
  answering.open()
  const { complete, ran } = await advanced
  expect([complete, ran.map(({ job }: { job: string }) => job)]).toEqual([
    true,
    ['expire', 'deliver', 'expire', 'deliver'],
  ])
  answeringLater.open()
  await sandbox.eventOnce('paid', ({ attempts }) => attempts.length === 2)
})
