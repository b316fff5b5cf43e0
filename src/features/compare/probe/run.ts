/** Runs probes one after the other: sends their calls, records them, and stops where the target does not go on. */
import { setTimeout as pause } from 'node:timers/promises'
import { rates } from '../../../inside/platform.js'
import { fieldsIn, isoUtc, minuteMs, secondMs } from '../../../inside/values.js'
import { type ProbeCall, type ProbeId, probeOf, spendingProbes } from './probes.js'
import { type ProbeReceiver, subjectOf } from './receiver.js'
import type { ProbeRecording } from './recording.js'
import { type Answer, NoAnswer, ProbeSender, type ProbeTarget } from './send.js'

export interface RunOptions {
  target: ProbeTarget
  recording: ProbeRecording
  /** null: webhooks are not recorded. */
  receiver: ProbeReceiver | null
  signal: AbortSignal
  /** Called before the probe with this number. */
  onProbe: (at: number) => void
  /** Called once, if webhooks take long: says what the run waits for, and until when. */
  onWait?: (text: string) => void
  /** How long a webhook may take (default: a minute). */
  webhookMs?: number
}

export interface RunEnd {
  /** Why probes could not be completed. */
  failed: Map<ProbeId, string>
  /** Those of `failed` that only lack webhooks, because none has arrived at all. */
  unheard: Set<ProbeId>
  /** Probes that the account has no object for. */
  skipped: Set<ProbeId>
  /** Why the run ended early; null if it did not. */
  stopped: string | null
  /** Whether it ended because the target rejects the credentials. */
  isRejected: boolean
  /** Whether nothing answers. */
  isUnreachable: boolean
}

/** The run ends; the message says why. */
class Stop extends Error {
  constructor(
    message: string,
    readonly isRejected = false,
  ) {
    super(message)
  }
}
class ProbeFailed extends Error {}
/** No webhook arrives; the calls of the probe were answered. */
class NoWebhooks extends ProbeFailed {}
/** The target rejects the signature of a call that is signed rightly, if the key is right. */
class SignatureRejected extends ProbeFailed {}
/** The account has no object that the probe needs. */
class NothingThere extends Error {}

/** Why a run ended that has made no call and written no file. */
export const interruptedAtStart = 'it was interrupted before its first call'
const interrupted = 'it was interrupted'
const longestWayMs = 4 * secondMs
/** After so many failures in a row, the target is not asked again. */
const mostFailures = 3
/** The platform may count the calls of the minute before the run. */
const tokensPerMinute = rates.token.perMinute - 5

const newestWithdrawal: ProbeCall = { to: 'transactionList', send: { page: 1, page_size: 1, type: 'cashout' } }
const tokenCall: ProbeCall = { to: 'token', send: { grant_type: 'client_credentials' } }

export async function runProbes(plan: readonly ProbeId[], options: RunOptions): Promise<RunEnd> {
  const { recording, onProbe, signal } = options
  const run = new Run(options)
  const none = { failed: new Map(), unheard: new Set<ProbeId>(), skipped: new Set<ProbeId>() }
  const end: RunEnd = { ...none, stopped: null, isRejected: false, isUnreachable: false }
  let failures = 0
  for (const [at, id] of plan.entries()) {
    if (signal.aborted) {
      end.stopped = at === 0 ? interruptedAtStart : interrupted
      break
    }
    onProbe(at)
    recording.started = id
    // A run that is killed must not lose that money can have moved.
    if (spendingProbes.has(id)) await recording.save()
    try {
      await run.probe(id)
      recording.done.add(id)
      failures = 0
    } catch (error) {
      if (signal.aborted) end.stopped = interrupted
      else if (error instanceof Stop) Object.assign(end, { stopped: error.message, isRejected: error.isRejected })
      else if (error instanceof NothingThere) end.skipped.add(id)
      else if (error instanceof ProbeFailed || error instanceof NoAnswer) {
        end.failed.set(id, error.message)
        if (error instanceof NoWebhooks) end.unheard.add(id)
        else if (!(error instanceof SignatureRejected)) failures++
        if (failures === mostFailures || !run.hasToken) end.stopped = error.message
      } else throw error
    }
    await recording.save()
    if (end.stopped !== null) break
  }
  if (options.receiver?.isReached === true) await run.recordMissing(end)
  return { ...end, isUnreachable: !run.isAnswered && plan.length > 0 && !signal.aborted }
}

