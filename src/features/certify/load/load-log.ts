/** Records a load: durations, failures, and a timeline. */
import { advisedResponseMs } from '../../../inside/platform.js'
import { type Attempt, isOk } from '../receiver/event-sender.js'
import type { StopReason } from './profiles.js'
import type { LoadReport, LoadSpan } from './report.js'

interface Span {
  durationsMs: number[]
  failed: number
  oldestMs: number
}

/** Returns the percentile at `share`, from 0 to 1; null if it is infinite or there are no values. Sorts the values. */
function percentile(valuesMs: number[], share: number): number | null {
  valuesMs.sort((one, other) => one - other)
  const value = valuesMs[Math.max(0, Math.ceil(valuesMs.length * share) - 1)] ?? Number.POSITIVE_INFINITY
  return Number.isFinite(value) ? Math.round(value) : null
}

export class LoadLog {
  events = 0
  acknowledged = 0
  attempts = 0
  retries = 0
  duplicates = 0
  /** Time by which the sandbox has postponed the events because it was late itself. */
  lateMs = 0
  oldestMs = 0
  stopped: StopReason | null = null
  /** The first failure that is not a timeout; `firstTimeout` is the first timeout. */
  firstFailure: Attempt | undefined
  firstTimeout: Attempt | undefined
  readonly #durationsMs: number[] = []
  /** Response times of answers without 2xx. */
  readonly #refusalsMs: number[] = []
  readonly #events = new Map<string, { attempts: number; failed: number }>()
  readonly #failures = new Map<string, number>()
  readonly #spans: Span[] = []

  constructor(
    readonly startMs: number,
    readonly spanMs: number,
  ) {}

  get failed(): number {
    return this.attempts - this.#durationsMs.length
  }

  get timeouts(): number {
    return this.#failures.get('timeout') ?? 0
  }

  addAttempt(attempt: Attempt, startedMs: number): void {
    const { result } = attempt
    const span = this.#spanAt(startedMs)
    const counts = this.#events.get(attempt.event.event) ?? { attempts: 0, failed: 0 }
    this.#events.set(attempt.event.event, counts)
    this.attempts++
    counts.attempts++
    if (isOk(attempt)) {
      this.#durationsMs.push(result.durationMs)
      span.durationsMs.push(result.durationMs)
      return
    }
    const reason = result.status === null ? result.outcome : String(result.status)
    this.#failures.set(reason, (this.#failures.get(reason) ?? 0) + 1)
    if (result.status !== null) this.#refusalsMs.push(result.durationMs)
    span.failed++
    counts.failed++
    if (result.outcome === 'timeout') this.firstTimeout ??= attempt
    else this.firstFailure ??= attempt
  }

  /** Records `ageMs`, the age of the oldest event that waits for its acknowledgement. */
  addAge(ageMs: number, nowMs: number): void {
    this.oldestMs = Math.max(this.oldestMs, Math.round(ageMs))
    const span = this.#spanAt(nowMs)
    span.oldestMs = Math.max(span.oldestMs, Math.round(ageMs))
  }

