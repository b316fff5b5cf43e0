/** At most 100 sends in any 60 s per credential or per account, as configured (interface.md §6.3, assumptions.md decisions 30, 42). */

import { webhookWindow } from '../../protocol/platform/limits.js'
import { reader } from '../../store/db.js'
import { credentialOf } from '../auth/authenticate.js'
import type { DueDelivery } from '../jobs/jobs.js'
import type { SendProgress } from '../unit/ports.js'
import type { MemorySlot, Unit, Workspace } from '../unit/unit.js'

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

const usualWidths = { receiver: maxPerReceiver, silent: maxPerSilentReceiver, quick: maxQuickDeliveries }

export class DeliveryQueue {
  readonly #queues = new Map<string, ReceiverQueue>()
  /** Objects with a delivery in flight, and the deliveries that wait for it to end. */
  readonly #busy = new Map<string, Delivery[]>()
  /** Queues that only `maxQuickDeliveries` holds up, the longest waiting first. */
  readonly #waitingForQuick = new Set<ReceiverQueue>()
  readonly #silent = new Set<string>()
  #quick = 0

  constructor(private readonly widths: QueueWidths = usualWidths) {}

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
    const { receiver, silent, quick } = this.widths
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
      if (this.#quick >= this.widths.quick) return
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

/** Per credential, the business times of the sends of the last minute, oldest first. */
type SendWindows = Map<number, number[]>

/** The deliveries in memory: queue, rate windows, results to record, and callers who wait for them. */
export interface DeliveryState {
  queue: DeliveryQueue
  windows: SendWindows
  recordings: Recordings
  /** Deliveries that are queued, on the wire or being recorded, by the number of their job. */
  inFlight: Map<number, DueDelivery>
  waiters: Set<Waiter>
  /** Nothing more is sent; queued deliveries are sent after the next start. */
  isEnding: boolean
}

/** The result of a delivery, to be recorded. */
export interface Recording {
  /** The number of its job. */
  seq: number
  write: (unit: Unit) => void
  /** Called once it is committed, or can no longer be. */
  done: () => void
}

interface Recordings {
  waiting: Recording[]
  /** A flush of `waiting` is running or scheduled. */
  isFlushScheduled: boolean
}

interface Waiter {
  remaining: Set<number>
  resolve: () => void
  reject: (error: unknown) => void
}

export const deliveryState: MemorySlot<DeliveryState> = {
  begin: () => ({
    queue: new DeliveryQueue(),
    windows: new Map(),
    recordings: { waiting: [], isFlushScheduled: false },
    inFlight: new Map(),
    waiters: new Set(),
    isEnding: false,
  }),
}

/** Marks a delivery as in flight, until the returned function is called. */
export function markInFlight({ inFlight, waiters }: DeliveryState, job: DueDelivery): () => void {
  const { seq } = job
  inFlight.set(seq, job)
  return () => {
    inFlight.delete(seq)
    for (const waiter of waiters) {
      if (!waiter.remaining.delete(seq) || waiter.remaining.size > 0) continue
      waiters.delete(waiter)
      waiter.resolve()
    }
  }
}

/**
 * Resolves when none of the deliveries that are in flight now and match `isAwaited` (by job number) is in flight any
 * longer. Rejects with SERVICE_UNAVAILABLE if one could not be recorded.
 */
export async function whenDelivered(
  { inFlight, waiters }: DeliveryState,
  isAwaited: (seq: number) => boolean = () => true,
): Promise<void> {
  const remaining = new Set([...inFlight.keys()].filter(isAwaited))
  if (remaining.size === 0) return
  await new Promise<void>((resolve, reject) => waiters.add({ remaining, resolve, reject }))
}

export function rejectWaiters({ waiters }: DeliveryState, error: unknown): void {
  for (const { reject } of waiters) reject(error)
  waiters.clear()
}

/** Releases everyone who waits, after a reset or restore: deliveries in flight belong to the old state and are not recorded. */
export function releaseWaiters({ waiters }: DeliveryState): void {
  for (const { resolve } of waiters) resolve()
  waiters.clear()
}

/** Starts no new deliveries, and waits until the ones in flight are completed and recorded. */
export function endDeliveries(state: DeliveryState): Promise<void> {
  state.isEnding = true
  return whenDelivered(state).catch(() => undefined)
}

/**
 * The limit of 100 sends in any 60 s per integration (interface.md §6.3, assumptions.md decisions 30 and 42): a
 * credential or an account, as configured.
 */
const sendsOf = {
  credential: reader<{ atMs: number }>(
    'select at_ms as atMs from attempts where at_ms > ? and credential_seq = ? order by at_ms',
  ),
  account: reader<{ atMs: number }>(
    `select at_ms as atMs from attempts
      where at_ms > ? and credential_seq in (select seq from credentials where account_seq = ?) order by at_ms`,
  ),
}

/** Counts a send at this time, unless the window is full: then returns false. After a start the window is filled from recorded attempts. */
export function admitSend(ws: Workspace, credentialSeq: number, atMs: number): boolean {
  const { rateLimits, webhookRateKey } = ws.config
  if (!rateLimits) return true
  const key = webhookRateKey === 'account' ? (credentialOf(ws.db, credentialSeq)?.accountSeq ?? 0) : credentialSeq
  const sinceMs = atMs - webhookWindow.spanMs
  const { windows } = ws.memory.of(deliveryState)
  let sends = windows.get(key)
  if (sends === undefined) {
    sends = sendsOf[webhookRateKey](ws.db, sinceMs, key).map((row) => row.atMs)
    windows.set(key, sends)
  }
  while ((sends[0] ?? Number.POSITIVE_INFINITY) <= sinceMs) sends.shift()
  if (sends.length >= webhookWindow.sends) return false
  sends.push(atMs)
  return true
}
