/** The real program is killed again and again under load: nothing acknowledged is lost, nothing is doubled, everything arrives. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { built } from './support/built.js'
import { type Body, eventually, integrator, temporaryFolder } from './support/control.js'
import { type Deliveries, deliveriesOf, named } from './support/deliveries.js'
import { figure } from './support/figures.js'
import { type MixedLoad, mixedLoad } from './support/mixed-load.js'
import { openPosts, type Posts } from './support/posts.js'
import { launch, type Running, startProgram } from './support/program.js'

/** As many rounds as asked for: `KILL_ROUNDS=300 KILL_SEED=1 npm test -- kill`. */
const rounds = Number(process.env.KILL_ROUNDS ?? figure(8, 1000))
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 32))

function chanceOf(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function everything(sandbox: Deliveries, path: string): Promise<Body[]> {
  const rows: Body[] = []
  let after = ''
  do {
    const page = await sandbox.call('GET', `${path}?limit=100${after}`)
    rows.push(...page.data)
    after = page.next === null ? '' : `&after=${page.next}`
  } while (after !== '')
  return rows
}

/** What was acknowledged in the last round is there, once, and the books balance. */
async function checkRound(sandbox: Deliveries, base: string, load: MixedLoad, fresh: readonly string[]): Promise<void> {
  expect((await sandbox.call('GET', '/ledger')).balanced).toBe(true)
  for (const externalId of fresh) {
    const id = await load.replay(base, externalId)
    const known = load.acknowledged.get(externalId)
    if (known !== undefined) expect([externalId, id]).toEqual([externalId, known])
    load.acknowledged.set(externalId, id)
    if (load.paid.has(externalId)) expect((await sandbox.call('GET', `/transactions/${id}`)).status).toBe('confirmed')
  }
}

/** Milliseconds from ready until the first webhook arrives, where one is overdue. */
async function resumeMs(sandbox: Deliveries, posts: Posts, readyAtMs: number): Promise<number | null> {
  const before = posts.all.filter(({ atMs }) => atMs >= readyAtMs)
  const { data } = await sandbox.call('GET', '/webhooks?status=pending&limit=100')
  const now = await sandbox.now()
  const overdue = data.filter((event: Body) => Date.parse(event.next_attempt_at) <= now)
  if (before.length === 0 && overdue.length === 0) return null
  await eventually(
    async () => posts.all.some(({ atMs }) => atMs >= readyAtMs),
    (came) => came,
  )
  return (posts.all.find(({ atMs }) => atMs >= readyAtMs)?.atMs ?? 0) - readyAtMs
}

const cents = (amount: string) => Math.round(Number(amount) * 100)

/** Each event once (a transfer: two), each acknowledged by the receiver; the balance is what the transactions make it. */
async function checkEnd(sandbox: Deliveries, load: MixedLoad, accepted: Set<string>, startCents: number) {
  const transactions = await everything(sandbox, '/transactions')
  const own = transactions.filter(({ external_id }) => load.asked.has(external_id))
  expect(own.map(({ external_id }) => external_id).toSorted()).toEqual([...load.asked.keys()].toSorted())
  const events = await everything(sandbox, '/webhooks')
  expect(events.filter(({ status }) => status !== 'delivered')).toEqual([])
  for (const { id } of events) expect(accepted.has(id)).toBe(true)
  const keys = events.map(({ event, subject_id }) => `${event} ${subject_id}`)
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index)
  expect(twice.every((key) => key.startsWith('transfer.confirmed'))).toBe(true)
  const expected = own.flatMap(({ type, status }) =>
    status === 'pending'
      ? []
      : type === 'transfer'
        ? ['transfer.confirmed', 'transfer.confirmed']
        : [`${type}.${status}`],
  )
  expect(events.map(({ event }) => event).toSorted()).toEqual(expected.toSorted())
  let balanceCents = startCents
  for (const { type, status, amount, fee } of own) {
    if (type === 'cashin' && status === 'confirmed') balanceCents += cents(amount) - cents(fee)
    if (type === 'cashout') balanceCents -= cents(amount) + cents(fee)
    if (type === 'transfer') balanceCents -= cents(amount)
  }
  const account = await sandbox.call('GET', '/accounts/merchant')
  expect(cents(account.balances.BRL.available)).toBe(balanceCents)
}

