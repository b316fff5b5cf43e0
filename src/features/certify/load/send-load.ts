/** Sends a load: each event at its due time, events of one object in order, and failed attempts again, as the platform does. */
import { webhookRetryDelaysMs, webhookTimeouts } from '../../../inside/platform.js'
import { secondMs } from '../../../inside/values.js'
import { type Delivery, DeliveryQueue } from '../../../inside/workspace.js'
import type { CheckContext } from '../receiver/check-context.js'
import { type Attempt, isOk } from '../receiver/event-sender.js'
import type { EventSource, LoadEvent } from './event-source.js'
import { LoadLog } from './load-log.js'
import { type LoadProfile, profileOf, type StopReason } from './profiles.js'
import type { LoadOptions, LoadSpan } from './report.js'

interface Options {
  /** Whether failed attempts are sent again, and one of 50 acknowledged events too. */
  resends: boolean
  isCanceled(): boolean
  /** Events whose attempts are not recorded. */
  ignored?: readonly string[]
  /** Runs at the end of each span of the timeline. */
  onSpan?(span: LoadSpan): void
  /** Runs when an event is acknowledged for the first time. */
  onAcknowledged?(sent: LoadEvent, attempts: number): void
}

/** Limit of attempts in flight, because each needs a connection. A receiver that reaches the limit cannot keep up. */
const maxInFlight = 1000
/** Number of unacknowledged events at which the load ends: they take memory, and the result is clear. */
const maxUnacknowledged = 10_000
const duplicateEvery = 50
/** Most spans in the timeline, while the load runs. */
const spans = 60
/** Lengths of a span: whole seconds begin with one. */
const spanLengthsMs = [250, 500, secondMs, 2 * secondMs, 5 * secondMs]
const longestSpanMs = 10 * secondMs
/** An event may be sent this much earlier, so that timers do not limit the rate. */
const earlyMs = 4
/** Later events make up for a delay of the sandbox up to this. The rest postpones all of them. */
const recoverableDelayMs = 50
/** A load may take this much longer than requested, not counting the moments in which the sandbox stood still. */
const lateGraceMs = 2 * secondMs
/** A single event that is late by `leastMs` shows that the sandbox stood still: one that cannot keep up is late by a little each time. */
const standstill = { leastMs: secondMs / 2, mostMs: 30 * secondMs } as const
/** After this many events without a pause there is one, so that a late sandbox still reads responses. */
const maxWithoutPause = 16
/** Longest wait for the attempts in flight and for the first two retries. */
const drainMs = webhookTimeouts.totalMs + webhookRetryDelaysMs.slice(0, 2).reduce((sum, delayMs) => sum + delayMs, 0)
const drainPauseMs = 50

interface Unacknowledged extends LoadEvent {
  dueMs: number
  attempts: number
  cancelRetry: () => void
}

export async function sendLoad(context: CheckContext, source: EventSource, plan: LoadPlan, options: Options) {
  await source.prepare(plan.rate)
  return new Load(context, source, plan, options).run()
}

class Load {
  readonly #queue = new DeliveryQueue({ receiver: maxInFlight, silent: maxInFlight, quick: maxInFlight })
  /** By id, oldest first. */
  readonly #unacknowledged = new Map<string, Unacknowledged>()
  readonly #log: LoadLog
  #inFlight = 0
  /** The part of the lateness in which the sandbox stood still. */
  #stoodMs = 0
  #unpaused = 0
  /** True when no more events are sent. */
  #isEnding = false
  /** True when the report is complete; later responses do not count. */
  #isOver = false

  constructor(
    readonly context: CheckContext,
    readonly source: EventSource,
    readonly plan: LoadPlan,
    readonly options: Options,
  ) {
    const spanMs = spanLengthsMs.find((lengthMs) => plan.durationMs <= spans * lengthMs) ?? longestSpanMs
    this.#log = new LoadLog(this.#now(), spanMs)
  }

