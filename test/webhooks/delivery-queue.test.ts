/** The delivery queue with many deliveries and random receivers: checks every rule at each start and after each turn. */
import { expect, test } from 'vitest'
import {
  type DeliveryEnding,
  DeliveryQueue,
  maxPerReceiver,
  maxPerSilentReceiver,
  maxQuickDeliveries,
} from '../../src/core/delivery/queue.js'
import type { SendProgress } from '../../src/core/unit/ports.js'
import { chanceOf } from '../support/chance.js'
import { seedOf } from '../support/figures.js'

interface One {
  nth: number
  receiver: string
  object: string | null
  state: 'waiting' | 'running' | 'over'
  isOnItsWay: boolean
  isSlow: boolean
  /** The turn since which no earlier event of the same object waits. */
  freeSince: number
  progress: SendProgress
  end: (ending: DeliveryEnding) => void
}

/** Deliveries to forty busy receivers, one of them very busy, and to many with few deliveries. Some have no object, and some objects have several receivers. */
function crowd(chance: () => number) {
  const lanes = new DeliveryQueue()
  const all: One[] = []
  const broken: string[] = []
  const silent = new Set<string>()
  let turn = 0

  const those = (state: One['state']) => all.filter((one) => one.state === state)
  const quick = () => those('running').filter(({ isSlow }) => !isSlow).length
  const sameObject = (one: One) => (one.object === null ? [] : all.filter(({ object }) => object === one.object))

  /** No event of its object is in flight or must be sent before it. */
  const isFree = (one: One) =>
    !sameObject(one).some(
      ({ nth, receiver, state }) =>
        state === 'running' || (state === 'waiting' && receiver === one.receiver && nth < one.nth),
    )
  /** Any receiver of an object with several receivers may be next. */
  const isNext = (one: One) =>
    isFree(one) && !sameObject(one).some(({ receiver, state }) => state === 'waiting' && receiver !== one.receiver)

  function hasRoom({ receiver }: One): boolean {
    const there = those('running').filter((other) => other.receiver === receiver)
    return (
      there.length < (silent.has(receiver) ? maxPerSilentReceiver : maxPerReceiver) &&
      quick() < maxQuickDeliveries &&
      there.every(({ isOnItsWay, isSlow }) => isOnItsWay || isSlow)
    )
  }

  function start(one: One): void {
    const rules = {
      'started twice': one.state === 'waiting',
      'went beside another about the same object, or before an earlier one': isFree(one),
      'had no room': hasRoom(one),
      'overtook one that had been free for longer': !those('waiting').some(
        (other) =>
          other.receiver === one.receiver && other.nth < one.nth && other.freeSince < one.freeSince && isNext(other),
      ),
    }
    for (const [rule, holds] of Object.entries(rules)) if (!holds) broken.push(`${one.nth} ${rule}`)
    one.state = 'running'
  }

  /** The busiest receiver always answers. */
  function endingOf({ receiver }: One): DeliveryEnding {
    const part = chance()
    return part < 0.1 ? 'unsent' : part < 0.5 && receiver !== 'receiver 0' ? 'silent' : 'answered'
  }

  const does = {
    sent(one: One) {
      one.isOnItsWay = true
      one.progress.sent()
    },
    slow(one: One) {
      one.isSlow = true
      one.progress.slow()
    },
    over(one: One) {
      one.state = 'over'
      const ending = endingOf(one)
      if (ending === 'silent') silent.add(one.receiver)
      if (ending === 'answered') silent.delete(one.receiver)
      one.end(ending)
      for (const next of sameObject(one)) if (next.state === 'waiting' && isFree(next)) next.freeSince = turn
    },
  }

  return {
    those,
    quick,
    atOne: () => those('running').filter(({ receiver }) => receiver === 'receiver 0').length,
    add() {
      const object = Math.floor(chance() * 800)
      const one: One = {
        nth: all.length,
        receiver: `receiver ${object % 3 === 0 ? Math.floor(chance() * 300) : object % 2 === 0 ? 0 : object % 40}`,
        object: chance() < 0.1 ? null : `object ${object}`,
        state: 'waiting',
        isOnItsWay: false,
        isSlow: false,
        freeSince: turn,
        progress: { sent() {}, slow() {} },
        end() {},
      }
      if (!isFree(one)) one.freeSince = Number.POSITIVE_INFINITY
      all.push(one)
      lanes.add({
        ...one,
        run: (progress) =>
          new Promise((resolve) => {
            start(one)
            Object.assign(one, { progress, end: resolve })
            if (chance() < 0.7) does.sent(one)
          }),
      })
    },
    /** Finishes one of the deliveries in flight. */
    happens(what: keyof typeof does) {
      const fit = those('running').filter(({ isOnItsWay }) => what !== 'sent' || !isOnItsWay)
      const one = fit[Math.floor(chance() * fit.length)]
      if (one !== undefined) does[what](one)
    },
    /** Returns the broken rules after all pending work has run: every delivery that may start must have started. */
    async settled(): Promise<string[]> {
      await new Promise(setImmediate)
      turn++
      for (const one of those('waiting'))
        if (isNext(one) && hasRoom(one)) broken.push(`${one.nth} could have gone by now`)
      return broken
    },
  }
}

