/** The business clock: advancing from job to job, freezing and resuming, concurrent advances, load, restarts, and far dates. */

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deliveryState } from '../../src/core/delivery/queue.js'
import { schedulerState } from '../../src/core/jobs/jobs.js'
import type { Config } from '../../src/protocol/settings/platform.js'
import type { SandboxOptions } from '../../src/runtime/node/sandbox.js'
import { openClient } from '../support/client.js'
import { deliveriesOf, named, offsetsOf } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { figure } from '../support/figures.js'
import { asKilled, temporaryFolder } from '../support/folder.js'
import { gate } from '../support/gate.js'
import { type Body, control, send } from '../support/http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox, openWithReceivers } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'
import { sendingWithin } from '../support/workers.js'

async function opened(config: Partial<Config> = {}, db?: string, options: Partial<SandboxOptions> = {}) {
  const sandbox = await openSandbox(config, { ...(db === undefined ? {} : { db }), ...options })
  return { url: sandbox.url, ...(await deliveriesOf(sandbox.url)) }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const pixCharge = { amount: 10, currency: 'BRL' }

describe('advancing a manual clock', () => {
  test('runs due jobs in order, each at its own moment, and lists them', async () => {
    const posts = await openReceiver()
    const sandbox = await opened({ clock: 'manual', webhookUrl: posts.url })
    const api = await openClient(sandbox.url)
    const startMs = await sandbox.now()
    const ids = [await api.charge(pixCharge)]
    await sandbox.advance({ by: '10m' })
    ids.push(await api.charge(pixCharge))
    const crypto = await api.charge({ amount: 10, currency: 'USDT', chain: 'tron' })
    const { body: planned } = await send('GET', `${sandbox.url}/_sandbox/clock/jobs?limit=2`)
    expect([planned.data.map(({ id }: Body) => id), planned.counts]).toEqual([[crypto, ids[0]], { expire: 3 }])
    const { body: rest } = await send('GET', `${sandbox.url}/_sandbox/clock/jobs?after=${planned.next}`)
    expect(rest).toMatchObject({ data: [{ job: 'expire', id: ids[1], event: null }], next: null })
    const { ran, now, next_due } = await sandbox.advance({ by: '2h' })
    expect(Date.parse(now) - startMs).toBe(2 * hourMs + 600_000)
    expect(next_due).toBeNull()
    expect(ran.map(({ at, job }: Body) => [Date.parse(at) - startMs, job])).toEqual([
      [2_400_000, 'expire'],
      [hourMs, 'expire'],
      [hourMs, 'deliver'],
      [4_200_000, 'expire'],
      [4_200_000, 'deliver'],
    ])
    const expired = ran.filter(({ job }: Body) => job === 'expire').map(({ id }: Body) => id)
    expect(expired).toEqual([crypto, ids[0], ids[1]])
    const sent = posts.all.map(({ body }) => JSON.parse(body))
    expect(sent.map(({ event, data }) => [event, data.transaction_id])).toEqual([
      ['cashin.expired', ids[0]],
      ['cashin.expired', ids[1]],
    ])
    expect(sent.map(({ timestamp }) => Date.parse(timestamp) - startMs)).toEqual([hourMs, 4_200_000])
  })

  test('goes to a given moment, and rejects one in the past', async () => {
    const sandbox = await opened({ clock: 'manual' })
    const startMs = await sandbox.now()
    const to = new Date(startMs + dayMs).toISOString()
    expect((await sandbox.advance({ to })).now).toBe(to)
    expect((await sandbox.advance({ to })).now).toBe(to)
    const back = await sandbox.ask('POST', '/clock/advance', { to: new Date(startMs).toISOString() })
    expect([back.status, back.body.error.code]).toEqual([422, 'INVALID_VALUE'])
    const set = await sandbox.ask('PUT', '/clock', { now: new Date(startMs).toISOString() })
    expect([set.status, (await sandbox.now()) - startMs]).toEqual([422, dayMs])
    const later = new Date(startMs + 2 * dayMs).toISOString()
    expect(await sandbox.call('PUT', '/clock', { now: later })).toMatchObject({ now: later, mode: 'manual' })
  })

  test.each([{}, { by: '1s', until: 'idle' }, { by: -1 }, { by: 'soon' }, { until: 'noon' }, { to: 'tomorrow' }])(
    'rejects %j',
    async (given) => {
      const sandbox = await opened({ clock: 'manual' })
      expect((await sandbox.ask('POST', '/clock/advance', given)).status).toBeGreaterThanOrEqual(400)
    },
  )

  test('stops before the year 9000, whatever the requested time is', async () => {
    const sandbox = await opened({ clock: 'manual' })
    for (const given of [{ by: '3000000d' }, { to: '9000-01-01T00:00:00.001Z' }, { by: Number.MAX_SAFE_INTEGER }])
      expect((await sandbox.ask('POST', '/clock/advance', given)).status).toBe(422)
    const api = await openClient(sandbox.url)
    await api.charge(pixCharge)
    const { now, ran } = await sandbox.advance({ to: '9000-01-01T00:00:00Z' })
    expect([now, ran.length]).toEqual(['9000-01-01T00:00:00.000Z', 1])
    expect((await sandbox.ask('POST', '/clock/advance', { by: 1 })).status).toBe(422)
    expect((await sandbox.ask('GET', '/health')).body.clock.now).toBe('9000-01-01T00:00:00.000Z')
  })

  test('runs two concurrent requests one after the other, with correct results for both', async () => {
    const posts = await openReceiver(() => ({ status: 500, delayMs: 5 }))
    const sandbox = await opened({ clock: 'manual', webhookUrl: posts.url })
    await sandbox.pay(['order'])
    const startMs = await sandbox.now()
    const walks = await Promise.all([
      sandbox.advance({ by: '6s' }),
      sandbox.advance({ by: '30s' }),
      sandbox.advance({ by: '120s' }),
    ])
    const ends = walks.map(({ now }) => Date.parse(now) - startMs)
    expect(ends[2]).toBe(Math.max(...ends))
    expect(ends.toSorted((a, b) => a - b).at(-1)).toBe(156_000)
    expect(offsetsOf(await sandbox.event('order'))).toEqual([0, 1_000, 6_000, 36_000, 156_000])
    const later = walks.flatMap(({ ran }) => ran).filter(({ at }: Body) => Date.parse(at) > startMs)
    expect(later).toHaveLength(4)
  })

  test('works under load, and loses no event', async () => {
    const posts = await openReceiver()
    const sandbox = await opened({ clock: 'manual', webhookUrl: posts.url, rateLimits: false })
    const api = await openClient(sandbox.url)
    let isOver = false
    let walks = 0
    const walking = (async () => {
      while (!isOver) {
        await sandbox.advance({ by: '7s' })
        walks += 1
      }
    })()
    const names = named('busy', 120)
    await Promise.all(
      Array.from({ length: 6 }, async (_, lane) => {
        for (const name of names.filter((_name, index) => index % 6 === lane)) {
          await api.charge({ ...pixCharge, external_id: name })
          await sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: name })
        }
      }),
    )
    isOver = true
    await walking
    await sandbox.advance({ by: 0 })
    expect(walks).toBeGreaterThan(0)
    expect(posts.externalIds().toSorted()).toEqual(names)
  })

  test('is not delayed by a receiver that exceeds its timeout', async () => {
    const posts = await openReceiver(() => null)
    const config: Partial<Config> = { clock: 'manual', webhookUrl: posts.url }
    const sandbox = await opened(config, ':memory:', sendingWithin({ totalMs: 400 }))
    await sandbox.pay(named('hanging', 3))
    await sandbox.advance({ by: 0 })
    for (const name of named('hanging', 3))
      expect((await sandbox.event(name)).attempts).toMatchObject([{ outcome: 'timeout', status: null }])
  })

  test('waits for the webhooks that it caused, not for those that other callers cause meanwhile', async () => {
    const hanging = await openReceiver(() => null)
    const failing = await openReceiver(() => ({ status: 500, until: meanwhile() }))
    const sandbox = await opened({ clock: 'manual' })
    // While the advance waits for this response, another charge is paid whose receiver never answers.
    const others = named('other', 6)
    await sandbox.charge(others, hanging.url)
    const meanwhile = async () => {
      await sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: others[failing.all.length - 1] })
      await eventually(
        () => hanging.all.length,
        (count) => count >= failing.all.length,
      )
    }
    await sandbox.pay(['mine'], failing.url)
    const { ran } = await sandbox.advance({ by: '800s' })
    expect((await sandbox.event('mine')).attempts).toHaveLength(6)
    expect(hanging.open).toBe(6)
    expect(new Set(ran.map(({ id }: Body) => id))).toEqual(new Set([(await sandbox.event('mine')).id]))
  })
})

