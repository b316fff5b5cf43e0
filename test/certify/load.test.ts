/** The load test of a receiver: what is sent, what is measured, its limits, and every way to start it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReceiverReport } from '../../src/features/certify/routes.js'
import { certifyReceiver } from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { certify, certifyLoadTimeless, openTried, withResult } from '../support/certify.js'
import { eventually } from '../support/eventually.js'
import { busyMachine, OwnTime } from '../support/own-time.js'
import { run, withoutProgress } from '../support/program.js'
import { startReceiver } from '../support/receiver.js'
import { closeChecked, openForFile, type TestSandbox } from '../support/sandbox.js'

interface Arrival {
  atMs: number
  id: string
  event: string
  body: { transaction_id: string; data: Record<string, string> }
}

type Answer = { status: number; afterMs: number }

/** A receiver in a time of its own: it notes what arrives, credits charges, and answers as `behave` says. */
function timelessReceiver(time: OwnTime, behave: (arrival: Arrival, number: number) => Answer) {
  const arrivals: Arrival[] = []
  const credits = new Map<string, number>()
  const read = async (request: IncomingMessage): Promise<Arrival> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { headers } = request
    const [id, event] = [String(headers['x-webhook-id']), String(headers['x-webhook-event'])]
    return { atMs: time.now(), id, event, body: JSON.parse(Buffer.concat(chunks).toString()) }
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/state') {
      const credited = credits.get(searchParams.get('transaction_id') ?? '') ?? 0
      return void response.end(JSON.stringify({ credited: credited.toFixed(2) }))
    }
    const arrival = await read(request)
    const { status, afterMs } = behave(arrival, arrivals.push(arrival))
    time.alarm(afterMs, () => response.writeHead(status).end())
  })
  const credit = ({ event, body }: Arrival) => {
    if (event !== 'cashin.confirmed') return
    credits.set(body.transaction_id, (credits.get(body.transaction_id) ?? 0) + Number(body.data.amount))
  }
  return { server, arrivals, credit }
}

const state_url = 'http://127.0.0.1:3000/state'
const load = (time: OwnTime, server: Server, wanted: object): Promise<ReceiverReport> =>
  certifyLoadTimeless(time, server, { state_url, load: wanted })
const measured = ({ load: found }: ReceiverReport) => {
  if (found === undefined) throw new Error('the report has no load')
  return found
}

describe('a load', () => {
  test('has events of every kind of transaction, signed, at the rate, and in order for each object', async () => {
    const time = new OwnTime()
    const seen = new Set<string>()
    const { server, arrivals, credit } = timelessReceiver(time, (arrival) => {
      if (!seen.has(arrival.id)) credit(arrival)
      seen.add(arrival.id)
      return { status: 200, afterMs: 20 }
    })
    const report = await load(time, server, { rate: '20/s', for: '10s' })
    expect(withResult(report, 'failed')).toEqual([])
    const { events, acknowledged, attempts, duplicates, effects, timeline, ...rest } = measured(report)
    expect([events, acknowledged, attempts]).toEqual([200, 200, 200 + duplicates])
    expect(duplicates).toBe(4)
    expect(effects).toEqual({ checked: effects?.checked, once: effects?.checked, missing: 0, repeated: 0, other: 0 })
    expect(effects?.checked).toBeGreaterThan(40)
    expect(rest).toMatchObject({
      retries: 0,
      failures: [],
      stopped: null,
      limit: null,
      profile: 'steady',
      for_ms: 10_000,
    })
    expect(timeline.reduce((sum, span) => sum + span.acknowledged, 0)).toBe(attempts)
    expect(new Set(arrivals.map(({ event }) => event)).size).toBeGreaterThan(10)
    const confirmedFirst = arrivals.filter(({ event }) => event === 'cashin.refunded')
    expect(confirmedFirst.length).toBeGreaterThan(2)
    for (const { body, atMs } of confirmedFirst) {
      const confirmed = arrivals.find(
        (one) => one.event === 'cashin.confirmed' && one.body.transaction_id === body.data.original_transaction_id,
      )
      expect(confirmed?.atMs).toBeLessThan(atMs)
    }
  })

  test.each([
    ['burst', [0, 1], [5, 6]],
    ['blackfriday', [3, 4], [0, 1]],
  ])(
    'with the profile %s is busy at one time and quiet at another, and never above the rate',
    async (profile, busy, quiet) => {
      const time = new OwnTime()
      const { server, arrivals } = timelessReceiver(time, () => ({ status: 200, afterMs: 5 }))
      await load(time, server, { rate: 30, for: 10, profile })
      const [, first] = arrivals
      const countIn = ([from = 0, to = 0]: readonly number[]) =>
        arrivals.filter(({ atMs }) => atMs >= (first?.atMs ?? 0) + 1000 * from && atMs < (first?.atMs ?? 0) + 1000 * to)
          .length
      expect(countIn(busy)).toBeGreaterThan(20)
      expect(countIn(quiet)).toBeLessThan(8)
      for (let second = 0; second < 10; second += 0.5) expect(countIn([second, second + 1])).toBeLessThanOrEqual(32)
    },
  )
})