test(
  `killed ${rounds} times at random moments it loses nothing and doubles nothing`,
  async () => {
    await built()
    console.log(`KILL_SEED=${seed} KILL_ROUNDS=${rounds}`)
    const chance = chanceOf(seed)
    const accepted = new Set<string>()
    const posts = await openPosts((post) => {
      if (chance() < 0.1) return { status: 500 }
      accepted.add(String(post.headers['x-webhook-id']))
      return { delayMs: Math.floor(chance() * 4) }
    })
    const args = ['--db', join(temporaryFolder(), 'sandbox.db'), '--no-rate-limits', '--webhook-url', posts.url]
    let program: Running = await startProgram(args)
    const { bearer } = await integrator(program.url)
    let sandbox = await deliveriesOf(program.url)
    await sandbox.call('PUT', '/accounts/merchant/balances', { BRL: '50000.00' })
    const load = mixedLoad(bearer, chance)
    const resumed: number[] = []
    for (let round = 0; round < rounds; round++) {
      const known = new Set(load.asked.keys())
      const running = load.run(program.url, 4)
      await pause(chance() * 300)
      await program.stop('SIGKILL')
      await running
      if (chance() < 0.2) await killWhileStarting(args, chance() * 300)
      program = await startProgram(args)
      const readyAtMs = performance.now()
      sandbox = await deliveriesOf(program.url)
      const tookMs = await resumeMs(sandbox, posts, readyAtMs)
      if (tookMs !== null) resumed.push(tookMs)
      await checkRound(
        sandbox,
        program.url,
        load,
        [...load.asked.keys()].filter((name) => !known.has(name)),
      )
    }
    await sandbox.advance({ by: '30m' })
    await checkEnd(sandbox, load, accepted, 5_000_000)
    resumed.sort((a, b) => a - b)
    const [middle, most] = [resumed[Math.floor(resumed.length / 2)] ?? 0, resumed.at(-1) ?? 0]
    console.log(
      `${load.asked.size} calls, ${posts.all.length} webhooks; resumed after ${middle.toFixed()} ms, at most ${most.toFixed()} ms`,
    )
    // The middle one, because a busy machine may hold up any single one.
    expect(middle).toBeLessThan(2000)
    await program.stop()
  },
  120_000 + rounds * 10_000,
)

async function killWhileStarting(args: string[], afterMs: number): Promise<void> {
  const child = launch(['start', '--port', '0', '--json', ...args])
  const closed = new Promise((resolve) => child.once('close', resolve))
  await pause(afterMs)
  child.kill('SIGKILL')
  await closed
}

test('told to end it finishes what runs, exits with 0, and goes on with the rest at the next start', async () => {
  await built()
  const posts = await openPosts(() => ({ delayMs: 300 }))
  const args = ['--db', join(temporaryFolder(), 'sandbox.db'), '--webhook-url', posts.url]
  const first = await startProgram(args)
  const names = named('order', 12)
  await (await deliveriesOf(first.url)).pay(names)
  await eventually(
    async () => posts.all.length,
    (count) => count > 0,
  )
  expect(await first.stop('SIGTERM')).toBe(0)
  expect(posts.open).toBe(0)
  const atEnd = posts.all.length
  const second = await startProgram(args)
  const sandbox = await deliveriesOf(second.url)
  for (const name of names) await sandbox.eventOnce(name, ({ status }) => status === 'delivered')
  // Those that were on the wire had been recorded, so nothing came twice.
  expect(posts.names().toSorted()).toEqual(names)
  expect(atEnd).toBeLessThanOrEqual(names.length)
  expect(await second.stop()).toBe(0)
})