  async run(): Promise<LoadLog> {
    const log = this.#log
    const stopTicking = this.#tick()
    try {
      for (const atMs of dueTimes(this.plan)) {
        log.stopped = this.#reasonToStop(atMs)
        if (log.stopped !== null) break
        const dueMs = log.startMs + atMs + log.lateMs
        await this.#waitUntil(dueMs)
        this.#sendFirst(await this.source.next(), dueMs)
        // The rate must not rise above the given one to make up for lost time.
        const delayMs = Math.max(0, this.#now() - dueMs - recoverableDelayMs)
        log.lateMs += delayMs
        if (delayMs >= standstill.leastMs) this.#stoodMs = Math.min(this.#stoodMs + delayMs, standstill.mostMs)
      }
      await this.#drain()
    } finally {
      this.#isEnding = true
      this.#isOver = true
      stopTicking()
      for (const sent of this.#unacknowledged.values()) sent.cancelRetry()
    }
    return log
  }

  #now = () => this.context.workspace.clock.wall()

  /** Returns why no more events are sent; null to continue. */
  #reasonToStop(atMs: number): StopReason | null {
    if (this.options.isCanceled()) return 'caller'
    if (this.#unacknowledged.size >= maxUnacknowledged) return 'receiver'
    const lateMs = this.#log.lateMs - this.#stoodMs
    return atMs + lateMs > this.plan.durationMs + lateGraceMs ? 'sandbox' : null
  }

  async #waitUntil(atMs: number): Promise<void> {
    const leftMs = atMs - this.#now()
    if (leftMs <= earlyMs && ++this.#unpaused < maxWithoutPause) return
    this.#unpaused = 0
    await this.context.pause(Math.max(0, leftMs))
  }

  #sendFirst(next: LoadEvent, dueMs: number): void {
    const sent: Unacknowledged = { ...next, dueMs, attempts: 0, cancelRetry() {} }
    this.#log.events++
    this.#unacknowledged.set(next.event.id, sent)
    this.#enqueue(sent, (attempt) => this.#onAnswer(sent, attempt))
  }

  #enqueue(sent: Unacknowledged, onAnswer: (attempt: Attempt) => void): void {
    const run: Delivery['run'] = async (progress) => {
      // Lets the next event of this receiver go: an event waits only for earlier ones about its own object.
      progress.sent()
      if (this.#isEnding) return 'unsent'
      this.#inFlight++
      const startedMs = this.#now()
      const attempt = await this.context.sender.sendNow(sent.event)
      this.#inFlight--
      if (this.#isOver) return 'answered'
      if (!this.options.ignored?.includes(attempt.event.event)) this.#log.addAttempt(attempt, startedMs)
      onAnswer(attempt)
      return 'answered'
    }
    this.#queue.add({ receiver: this.context.options.url, object: sent.object, run })
  }

  #onAnswer(sent: Unacknowledged, attempt: Attempt): void {
    sent.attempts++
    if (isOk(attempt)) this.#acknowledge(sent)
    else this.#retry(sent)
  }

  #acknowledge(sent: Unacknowledged): void {
    const log = this.#log
    this.#unacknowledged.delete(sent.event.id)
    log.addAge(this.#now() - sent.dueMs, this.#now())
    // The first is due at once, so that a short load has a duplicate too.
    const isDue = log.acknowledged++ >= duplicateEvery * log.duplicates
    // The state URL shows a second effect only for these.
    const isDuplicated = isDue && sent.isPlainCharge && this.options.resends
    this.options.onAcknowledged?.(sent, sent.attempts + (isDuplicated ? 1 : 0))
    if (!isDuplicated) return
    log.duplicates++
    this.#enqueue(sent, () => {})
  }

  #retry(sent: Unacknowledged): void {
    const delayMs = webhookRetryDelaysMs[sent.attempts - 1]
    if (!this.options.resends) this.#unacknowledged.delete(sent.event.id)
    else if (delayMs !== undefined)
      sent.cancelRetry = this.context.workspace.callAfter(delayMs, () => {
        this.#log.retries++
        this.#enqueue(sent, (attempt) => this.#onAnswer(sent, attempt))
      })
  }

  /** Waits until no event is in flight. Without retries, unsent events are dropped, so that they do not overlap the next load. */
  async #drain(): Promise<void> {
    this.#isEnding = !this.options.resends
    const untilMs = this.#now() + drainMs
    const isBusy = () => this.#inFlight > 0 || (this.options.resends && this.#unacknowledged.size > 0)
    while (isBusy() && this.#now() < untilMs && !this.options.isCanceled()) await this.context.pause(drainPauseMs)
  }

  /** Reports each span; returns a function that stops the reports. */
  #tick(): () => void {
    let cancel = () => {}
    const next = () => {
      cancel = this.context.workspace.callAfter(this.#log.spanMs, () => {
        const nowMs = this.#now()
        const [oldest] = this.#unacknowledged.values()
        this.#log.addAge(oldest === undefined ? 0 : Math.max(0, nowMs - oldest.dueMs), nowMs - 1)
        this.options.onSpan?.(this.#log.latest(nowMs))
        next()
      })
    }
    next()
    return () => cancel()
  }
}

type LoadPlan = Omit<LoadOptions, 'findLimit'>

/** Returns the due times in milliseconds since the start, ascending. */
export function* dueTimes({ rate, durationMs, profile }: LoadPlan): Generator<number> {
  const share = shareOfRate(durationMs, profile)
  for (let atMs = 0; atMs < durationMs; atMs += secondMs / (rate * share(atMs))) yield atMs
}

/** Returns the share of the highest rate at a time: linear between the points of the profile, which repeats every `cycleMs`. */
function shareOfRate(durationMs: number, name: LoadProfile): (atMs: number) => number {
  const { points, cycleMs = durationMs } = profileOf(name)
  const cycles = Math.max(1, Math.round(durationMs / cycleMs))
  return (atMs) => {
    const time = ((atMs / durationMs) * cycles) % 1
    const next = points.findIndex(([until]) => until > time)
    const [[fromTime, from], [toTime, to]] = [points[next - 1] ?? [0, 1], points[next] ?? [1, 1]]
    return from + ((to - from) * (time - fromTime)) / (toTime - fromTime)
  }
}