describe('a report', () => {
  test('shows failures by kind and their retries, and fails the rule with the first failure as evidence', async () => {
    const time = new OwnTime()
    const { server, arrivals, credit } = timelessReceiver(time, (arrival, number) => {
      if (number > 1 && number % 10 === 0) return { status: 503, afterMs: 5 }
      if (number % 25 === 0) return { status: 429, afterMs: 5 }
      credit(arrival)
      return { status: 200, afterMs: 5 }
    })
    const report = await load(time, server, { rate: 20, for: 5 })
    const { failures, retries, acknowledged, oldest_ms: oldestMs } = measured(report)
    expect(failures.map(({ reason }) => reason)).toEqual(['503', '429'])
    expect(retries).toBe(failures.reduce((sum, { count }) => sum + count, 0))
    expect(acknowledged).toBe(100)
    expect(oldestMs).toBeGreaterThanOrEqual(1000)
    expect(withResult(report, 'failed')).toContain('load.accepted')
    const rule = report.rules.find(({ id }) => id === 'load.accepted')
    expect(rule).toMatchObject({ evidence: { answer: { status: 503 } }, fix: expect.stringContaining('proxy') })
    expect(arrivals.length).toBeGreaterThan(100)
  })

  test('shows that an event was applied twice when its first answer was lost', async () => {
    const time = new OwnTime()
    const { server, credit } = timelessReceiver(time, (arrival, number) => {
      credit(arrival)
      return { status: number % 20 === 0 ? 500 : 200, afterMs: 5 }
    })
    const report = await load(time, server, { rate: 20, for: 5 })
    expect(withResult(report, 'failed')).toContain('load.once')
    expect(measured(report).effects?.repeated).toBeGreaterThan(0)
  })

  test('finds a receiver that applies duplicates within two seconds, however few events it gets', async () => {
    const creditsAll = (rate: number) => {
      const time = new OwnTime()
      const { server, credit } = timelessReceiver(time, (arrival) => {
        credit(arrival)
        return { status: 200, afterMs: 5 }
      })
      return load(time, server, { rate, for: 2 })
    }
    for (const rate of [1, 5, 40]) expect(withResult(await creditsAll(rate), 'failed')).toEqual(['load.once'])
  })

  test('fails a receiver that stores nothing and answers each question about its state with the sample of the form', async () => {
    const time = new OwnTime()
    const server = createServer((_, response) => {
      response.end(JSON.stringify({ status: 'confirmed', credited: '25.50' }))
    })
    const report = await load(time, server, { rate: 20, for: 5 })
    expect(withResult(report, 'failed')).toEqual(['load.once'])
    expect(measured(report).effects).toMatchObject({ once: 0, missing: 0 })
    const { observed } = report.rules.find(({ id }) => id === 'load.once') ?? {}
    expect(observed).toMatch(/credited with another amount \(tx_\w+: credited 25\.50 instead of \d+\.\d\d\)$/)
  })

  test('shows a receiver that falls behind: timeouts, the oldest event, and events without an acknowledgement', async () => {
    const time = new OwnTime()
    let freeAtMs = 0
    const { server } = timelessReceiver(time, () => {
      freeAtMs = Math.max(freeAtMs, time.now()) + 500
      return { status: 200, afterMs: freeAtMs - time.now() }
    })
    const report = await load(time, server, { rate: 10, for: 15 })
    expect(withResult(report, 'failed')).toEqual(expect.arrayContaining(['load.in-time', 'load.soon', 'load.keeps-up']))
    const { acknowledgement: times, oldest_ms: oldestMs, events, acknowledged } = measured(report)
    expect(times.over_10_s).toBeGreaterThan(0)
    expect(times.over_2_s).toBeGreaterThan(times.over_10_s)
    expect(oldestMs).toBeGreaterThan(10_000)
    expect(acknowledged).toBeLessThan(events)
  })

  test('says that the kind of an event fails and not the rate, and still finds the limit', async () => {
    const time = new OwnTime()
    const { server, credit } = timelessReceiver(time, (arrival) => {
      if (arrival.event === 'cashin.refunded') return { status: 500, afterMs: 5 }
      credit(arrival)
      return { status: 200, afterMs: 5 }
    })
    const report = await load(time, server, { rate: 20, for: 10, find_limit: true })
    expect(withResult(report, 'failed')).not.toContain('load.soon')
    const ruleOf = (id: string) => report.rules.find((rule) => rule.id === id)
    const cause = /(\d+) of \1 cashin\.refunded: all of these and no others, so the rate is not the cause$/
    expect(ruleOf('load.accepted')?.observed).toMatch(cause)
    expect(ruleOf('load.keeps-up')?.observed).toMatch(cause)
    const words = JSON.stringify(report.rules.filter(({ result }) => result === 'failed').map(({ fix }) => fix))
    expect(words).not.toMatch(/crash|add workers|find-limit/i)
    expect(words).toContain('why cashin.refunded failed (500). The receiver does not answer too slowly.')
    expect(measured(report).limit?.rate).toBeGreaterThan(20)
  })

  test('accuses no receiver of slow answers while the sandbox itself is busy', async () => {
    const resultOn = async (busyMs: () => number) => {
      const time = new OwnTime(busyMs)
      const { server } = timelessReceiver(time, () => ({ status: 200, afterMs: 2500 }))
      const report = await load(time, server, { rate: 5, for: 5 })
      return report.rules.find(({ id }) => id === 'load.soon')
    }
    expect((await resultOn(() => 0))?.result).toBe('failed')
    const onBusy = await resultOn(busyMachine(1, 5, 3000))
    expect(onBusy?.result).toBe('inconclusive')
    expect(onBusy?.observed).toMatch(/the sandbox itself was busy and postponed events by \d/)
  })

  test('names the failed events, and when and at which rate the first attempt failed', async () => {
    const time = new OwnTime()
    const { server } = timelessReceiver(time, (_, number) => ({ status: number > 100 ? 500 : 200, afterMs: 5 }))
    const report = await load(time, server, { rate: 20, for: 10 })
    const found = report.rules.find(({ id }) => id === 'load.accepted')
    expect(found?.observed).toMatch(/× 500; \d+ of \d+ \S+, .*other kinds of events; the first after about \d/)
    expect(found?.observed).toMatch(/, at [\d.]+\/s$/)
  })

  test('begins a span of its timeline with every whole second', async () => {
    for (const seconds of [2, 7, 37]) {
      const time = new OwnTime()
      const { server } = timelessReceiver(time, () => ({ status: 200, afterMs: 5 }))
      const { timeline } = measured(await load(time, server, { rate: 4, for: seconds }))
      const starts = timeline.map(({ at_ms: atMs }) => atMs)
      for (let second = 0; second < seconds; second++) expect(starts, `${seconds} s`).toContain(second * 1000)
      expect(starts.filter((atMs) => atMs < seconds * 1000).length).toBeLessThanOrEqual(60)
    }
  })

  test('finds the highest rate that a receiver sustains, even if a queue grows slowly', async () => {
    const time = new OwnTime()
    let freeAtMs = 0
    const { server } = timelessReceiver(time, () => {
      freeAtMs = Math.max(freeAtMs, time.now()) + 60
      return { status: 200, afterMs: freeAtMs - time.now() }
    })
    const { limit } = measured(await load(time, server, { rate: 4, for: 20, find_limit: true }))
    expect(limit?.bounded_by).toBe('receiver')
    expect(limit?.rate).toBeGreaterThan(14)
    expect(limit?.rate).toBeLessThanOrEqual(17)
    expect(limit?.steps[0]).toMatchObject({ rate: 4, sustained: true })
  })
})