  /** Returns the 95th percentile. Failed attempts count as slower than all others; null if the percentile is a failed attempt. */
  p95OfAll(): number | null {
    return percentile([...this.#durationsMs, ...Array<number>(this.failed).fill(Number.POSITIVE_INFINITY)], 0.95)
  }

  /** The time at which the first failed attempt began, to a span, and the attempts per second at that time. */
  firstFailed(): { afterMs: number; rate: number } {
    const at = Math.max(
      0,
      this.#spans.findIndex(({ failed }) => failed > 0),
    )
    const { durationsMs, failed } = this.#spans[at] ?? emptySpan()
    return { afterMs: at * this.spanMs, rate: ((durationsMs.length + failed) * 1000) / this.spanMs }
  }

  /** Returns the 95th percentile of all answers. Attempts without an answer count as slower; null if the percentile is one of them. */
  p95OfAnswers(): number | null {
    const answersMs = [...this.#durationsMs, ...this.#refusalsMs]
    const silent = Array<number>(this.attempts - answersMs.length).fill(Number.POSITIVE_INFINITY)
    return percentile([...answersMs, ...silent], 0.95)
  }

  /** The events with failed attempts, most failures first. `always`: each of several attempts failed. */
  failedEvents(): { event: string; attempts: number; failed: number; always: boolean }[] {
    return [...this.#events]
      .map(([event, counts]) => ({ event, ...counts, always: counts.failed === counts.attempts && counts.failed > 1 }))
      .filter(({ failed }) => failed > 0)
      .sort((one, other) => other.failed - one.failed)
  }

  /** The events that always failed, if other events never did: then their kind is the cause, and not the rate. */
  eventsThatAlwaysFail(): string[] {
    const found = this.failedEvents()
    const isByKind = found.length < this.#events.size && found.every(({ always }) => always)
    return isByKind ? found.map(({ event }) => event) : []
  }

  /** Returns the percentile of the durations of the attempts that began in this time span; 0 if there are none. */
  percentileOf(fromMs: number, toMs: number, share: number): number {
    const durationsMs = this.#spansOf(fromMs, toMs).flatMap((span) => span.durationsMs)
    return percentile(durationsMs, share) ?? 0
  }

  /** Returns the share of the attempts of this time span that failed. */
  failedShareOf(fromMs: number, toMs: number): number {
    const spans = this.#spansOf(fromMs, toMs)
    const sumOf = (countIn: (span: Span) => number) => spans.reduce((sum, span) => sum + countIn(span), 0)
    const failed = sumOf((span) => span.failed)
    return failed / Math.max(1, failed + sumOf(({ durationsMs }) => durationsMs.length))
  }

  #spansOf = (fromMs: number, toMs: number) =>
    this.#spans.slice(Math.floor(fromMs / this.spanMs), Math.ceil(toMs / this.spanMs))

  /** The part of the report that is measured while the load runs. */
  report() {
    const { events, acknowledged, attempts, retries, duplicates, stopped, timeouts: over_10_s } = this
    const values = this.#durationsMs
    const slow = values.filter((durationMs) => durationMs > advisedResponseMs).length
    const at = (share: number) => percentile(values, share)
    const times = { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), max_ms: at(1) }
    return {
      ...{ events, acknowledged, attempts, retries, duplicates, stopped },
      late_ms: Math.max(0, Math.round(this.lateMs)),
      acknowledgement: { ...times, over_2_s: slow + over_10_s, over_10_s },
      failures: this.failures(),
      oldest_ms: this.oldestMs,
      timeline: this.#spans.map((_, at) => this.#spanReport(at)),
    }
  }

  failures(): LoadReport['failures'] {
    return [...this.#failures]
      .map(([reason, count]) => ({ reason, count }))
      .sort((one, other) => other.count - one.count)
  }

  /** Returns the span that ended last. */
  latest(nowMs: number): LoadSpan {
    this.#spanAt(nowMs)
    return this.#spanReport(Math.max(0, this.#indexOf(nowMs) - 1))
  }

  #spanReport(at: number): LoadSpan {
    const { durationsMs, failed, oldestMs } = this.#spans[at] ?? emptySpan()
    return {
      at_ms: at * this.spanMs,
      span_ms: this.spanMs,
      acknowledged: durationsMs.length,
      failed,
      p95_ms: percentile(durationsMs, 0.95),
      oldest_ms: oldestMs,
    }
  }

  #indexOf = (atMs: number) => Math.max(0, Math.floor((atMs - this.startMs) / this.spanMs))

  #spanAt(atMs: number): Span {
    const index = this.#indexOf(atMs)
    while (this.#spans.length <= index) this.#spans.push(emptySpan())
    return this.#spans[index] ?? emptySpan()
  }
}

const emptySpan = (): Span => ({ durationsMs: [], failed: 0, oldestMs: 0 })
