/** The real program is killed at every kind of moment: it loses nothing that it acknowledged, and does nothing twice. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { built } from '../support/built.js'
import { chanceOf } from '../support/chance.js'
import { deliveriesOf, named } from '../support/deliveries.js'
import { eventually } from '../support/eventually.js'
import { figure, note, seedOf, spread, timeShare } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import type { Trial } from '../support/kills/moments.js'
import { playRound, type Round } from '../support/kills/round.js'
import { newWorld, settle } from '../support/kills/world.js'
import { startProgram } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'

/** `KILL_ROUNDS=300 KILL_SEED=1 npm test -- kill` sets the number of rounds and the seed. */
const rounds = Number(process.env.KILL_ROUNDS ?? figure(3, 5000))
const seed = seedOf('KILL_SEED')
/** Sandboxes that are killed side by side. A round waits longer than it computes, so there are more than cores. */
const lanes = Number(process.env.KILL_LANES ?? figure(1, 2 * availableParallelism()))
const settledEvery = 50

/** What all lanes have done so far. */
interface Kills {
  begun: number
  played: Round[]
  faults: string[]
  accepted: Set<string>
}

/** Plays rounds on one sandbox and its data until all lanes together have played enough, or one has a fault. */
async function playLane(lane: number, kills: Kills, hasTime: () => boolean): Promise<void> {
  const { played, faults, accepted } = kills
  const chance = chanceOf(seed + lane)
  const refused = new Map<string, number>()
  const posts = await openReceiver(({ headers }) => {
    const id = String(headers['x-webhook-id'])
    const times = refused.get(id) ?? 0
    if (chance() < 0.1 && times < 3) {
      refused.set(id, times + 1)
      return { status: 500 }
    }
    accepted.add(id)
    return { delayMs: Math.floor(chance() * 4) }
  })
  const file = join(temporaryFolder(), 'sandbox.db')
  const args = ['--db', file, '--no-rate-limits', '--webhook-url', posts.url]
  const worlds = new Map([['default', newWorld('default')]])
  const program = await startProgram(args)
  const trial: Trial = { chance, program, args, file, worlds, unsure: new Set(), startMs: 500 }
  const moments: string[] = []
  const found = (some: readonly string[]) =>
    faults.push(...some.map((fault) => `lane ${lane}, round ${moments.length}, ${moments.slice(-4)}: ${fault}`))
  const settleAll = async () => {
    for (const world of worlds.values()) found(await settle(world, trial.program.url, accepted))
  }
  try {
    while (kills.begun < rounds && faults.length === 0 && hasTime()) {
      kills.begun++
      const one = await playRound(trial, posts)
      moments.push(one.moment)
      played.push(one)
      found(one.faults)
      if (moments.length % settledEvery !== 0) continue
      await settleAll()
      note(`${played.length} kills of ${rounds}, ready after ${spread(played.map(({ readyMs }) => readyMs))} ms`)
    }
    await settleAll()
  } catch (error) {
    found([error instanceof Error ? (error.stack ?? error.message) : String(error)])
  } finally {
    await trial.program.stop()
  }
}

test(
  `a sandbox that is killed ${rounds} times at any moment loses nothing and repeats nothing`,
  async () => {
    await built()
    note(`KILL_SEED=${seed} KILL_ROUNDS=${rounds} KILL_LANES=${lanes}`)
    const kills: Kills = { begun: 0, played: [], faults: [], accepted: new Set() }
    const hasTime = timeShare(1)
    await Promise.all(Array.from({ length: lanes }, (_, lane) => playLane(lane, kills, hasTime)))
    const { played, faults, accepted } = kills
    const resumed = played.flatMap(({ resumedMs }) => resumedMs ?? [])
    const readyMs = played.map((one) => one.readyMs)
    note(
      `${played.length} kills, ${accepted.size} webhooks; ready after ${spread(readyMs)} ms, sends resumed after ${spread(resumed)} ms`,
    )
    for (const { moment, readyMs } of played)
      if (readyMs > 2000) note(`slow start after ${moment}: ${readyMs.toFixed()} ms`)
    expect(faults).toEqual([])
    // Requires it of nearly all rounds, because a busy machine may delay single ones. After a slow start, the first webhook may be slow too.
    const late = played.filter(({ readyMs, resumedMs }) => (resumedMs ?? 0) > Math.max(2000, 10 * readyMs))
    expect(late.length).toBeLessThanOrEqual(figure(rounds, Math.ceil(played.length / 100)))
  },
  120_000 + rounds * 10_000,
)

test('a sandbox that is stopped finishes running work, exits with 0, and continues with the rest at the next start', async () => {
  await built()
  const posts = await openReceiver(() => ({ delayMs: 300 }))
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
  // The webhooks in flight were recorded, so none was sent twice.
  expect(posts.externalIds().toSorted()).toEqual(names)
  expect(atEnd).toBeLessThanOrEqual(names.length)
  expect(await second.stop()).toBe(0)
})