describe('over sockets', () => {
  let sandbox: TestSandbox
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-load-'))
  beforeAll(async () => {
    await built()
    sandbox = await openForFile()
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await closeChecked(sandbox)
  })

  test('a correct receiver passes at a high rate, and the rate alone is enough as a field', async () => {
    const { url, stateUrl, close } = await openTried()
    const report = await certify(sandbox, { url, state_url: stateUrl, load: { rate: '100/s', for: '1s' } })
    await close()
    expect(withResult(report, 'failed')).toEqual([])
    const { events, late_ms: lateMs } = measured(report)
    // On a busy machine the sandbox sends fewer within the second, and says so.
    expect(events === 100 || lateMs > 0, `${events} events, ${lateMs} ms late`).toBe(true)
    expect(measured(report)).toMatchObject({ acknowledged: events, rate: 100 })
  })

  test('a receiver that rejects the first event gets no load', async () => {
    const receiver = await startReceiver(() => ({ status: 401 }))
    const report = await certify(sandbox, { url: receiver.url, load: '20/s' })
    expect(report.load).toBeUndefined()
    expect(withResult(report, 'failed')).toEqual(['accept.signed'])
    expect(report.not_tested).toMatchObject([{ blocked_by: 'accept.signed' }])
  })

  test.each([
    [{ rate: '501/s' }, 'load.rate', /0\.1\/s to 500\/s/],
    [{ rate: 'fast' }, 'load.rate', /such as 20\/s/],
    [{ rate: 20, for: '11m' }, 'load.for', /at most 10 minutes/],
    [{ rate: 20, for: '10ms' }, 'load.for', /at least 1 second/],
    [{ rate: 20, profile: 'blackfridy' }, 'load.profile', /did you mean blackfriday/],
    [{ rate: 20, speed: 1 }, 'load.speed', /./],
    ['501/s', 'load', /0\.1\/s to 500\/s/],
    [0, 'load', /0\.1\/s to 500\/s/],
    [true, 'load', /must be a rate such as 20\/s/],
  ])('%j is rejected', async (wrong, field, rule) => {
    const { status, body } = await sandbox.control('POST', '/certify/receiver', {
      url: 'http://127.0.0.1:9/',
      load: wrong,
    })
    expect([status, body.error.details.field]).toEqual([422, field])
    expect(JSON.stringify(body.error)).toMatch(rule)
  })

  test('a load ends when its caller leaves, and a third one at a time is refused', async () => {
    const receiver = await startReceiver()
    const caller = new AbortController()
    const body = JSON.stringify({ url: receiver.url, load: { rate: 50, for: '60s' } })
    const start = () =>
      fetch(`${sandbox.url}/_sandbox/certify/receiver`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        signal: caller.signal,
      }).catch(() => undefined)
    const loads = [start(), start()]
    await eventually(
      async () => receiver.all.length,
      (count) => count > 20,
    )
    expect((await start())?.status).toBe(409)
    caller.abort()
    await Promise.all(loads)
    let [before, silences] = [-1, 0]
    const look = async () => {
      silences = receiver.all.length === before ? silences + 1 : 0
      before = receiver.all.length
      return silences
    }
    await eventually(look, (count) => count > 20)
  })

  test('the command prints figures and a plot, and writes them into the reports', async () => {
    const { url, stateUrl, close } = await openTried()
    const [junit, markdown] = [join(folder, 'load.xml'), join(folder, 'load.md')]
    const { code, stdout, stderr } = await run(
      [
        ...['certify', 'receiver', '--url', url, '--state-url', stateUrl, '--load', '60/s', '--for', '1s'],
        ...['--profile', 'burst', '--junit', junit, '--markdown', markdown],
      ],
      { cwd: folder },
    )
    await close()
    expect([code, withoutProgress(stderr)], stdout).toEqual([0, ''])
    expect(stdout).toContain('✓ The receiver answers every event with 2xx under load.')
    expect(stdout).toMatch(/ {2}acknowledgement {2}p50 \d+ ms, p95 \d+ ms, p99 \d+ ms, max \d+ ms\n/)
    expect(stdout).toMatch(/│[ ▁▂▃▄▅▆▇█]+\n/)
    expect(readFileSync(junit, 'utf8')).toMatch(/<system-out>events: \d+/)
    const page = readFileSync(markdown, 'utf8')
    expect(page).toContain('## Load: 60/s for 1s, burst')
    expect(page).toMatch(/```\nacknowledgement time \(p95\) and attempts over time\n[^`]*│[ ▁▂▃▄▅▆▇█]+\n[^`]*```\n/)
  })

  test('flags of the load without --load are wrong usage', async () => {
    const { code, stderr } = await run(['certify', 'receiver', '--url', 'http://127.0.0.1:9/', '--for', '5s'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--for belongs to a load test: add --load 20/s')])
  })

  test('the library has the same options, and rejects unknown ones', async () => {
    const { url, close } = await openTried()
    const report = await certifyReceiver({
      url,
      load: { rate: '40/s', for: '1s', profile: 'steady', findLimit: false },
    })
    expect(report.load).toMatchObject({ events: 40, rate: 40 })
    await expect(certifyReceiver({ url, load: { rate: 1, speed: 2 } as never })).rejects.toThrow(/speed/)
    await close()
  })
})
