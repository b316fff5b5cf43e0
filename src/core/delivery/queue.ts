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

interface ReceiverQueue {
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
export const queueWidth = 16
/**
 * How many to one that lets them time out: they wait for nothing but the time, and side by side they do so once. The first
 * answer makes it `queueWidth` again.
 */
export const silentWidth = 256
/** Beyond so many silent receivers the oldest is forgotten. */
const mostSilent = 1000
/** How many to all receivers together, the slow ones not counted: so many at a time, and slow ones still hold up nobody. */
export const quickWidth = 256

export class DeliveryQueue {
  readonly #queues = new Map<string, ReceiverQueue>()
  /** Objects with a delivery under way, and the deliveries that wait for it to end. */
  readonly #busy = new Map<string, Delivery[]>()
  /** DeliveryQueue that could go on but for `quickWidth`, the longest waiting first. */
  readonly #held = new Set<ReceiverQueue>()
  readonly #silent = new Set<string>()
  #quick = 0

  add(delivery: Delivery): void {
    const queue = this.#queueOf(delivery.receiver)
    queue.waiting.push(delivery)
    this.#pump(queue)
  }

  #queueOf(receiver: string): ReceiverQueue {
    const queue = this.#queues.get(receiver) ?? newQueue(receiver)
    this.#queues.set(receiver, queue)
    return queue
  }

  #pump(queue: ReceiverQueue): void {
    const width = this.#silent.has(queue.receiver) ? silentWidth : queueWidth
    while (queue.running < width && queue.starting === 0 && this.#quick < quickWidth) {
      const delivery = queue.freed.shift() ?? this.#takeFree(queue)
      if (delivery === undefined) break
      this.#start(queue, delivery)
    }
    const isEmpty = queue.freed.length === 0 && queue.waiting.length === 0
    if (this.#quick >= quickWidth && !isEmpty) this.#held.add(queue)
    else if (queue.running === 0 && isEmpty) this.#queues.delete(queue.receiver)
  }

  #pumpHeld(): void {
    for (const queue of this.#held) {
      if (this.#quick >= quickWidth) return
      this.#held.delete(queue)
      this.#pump(queue)
    }
  }

  /** The first whose object is not busy; those before it stay with their objects. */
  #takeFree(queue: ReceiverQueue): Delivery | undefined {
    for (;;) {
      const delivery = take(queue)
      if (delivery === undefined || delivery.object === null) return delivery
      const behind = this.#busy.get(delivery.object)
      if (behind === undefined) {
        this.#busy.set(delivery.object, [])
        return delivery
      }
      behind.push(delivery)
    }
  }

  #start(queue: ReceiverQueue, delivery: Delivery): void {
    let [isStarting, isQuick] = [true, true]
    queue.running++
    queue.starting++
    this.#quick++
    const sent = () => {
      if (!isStarting) return
      isStarting = false
      queue.starting--
      // Never from within the sending of this one.
      void Promise.resolve().then(() => this.#pump(queue))
    }
    const slow = () => {
      sent()
      if (!isQuick) return
      isQuick = false
      this.#quick--
      this.#pumpHeld()
    }
    void delivery.run({ sent, slow }).then((ending) => {
      queue.running--
      this.#learn(queue.receiver, ending)
      this.#release(delivery)
      slow()
      this.#pump(queue)
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
    const queue = this.#queueOf(next.receiver)
    queue.freed.push(next)
    this.#pump(queue)
  }
}

const newQueue = (receiver: string): ReceiverQueue => ({
  receiver,
  waiting: [],
  next: 0,
  freed: [],
  running: 0,
  starting: 0,
})

/** Moving up a whole queue for each one that leaves it would make long queues slow. */
function take(queue: ReceiverQueue): Delivery | undefined {
  const delivery = queue.waiting[queue.next++]
  if (queue.next >= 1000 || queue.next >= queue.waiting.length) {
    queue.waiting.splice(0, queue.next)
    queue.next = 0
  }
  return delivery
}