class Run {
  readonly #id = crypto.randomUUID().slice(0, 8)
  readonly #sender: ProbeSender
  readonly #tokenCallsMs: number[] = []
  /** What a call can name: parts of this run, and fields of the answers before. */
  #known: Record<string, string> = {}
  /** The newest day that the platform has named. */
  #day = isoUtc(Date.now()).slice(0, 10)
  #token: string | null = null
  #probe: ProbeId = 'token'
  #isWaitShown = false
  /** A probe has waited for webhooks in vain, so the others wait briefly, unless one arrives later. */
  #isUnheard = false
  /** Events that did not come in time, for which the others wait briefly. */
  readonly #late = new Set<string>()
  isAnswered = false

  constructor(readonly options: RunOptions) {
    this.#sender = new ProbeSender(options.target)
  }

  get hasToken(): boolean {
    return this.#token !== null
  }

  async probe(id: ProbeId): Promise<void> {
    const { receiver } = this.options
    const { calls, webhooks } = probeOf(id)
    let isRejected = false
    this.#probe = id
    this.#known = { run: this.#id, day: this.#day }
    receiver?.begin(id, webhooks?.rejected ?? 0)
    for (const [at, call] of calls.entries()) {
      this.#known.call = `${id.replaceAll('_', '-')}-${at}`
      if (call.to !== 'token' && this.#token === null) await this.#call(tokenCall)
      const status = await this.#call(call)
      isRejected ||= status >= 400 && call.signed === undefined
      const isLast = at === calls.length - 1
      // A rejected call causes no event.
      if (receiver !== null && webhooks !== undefined && !isRejected && (isLast || webhooks.rejected !== undefined))
        await this.#waitFor(receiver, isLast ? webhooks.events : webhooks.events.slice(0, at + 1))
    }
  }

  /** Later webhooks have arrived, so the receiver is not the reason why the first ones did not. */
  async recordMissing({ failed, unheard }: RunEnd): Promise<void> {
    const { recording } = this.options
    for (const id of unheard) {
      failed.delete(id)
      recording.done.add(id)
    }
    unheard.clear()
    await recording.save()
  }

  /** The comparison reports a webhook that is missing, unless the receiver is the reason. */
  async #waitFor(receiver: ProbeReceiver, events: readonly string[]): Promise<void> {
    const { signal, webhookMs = minuteMs } = this.options
    const untilMs = Date.now() + webhookMs
    const timer = setTimeout(() => this.#showWait(events, untilMs), webhookMs / 20)
    const isGivenUp = this.#isUnheard && !receiver.isReached
    const expected = isGivenUp ? [] : events.filter((event) => !this.#late.has(event))
    const missing = await receiver
      .waitFor(expected, webhookMs, signal)
      .then((late) => (expected.length < events.length ? receiver.waitFor(events, webhookMs / 10, signal) : late))
      .finally(() => clearTimeout(timer))
    signal.throwIfAborted()
    for (const event of missing) this.#late.add(event)
    if (receiver.isReached) {
      // The list shows whether the result of the withdrawal is known, so that its webhook is due.
      if (missing.some((event) => subjectOf(event) === 'cashout')) await this.#call(newestWithdrawal)
      return
    }
    if (missing.length === 0) return
    this.#isUnheard = true
    throw new NoWebhooks(
      `no webhook arrived within ${webhookMs / secondMs} s; the webhook URL of the credential must lead to the local port`,
    )
  }

  #showWait(events: readonly string[], untilMs: number): void {
    if (this.#isWaitShown) return
    this.#isWaitShown = true
    const names = [...new Set(events)].join(', ')
    this.options.onWait?.(
      `waiting for webhooks of ${this.#probe} (${names}) until ${isoUtc(untilMs).slice(11, 19)} UTC`,
    )
  }

  /** Resolves to the status, which does not matter unless the target does not go on. */
  async #call(call: ProbeCall): Promise<number> {
    const { signal, recording } = this.options
    if (call.to === 'token') await this.#pace()
    const send = this.#filled(call.send)
    const exchange = await this.#sender
      .send({ ...call, ...(send === undefined ? {} : { send }) }, this.#token, signal)
      .catch((error: unknown) => {
        if (error instanceof NoAnswer) recording.omit()
        throw error
      })
    this.isAnswered = true
    try {
      this.#check(call, exchange)
    } catch (error) {
      // A failure shows nothing about the platform API, so it must not be compared.
      recording.omit()
      throw error
    }
    await recording.add(exchange.passed, this.#probe)
    this.#learn(call, exchange)
    return exchange.status
  }

  /** Keeps to the documented rate of tokens. */
  async #pace(): Promise<void> {
    const calls = this.#tokenCallsMs
    const first = calls.length < tokensPerMinute ? undefined : calls.shift()
    const leftMs = first === undefined ? 0 : first + minuteMs - Date.now()
    if (leftMs > 0) await pause(leftMs, undefined, { signal: this.options.signal })
    calls.push(Date.now())
  }

  #check({ to, as }: ProbeCall, { name, status, code, retryAfter: after, passed, body }: Answer): void {
    // Any other text of the target can be a secret.
    const answered = `${name} answered ${status}${code !== null && /^[A-Z_]{1,40}$/.test(code) ? ` ${code}` : ''}`
    const retryAfter = after !== null && /^(\d{1,9}|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT)$/.test(after) ? after : null
    if (status === 429 || code === 'IP_BLOCKED_TEMPORARILY')
      throw new Stop(retryAfter === null ? answered : `${answered}, with Retry-After: ${retryAfter}`)
    if (status >= 500) throw new ProbeFailed(answered)
    const isRight = passed.signed === 'rightly' || passed.signed?.startsWith('nearly')
    // The timestamp can have become too old on the way.
    if (isRight && code === 'INVALID_TIMESTAMP' && passed.waitMs > longestWayMs)
      throw new ProbeFailed(`${answered} after ${Math.round(passed.waitMs / secondMs)} s`)
    if (isRight && code === 'INVALID_SIGNATURE') throw new SignatureRejected(`${answered}; check --signing-key`)
    const isFirstToken = to === 'token' && as === undefined && !this.hasToken && this.#probe !== 'grant_type'
    if (isFirstToken && typeof body.access_token !== 'string')
      throw new Stop(status >= 400 ? answered : `${answered} without an access_token`, status >= 400)
  }

  #learn({ to, as }: ProbeCall, { body }: Answer): void {
    if (to === 'token' && as === undefined && typeof body.access_token === 'string') this.#token ??= body.access_token
    const data = fieldsIn(body.data)
    for (const id of [data.transaction_id, data.conversion_id, data.wallet_id])
      if (id !== undefined) this.options.receiver?.causes.set(String(id), this.#probe)
    const [first] = Array.isArray(data.items) ? data.items : []
    for (const [name, value] of Object.entries({ ...fieldsIn(first), ...data }))
      if (typeof value === 'string') this.#known[name] = value
    if (typeof data.created_at === 'string') this.#known.day = this.#day = data.created_at.slice(0, 10)
  }

  /** Throws `NothingThere` if a name is unknown. */
  #filled(send: ProbeCall['send']): ProbeCall['send'] {
    if (send === undefined || typeof send === 'string') return send
    const fill = (text: string) =>
      text.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = this.#known[name]
        if (value === undefined) throw new NothingThere(name)
        return value
      })
    const filled = (value: unknown): unknown => {
      if (typeof value === 'string') return fill(value)
      if (Array.isArray(value)) return value.map(filled)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one)]))
    }
    return fieldsIn(filled(send))
  }
}