const manyJobs = figure(400, 10_000)

test(`${manyJobs} jobs run at their own moments within one advance, on a durable file`, async () => {
  const sandbox = await opened({ clock: 'manual', rateLimits: false }, join(temporaryFolder(), 'sandbox.db'))
  const api = await openClient(sandbox.url)
  const startMs = await sandbox.now()
  const moments = manyJobs / 200
  for (let moment = 0; moment < moments; moment++) {
    await Promise.all(Array.from({ length: 200 }, () => api.charge(pixCharge)))
    await sandbox.advance({ by: '1ms' })
  }
  const { ran } = await sandbox.advance({ by: '1h' })
  expect(ran).toHaveLength(manyJobs)
  const offsets = ran.map(({ at }: Body) => Date.parse(at) - startMs - hourMs)
  expect(offsets).toEqual(offsets.toSorted((a: number, b: number) => a - b))
  expect([...new Set(offsets)]).toEqual(Array.from({ length: moments }, (_, index) => index))
  expect((await sandbox.call('GET', '/transactions?status=pending')).data).toEqual([])
})

test('the list of jobs names the event of each webhook, up to a millisecond, and an object shows its own jobs', async () => {
  const posts = await openReceiver(() => ({ status: 500 }))
  const sandbox = await opened({ clock: 'manual', webhookUrl: posts.url })
  await sandbox.pay(['first', 'second'])
  await sandbox.advance({ by: 0 })
  const id = await (await openClient(sandbox.url)).charge(pixCharge)
  const startMs = await sandbox.now()
  const jobsWithin = async (afterMs: number) => {
    const to = new Date(startMs + afterMs).toISOString()
    const { data, counts } = await sandbox.call('GET', `/clock/jobs?to=${to}`)
    return [data.map(({ job, event }: Body) => `${job} ${event}`), counts]
  }
  const retries = ['deliver cashin.confirmed', 'deliver cashin.confirmed']
  expect(await jobsWithin(999)).toEqual([[], {}])
  expect(await jobsWithin(1000)).toEqual([retries, { deliver: 2 }])
  expect(await jobsWithin(hourMs)).toEqual([[...retries, 'expire null'], { deliver: 2, expire: 1 }])
  const at = new Date(startMs + hourMs).toISOString()
  expect((await sandbox.call('GET', `/transactions/${id}`)).due).toEqual([{ job: 'expire', at }])
})

