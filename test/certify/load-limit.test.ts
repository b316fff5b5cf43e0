/** The search for the limit of a receiver, with receivers of known capacity in simulated time. */
import { createServer } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { certifyLoadTimeless } from '../support/certify.js'
import { OwnTime } from '../support/own-time.js'

/** Answers the event that arrives at this time: with this status, at this later time. */
type Capacity = (nowMs: number) => { status: number; atMs: number }

const workers = (count: number, workMs: number): Capacity => {
  const freeAtMs = Array<number>(count).fill(0)
  return (nowMs) => {
    const next = freeAtMs.indexOf(Math.min(...freeAtMs))
    const atMs = Math.max(nowMs, freeAtMs[next] ?? 0) + workMs
    freeAtMs[next] = atMs
    return { status: 200, atMs }
  }
}

const tokenBucket = (rate: number, size: number): Capacity => {
  let [tokens, lastMs] = [size, 0]
  return (nowMs) => {
    tokens = Math.min(size, tokens + ((nowMs - lastMs) * rate) / 1000)
    lastMs = nowMs
    const status = tokens >= 1 ? 200 : 429
    if (status === 200) tokens--
    return { status, atMs: nowMs + 1 }
  }
}

/** Does one event after the other, and nothing for 1.5 s of every 5 s. */
const pausing = (workMs: number): Capacity => {
  let freeAtMs = 0
  return (nowMs) => {
    freeAtMs = Math.max(nowMs, freeAtMs) + workMs
    if (freeAtMs % 5000 < 1500) freeAtMs += 1500 - (freeAtMs % 5000)
    return { status: 200, atMs: freeAtMs }
  }
}

/** Hangs once for 4 seconds. */
const hangingOnce = (fromMs: number): Capacity => {
  const quick = workers(1, 20)
  let startMs = 0
  return (nowMs) => {
    startMs ||= nowMs
    const answer = quick(nowMs)
    const isHanging = nowMs - startMs >= fromMs && nowMs - startMs < fromMs + 4000
    return isHanging ? { ...answer, atMs: Math.max(answer.atMs, startMs + fromMs + 4000) } : answer
  }
}

async function limitOf(capacity: Capacity, wanted: object) {
  const time = new OwnTime()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, atMs } = capacity(time.now())
      time.alarm(atMs - time.now(), () => (status === 0 ? request.socket.destroy() : response.writeHead(status).end()))
    })
  })
  const report = await certifyLoadTimeless(time, server, { load: { ...wanted, find_limit: true } })
  const { limit } = report.load ?? {}
  if (limit === undefined || limit === null) throw new Error('the report has no limit')
  return { report, ...limit, recovers: report.rules.find(({ id }) => id === 'load.recovers') }
}

// The modules are loaded in real time, which would look like the end of all work.
beforeAll(() => import('../../src/features/certify/receiver/certify-receiver.js'), 60_000)

test.each([
  { of: '50/s in sequence', capacity: () => workers(1, 20), known: 50 },
  { of: '20/s with four workers', capacity: () => workers(4, 200), known: 20 },
  { of: '50/s from a token bucket', capacity: () => tokenBucket(50, 50), known: 50 },
  { of: '50/s from a token bucket that holds 100', capacity: () => tokenBucket(50, 100), known: 50, seconds: 60 },
  { of: '50/s less a pause of 1.5 s every 5 s', capacity: () => pausing(20), known: 35 },
  { of: '20/s after a load that left a queue', capacity: () => workers(1, 50), known: 20, rate: 25 },
])('a capacity of $of is found within 15 %', async ({ capacity, known, rate: from = 20, seconds = 30 }) => {
  const { rate, steps, bounded_by: by, recovers } = await limitOf(capacity(), { rate: from, for: seconds })
  expect([by, recovers?.result]).toEqual(['receiver', 'passed'])
  expect(rate, JSON.stringify(steps)).toBeGreaterThanOrEqual(0.85 * known)
  expect(rate, JSON.stringify(steps)).toBeLessThanOrEqual(1.15 * known)
})

test('a rate that failed for one bad moment is tried again, and the majority decides', async () => {
  const { rate, steps } = await limitOf(hangingOnce(34_000), { rate: 10, for: '30s' })
  const ofTen = steps.filter((step) => step.rate === 10)
  expect(ofTen.map(({ sustained }) => sustained)).toEqual([false, true, true])
  expect(rate).toBeGreaterThan(40)
})

test('a receiver that dies during the search has failed, and the limit is what it sustained before', async () => {
  let count = 0
  const quick = workers(1, 5)
  const { report, rate, steps, recovers } = await limitOf(
    (nowMs) => (++count > 400 ? { status: 0, atMs: nowMs } : quick(nowMs)),
    { rate: 20, for: '6s' },
  )
  expect(report.verdict).toBe('failed')
  expect(steps.filter(({ sustained }) => sustained).map((step) => step.rate)).toEqual([20, 40, 80])
  expect(rate).toBe(80)
  expect(recovers).toMatchObject({
    result: 'failed',
    observed: 'the receiver accepted no event any more after about 400 events at 160/s',
  })
})
