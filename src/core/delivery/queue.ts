/**
 * Decides when each delivery is sent. Deliveries about one object run strictly one after the other. Deliveries about
 * different objects start in order and run in parallel, up to a limit for each receiver.
 */

import type { SendProgress } from '../unit/send-port.js'

/** `silent`: the receiver did not answer in time. `unsent`: nothing was sent, so nothing is known about the receiver. */
export type DeliveryEnding = 'answered' | 'silent' | 'unsent'

export interface Delivery {
  receiver: string
  /** The object of the event. With null, the delivery waits for no other delivery, and none waits for it. */
  object: string | null
  /** Sends the webhook. Settles after the response, or when it cannot be sent now; must not reject. */
  run(progress: SendProgress): Promise<DeliveryEnding>
}

interface ReceiverQueue {
  receiver: string
  /** Deliveries in order. The ones before index `next` have already been started. */
  waiting: Delivery[]
  next: number
  /** Deliveries that no longer wait for another one about their object. They are older than all in `waiting`. */
  released: Delivery[]
  running: number
  /** Number of deliveries that have started, but are neither sent nor reported as slow yet. */
  starting: number
}

/** Upper bound on deliveries in flight to one receiver. */
export const maxPerReceiver = 16
/**
 * Upper bound on deliveries in flight to a receiver that does not respond. Its deliveries only wait for the timeout, and
 * in parallel they wait at the same time. The first response restores the usual limit.
 */
export const maxPerSilentReceiver = 256
/** Upper bound on remembered silent receivers; beyond it the oldest is removed. */
const maxSilentReceivers = 1000
/** Upper bound on deliveries to all receivers together. Slow ones are not counted, so that they do not block others. */
export const maxQuickDeliveries = 256

export interface QueueWidths {
  receiver: number
  silent: number
  quick: number
}

export class DeliveryQueue {
  readonly #widths: QueueWidths
  readonly #queues = new Map<string, ReceiverQueue>()
  /** Objects with a delivery in flight, and the deliveries that wait for it to end. */
  readonly #busy = new Map<string, Delivery[]>()
  /** Queues that only `maxQuickDeliveries` holds up, the longest waiting first. */
  readonly #waitingForQuick = new Set<ReceiverQueue>()
  readonly #silent = new Set<string>()
  #quick = 0

  constructor(
    widths: QueueWidths = { receiver: maxPerReceiver, silent: maxPerSilentReceiver, quick: maxQuickDeliveries },
  ) {
    this.#widths = widths
  }

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
    const { receiver, silent, quick } = this.#widths
    const width = this.#silent.has(queue.receiver) ? silent : receiver
    while (queue.running < width && queue.starting === 0 && this.#quick < quick) {
      const delivery = queue.released.shift() ?? this.#takeFree(queue)
      if (delivery === undefined) break
      this.#start(queue, delivery)
    }
    const isEmpty = queue.released.length === 0 && queue.waiting.length === 0
    if (this.#quick >= quick && !isEmpty) this.#waitingForQuick.add(queue)
    else if (queue.running === 0 && isEmpty) this.#queues.delete(queue.receiver)
  }

  #pumpHeld(): void {
    for (const queue of this.#waitingForQuick) {
      if (this.#quick >= this.#widths.quick) return
      this.#waitingForQuick.delete(queue)
      this.#pump(queue)
    }
  }

  /** Takes the first delivery whose object is not busy. Deliveries before it wait until their object is free. */
  #takeFree(queue: ReceiverQueue): Delivery | undefined {
    for (;;) {
      const delivery = dequeue(queue)
      if (delivery === undefined || delivery.object === null) return delivery
      const queuedBehind = this.#busy.get(delivery.object)
      if (queuedBehind === undefined) {
        this.#busy.set(delivery.object, [])
        return delivery
      }
      queuedBehind.push(delivery)
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
      // Deferred, so that the next send does not start inside this one.
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
      this.#updateSilent(queue.receiver, ending)
      this.#release(delivery)
      slow()
      this.#pump(queue)
    })
  }

  #updateSilent(receiver: string, ending: DeliveryEnding): void {
    if (ending === 'answered') this.#silent.delete(receiver)
    if (ending !== 'silent') return
    this.#silent.add(receiver)
    const [oldest] = this.#silent
    if (this.#silent.size > maxSilentReceivers && oldest !== undefined) this.#silent.delete(oldest)
  }

  /** Lets the next delivery about the same object start. */
  #release({ object }: Delivery): void {
    if (object === null) return
    const next = this.#busy.get(object)?.shift()
    if (next === undefined) {
      this.#busy.delete(object)
      return
    }
    const queue = this.#queueOf(next.receiver)
    queue.released.push(next)
    this.#pump(queue)
  }
}

const newQueue = (receiver: string): ReceiverQueue => ({
  receiver,
  waiting: [],
  next: 0,
  released: [],
  running: 0,
  starting: 0,
})

/** Takes the next delivery. Shifting the whole array each time would make long queues slow. */
function dequeue(queue: ReceiverQueue): Delivery | undefined {
  const delivery = queue.waiting[queue.next++]
  if (queue.next >= 1000 || queue.next >= queue.waiting.length) {
    queue.waiting.splice(0, queue.next)
    queue.next = 0
  }
  return delivery
}