describe('real time', () => {
  test('passes, freezes, resumes where it stopped, and can be advanced', async () => {
    const sandbox = await opened({ clock: 'realtime' })
    const pause = () => new Promise((resolve) => setTimeout(resolve, 30))
    const first = await sandbox.now()
    await pause()
    expect(await sandbox.now()).toBeGreaterThan(first)
    const frozen = Date.parse((await sandbox.call('PUT', '/clock', { mode: 'manual' })).now)
    await pause()
    expect(await sandbox.now()).toBe(frozen)
    const resumed = Date.parse((await sandbox.call('PUT', '/clock', { mode: 'realtime' })).now)
    expect(resumed - frozen).toBeLessThan(30_000)
    const before = await sandbox.now()
    const { now } = await sandbox.advance({ by: '7d' })
    expect(Date.parse(now) - before).toBeGreaterThanOrEqual(7 * dayMs)
    await pause()
    expect(await sandbox.now()).toBeGreaterThan(Date.parse(now))
  })

  test('runs due jobs by itself, also after a freeze', async () => {
    const sandbox = await opened({ clock: 'realtime', cashoutSettleMs: 300 })
    const api = await openClient(sandbox.url)
    await sandbox.call('PUT', '/accounts/merchant/balances', { BRL: '100.00' })
    await sandbox.call('PUT', '/clock', { mode: 'manual' })
    await api.withdraw('payout')
    const status = async () => (await sandbox.call('GET', '/transactions?external_id=payout')).data[0].status
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(await status()).toBe('pending')
    await sandbox.call('PUT', '/clock', { mode: 'realtime' })
    await eventually(status, (one) => one === 'confirmed')
  })

  test('runs a job that is due soon although a later one was added after it', async () => {
    const sandbox = await opened({ clock: 'realtime', cashoutSettleMs: 1000 })
    const api = await openClient(sandbox.url)
    await api.withdraw('soon')
    await api.charge({ external_id: 'in an hour' })
    await eventually(
      async () => (await sandbox.call('GET', '/transactions?external_id=soon')).data[0].status,
      (status) => status === 'confirmed',
    )
  })
})

