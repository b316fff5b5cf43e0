/**
 * Who is sent to when: deliveries about one object go strictly one after the other; those about different objects
 * start in order and go side by side, so many to one receiver at a time.
 */

import type { SendProgress } from '../unit/send-port.js'

/** `silent`: the receiver let the time for an answer pass. `unsent`: nothing went out, so nothing is known of the receiver. */
export type Ending = 'answered' | 'silent' | 'unsent'

export interface Delivery {
  receiver: string
  /** What it tells of. null: it waits for no other, and none waits for it. */
  object: string | null
  /** Settles when it has been answered, or is not to be sent now; must not reject. */
  run(progress: SendProgress): Promise<Ending>
}

interface Lane {
  receiver: string
  /** In order; those before `next` have left. */
  waiting: Delivery[]
  next: number
  /** Those that were kept back for their object, and are no longer: they are older than all that wait. */
  freed: Delivery[]
  running: number
  /** Started, but not on the wire yet, nor slow. */
  starting: number
}

/** How many deliveries may be on the wire to one receiver. */
export const laneWidth = 16
/**
 * How many to one that lets them time out: they wait for nothing but the time, and side by side they do so once. The first
 * answer makes it `laneWidth` again.
 */
export const silentWidth = 256
/** Beyond so many silent receivers the oldest is forgotten. */
const mostSilent = 1000
/** How many to all receivers together, the slow ones not counted: so many at a time, and slow ones still hold up nobody. */
export const quickWidth = 256

export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  /** Objects with a delivery under way, and the deliveries that wait for it to end. */
  readonly #busy = new Map<string, Delivery[]>()
  /** Lanes that could go on but for `quickWidth`, the longest waiting first. */
  readonly #held = new Set<Lane>()
  readonly #silent = new Set<string>()
  #quick = 0

  add(delivery: Delivery): void {
    const lane = this.#laneOf(delivery.receiver)
    lane.waiting.push(delivery)
    this.#pump(lane)
  }

  #laneOf(receiver: string): Lane {
    const lane = this.#lanes.get(receiver) ?? newLane(receiver)
    this.#lanes.set(receiver, lane)
    return lane
  }

  #pump(lane: Lane): void {
    const width = this.#silent.has(lane.receiver) ? silentWidth : laneWidth
    while (lane.running < width && lane.starting === 0 && this.#quick < quickWidth) {
      const delivery = lane.freed.shift() ?? this.#takeFree(lane)
      if (delivery === undefined) break
      this.#start(lane, delivery)
    }
    const isEmpty = lane.freed.length === 0 && lane.waiting.length === 0
    if (this.#quick >= quickWidth && !isEmpty) this.#held.add(lane)
    else if (lane.running === 0 && isEmpty) this.#lanes.delete(lane.receiver)
  }

  #pumpHeld(): void {
    for (const lane of this.#held) {
      if (this.#quick >= quickWidth) return
      this.#held.delete(lane)
      this.#pump(lane)
    }
  }

  /** The first whose object is not busy; those before it stay with their objects. */
  #takeFree(lane: Lane): Delivery | undefined {
    for (;;) {
      const delivery = take(lane)
      if (delivery === undefined || delivery.object === null) return delivery
      const behind = this.#busy.get(delivery.object)
      if (behind === undefined) {
        this.#busy.set(delivery.object, [])
        return delivery
      }
      behind.push(delivery)
    }
  }

  #start(lane: Lane, delivery: Delivery): void {
    let [isStarting, isQuick] = [true, true]
    lane.running++
    lane.starting++
    this.#quick++
    const sent = () => {
      if (!isStarting) return
      isStarting = false
      lane.starting--
      // Never from within the sending of this one.
      void Promise.resolve().then(() => this.#pump(lane))
    }
    const slow = () => {
      sent()
      if (!isQuick) return
      isQuick = false
      this.#quick--
      this.#pumpHeld()
    }
    void delivery.run({ sent, slow }).then((ending) => {
      lane.running--
      this.#learn(lane.receiver, ending)
      this.#release(delivery)
      slow()
      this.#pump(lane)
    })
  }

  #learn(receiver: string, ending: Ending): void {
    if (ending === 'answered') this.#silent.delete(receiver)
    if (ending !== 'silent') return
    this.#silent.add(receiver)
    const [oldest] = this.#silent
    if (this.#silent.size > mostSilent && oldest !== undefined) this.#silent.delete(oldest)
  }

  /** The next one about the same object may go. */
  #release({ object }: Delivery): void {
    if (object === null) return
    const next = this.#busy.get(object)?.shift()
    if (next === undefined) {
      this.#busy.delete(object)
      return
    }
    const lane = this.#laneOf(next.receiver)
    lane.freed.push(next)
    this.#pump(lane)
  }
}

const newLane = (receiver: string): Lane => ({
  receiver,
  waiting: [],
  next: 0,
  freed: [],
  running: 0,
  starting: 0,
})

/** Moving up a whole queue for each one that leaves it would make long queues slow. */
function take(lane: Lane): Delivery | undefined {
  const delivery = lane.waiting[lane.next++]
  if (lane.next >= 1000 || lane.next >= lane.waiting.length) {
    lane.waiting.splice(0, lane.next)
    lane.next = 0
  }
  return delivery
}