const phases = [
  { turns: 25, adds: 40, events: ['sent', 'sent'] },
  { turns: 60, adds: 4, events: ['sent', 'slow', 'over', 'over'] },
  { turns: 60, adds: 1, events: ['sent', 'slow', 'over', 'over', 'over'] },
] as const

test('each webhook is sent as soon as every limit allows, and not earlier', async () => {
  const seed = seedOf('QUEUE_SEED')
  const { add, happens, settled, those, quick, atOne } = crowd(chanceOf(seed))
  let [mostQuick, mostAtOne] = [0, 0]
  for (const { turns, adds, events } of phases)
    for (let turn = 0; turn < turns; turn++) {
      for (let left = adds; left > 0; left--) add()
      for (let round = 0; round < 8; round++) for (const event of events) happens(event)
      expect({ seed, broken: await settled() }).toEqual({ seed, broken: [] })
      mostQuick = Math.max(mostQuick, quick())
      mostAtOne = Math.max(mostAtOne, atOne())
    }
  // The deliveries have reached the limits.
  expect({ seed, mostQuick, mostAtOne }).toEqual({ seed, mostQuick: maxQuickDeliveries, mostAtOne: maxPerReceiver })
  while (those('running').length > 0) {
    for (let round = 0; round < 20; round++) happens('over')
    expect({ seed, broken: await settled() }).toEqual({ seed, broken: [] })
  }
  expect({ seed, waiting: those('waiting') }).toEqual({ seed, waiting: [] })
})

/** Returns how many webhooks one receiver gets at once, after earlier ones have ended like this. */
async function mostAfter(endings: readonly DeliveryEnding[]): Promise<number> {
  const lanes = new DeliveryQueue({ receiver: 2, silent: 4, quick: 100 })
  let running = 0
  const add = (ending?: DeliveryEnding) =>
    lanes.add({
      receiver: 'receiver',
      object: null,
      run({ sent }) {
        sent()
        if (ending !== undefined) return Promise.resolve(ending)
        running++
        return new Promise(() => {})
      },
    })
  for (const ending of endings) {
    add(ending)
    await new Promise(setImmediate)
  }
  for (let count = 0; count < 8; count++) add()
  await new Promise(setImmediate)
  return running
}

test.each<[DeliveryEnding[], number]>([
  [[], 2],
  [['answered'], 2],
  [['unsent'], 2],
  [['silent'], 4],
  [['answered', 'silent'], 4],
  [['silent', 'unsent'], 4],
  [['silent', 'answered'], 2],
])('after webhooks that ended %j, a receiver gets at most %i at once', async (endings, most) => {
  expect(await mostAfter(endings)).toBe(most)
})