test('signatures use real time and tokens business time: a week later only the token has expired', async () => {
  const posts = await openReceiver()
  const sandbox = await opened({ clock: 'manual', webhookUrl: posts.url })
  const api = await openClient(sandbox.url)
  await sandbox.advance({ by: '3599s' })
  expect((await api.get('/v2/account/balance')).status).toBe(200)
  await sandbox.advance({ by: '1s' })
  expect((await api.get('/v2/account/balance')).body.error.code).toBe('TOKEN_EXPIRED')
  await sandbox.advance({ by: '7d' })
  const renewed = await openClient(sandbox.url)
  const transfer = { username: 'customer', amount: 5, currency: 'BRL' }
  expect((await renewed.signed('/v2/internal_transfers/payment', transfer)).status).toBe(200)
  const stale = signatureOf(secretsOf('merchant').signingKey, JSON.stringify(transfer))
  const ahead = { ...stale, 'X-Timestamp': String(Math.floor((await sandbox.now()) / 1000)) }
  const refused = await send('POST', `${sandbox.url}/v2/internal_transfers/payment`, transfer, {
    ...renewed.bearer,
    ...ahead,
  })
  expect(refused.body.error.code).toBe('INVALID_TIMESTAMP')
  await sandbox.advance({ by: 0 })
  for (const { headers, wallSeconds } of posts.all)
    expect(Math.abs(Number(headers['x-webhook-timestamp']) - wallSeconds)).toBeLessThan(300)
  expect(posts.all.length).toBeGreaterThan(0)
})

describe('a restart', () => {
  test.each(['manual', 'realtime'] as const)('preserves a clock that is %s and far ahead', async (mode) => {
    const db = join(temporaryFolder(), 'sandbox.db')
    const first = await openSandbox({ clock: mode }, { db })
    const before = await deliveriesOf(first.url)
    const { now } = await before.advance({ by: '30d' })
    await first.close(0)
    const second = await opened({}, db)
    const clock = await second.call('GET', '/clock')
    expect(clock.mode).toBe(mode)
    if (mode === 'manual') expect(clock.now).toBe(now)
    else expect(Date.parse(clock.now)).toBeGreaterThanOrEqual(Date.parse(now))
    expect(Date.parse(clock.now) - Date.parse(now)).toBeLessThan(hourMs)
  })
})

test('a workspace that nobody calls after a restart wakes for its first due job', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const posts = await openReceiver()
  const config = { cashoutSettleMs: 1500, webhookUrl: posts.url }
  const first = await openSandbox(config, { db })
  await (await deliveriesOf(first.url)).call('POST', '/workspaces', { name: 'other' })
  const api = await openClient(`${first.url}/w/other`)
  await api.charge()
  await api.withdraw('payout')
  await api.charge()
  await first.close(0)
  await openSandbox(config, { db })
  await eventually(
    async () => posts.all.map(({ headers }) => headers['x-webhook-event']),
    (came) => came.includes('cashout.confirmed'),
  )
})

test('a manual clock that was never advanced has the same time after a restart', async () => {
  const db = join(temporaryFolder(), 'sandbox.db')
  const first = await openSandbox({ clock: 'manual' }, { db })
  const { now } = await (await deliveriesOf(first.url)).call('GET', '/clock')
  await first.close(0)
  for (const clock of ['manual', null] as const) {
    const again = await openSandbox({ clock }, { db })
    expect(await (await deliveriesOf(again.url)).call('GET', '/clock')).toMatchObject({ now, mode: 'manual' })
    await again.close(0)
  }
})

test('an invalid date is rejected, not moved to the next day', async () => {
  const sandbox = await openWithReceivers()
  for (const now of [
    '2031-02-30T00:00:00Z',
    '2031-02-29T00:00:00.000-03:00',
    '2031-06-31T10:00:00Z',
    '2031-01-01T24:00:00Z',
  ]) {
    const set = await sandbox.control('PUT', '/clock', { now })
    expect([set.status, set.code], now).toEqual([422, 'INVALID_VALUE'])
    const advanced = await sandbox.control('POST', '/clock/advance', { to: now })
    expect([advanced.status, advanced.code], now).toEqual([422, 'INVALID_VALUE'])
  }
  expect((await sandbox.control('PUT', '/clock', { now: '2032-02-29T00:00:00Z' })).status).toBe(200)
})

test('a finished advance leaves nothing in memory', async () => {
  const { url, workspace } = await openSandbox({ clock: 'manual' })
  const sandbox = await deliveriesOf(url)
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  for (let count = 0; count < 20; count++) await sandbox.advance({ by: '1h' })
  // Other parts of this process have a few.
  expect(timers() - before).toBeLessThan(10)
  expect(workspace.state.of(schedulerState).advance).toBeNull()
  expect(workspace.state.of(schedulerState).advances.size).toBe(0)
})

test('a reset cancels the advance in progress, and the new state does not continue it', async () => {
  const never = gate()
  const posts = await openReceiver(() => ({ until: never.opened }))
  const sandbox = await opened({ clock: 'manual', webhookUrl: posts.url })
  await sandbox.pay(['order'])
  const walking = sandbox.ask('POST', '/clock/advance', { by: '30d' })
  await eventually(
    async () => posts.open,
    (count) => count === 1,
  )
  await sandbox.call('POST', '/reset')
  const anew = await sandbox.now()
  expect((await walking).body).toMatchObject({ complete: false, canceled: true })
  never.open()
  expect(await sandbox.now()).toBe(anew)
})

test('closing ends an advance in the background, which then moves the clock no more', async () => {
  const answered = [gate(), gate()]
  const posts = await openReceiver((_post, index) => ({ until: answered[index]?.opened ?? Promise.resolve() }))
  const { url, workspace, close } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const sandbox = await deliveriesOf(url)
  const untilOpen = (wanted: number) =>
    eventually(
      () => posts.open,
      (count) => count === wanted,
    )
  await sandbox.charge(['expires', 'other'])
  await sandbox.pay(['awaited'])
  await untilOpen(1)
  const { now } = await sandbox.advance({ by: '1d', wait: '20ms' })
  await sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: 'other' })
  await untilOpen(2)
  const closing = close()
  const state = workspace.memory.of(deliveryState)
  await eventually(
    () => state.isEnding,
    (isEnding) => isEnding,
  )
  answered[0]?.open()
  await eventually(
    () => state.inFlight.size,
    (count) => count === 1,
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(new Date(workspace.clock.now()).toISOString()).toBe(now)
  answered[1]?.open()
  await closing
})

test('an advance that waits for a webhook is rejected when its workspace is deleted', async () => {
  const never = gate()
  const posts = await openReceiver(() => ({ until: never.opened }))
  const { url } = await openSandbox({ clock: 'manual', webhookUrl: posts.url })
  const call = control(url)
  const created = (await call('POST', '/workspaces', { name: 'team' })).body
  const team = await deliveriesOf(`${url}/w/${created.name}`)
  await team.pay(['first'])
  await eventually(
    () => posts.open,
    (count) => count === 1,
  )
  const waiting = control(`${url}/w/team`)('POST', '/clock/advance', { by: 0, wait: '60s' })
  await eventually(
    async () => (await team.call('GET', '/clock')).advancing,
    (advancing) => advancing !== null,
  )
  expect((await call('DELETE', '/workspaces/team')).status).toBe(204)
  expect(await waiting).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  never.open()
})

test("real time does not pass while an advance waits for a webhook's answer", async () => {
  const answered = gate()
  const posts = await openReceiver(() => ({ until: answered.opened }))
  const sandbox = await opened({ clock: 'realtime', webhookUrl: posts.url })
  await sandbox.pay(['order'])
  const walking = sandbox.advance({ until: 'idle' })
  await eventually(
    async () => {
      const before = await sandbox.now()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return (await sandbox.now()) - before
    },
    (passedMs) => passedMs === 0,
  )
  answered.open()
  await walking
})

test('the progress of an advance survives a kill in the middle of it', async () => {
  const never = gate()
  const posts = await openReceiver(() => ({ until: never.opened }))
  const folder = temporaryFolder()
  const first = await opened({ clock: 'manual', webhookUrl: posts.url }, join(folder, 'sandbox.db'))
  const startMs = await first.now()
  const api = await openClient(first.url)
  await api.charge(pixCharge)
  const walking = first.ask('POST', '/clock/advance', { by: '30d' })
  await eventually(
    async () => posts.open,
    (count) => count === 1,
  )
  const second = await opened({ clock: 'manual', webhookUrl: posts.url }, join(asKilled(folder), 'sandbox.db'))
  expect((await second.now()) - startMs).toBe(hourMs)
  never.open()
  await walking
})
