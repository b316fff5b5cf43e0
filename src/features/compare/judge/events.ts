/** Compares recorded webhooks with the sandbox's events: which, in which order, when, and their contents. */
import { type EventName, eventTable, statusesFor } from '../../../inside/platform.js'
import { type Fields, fieldsIn, minuteMs, parseMoment, secondMs } from '../../../inside/values.js'
import { runningDispute, selectTransactions, subjectId } from '../../../inside/workspace.js'
import { causes } from '../replay/causes.js'
import type { KnownPairs } from '../replay/known-pairs.js'
import { CannotFollow, isAmount, type Outside, subjectField } from '../replay/outside.js'
import { type Pace, toleranceFor } from '../replay/pace.js'
import { bodyOf, type RecordedEvent } from '../replay/recorded-events.js'
import type { SandboxEvent } from '../replay/scratch.js'
import type { Sides } from './answers.js'
import { durationText } from './calibrate.js'
import type { Findings } from './findings.js'
import {
  attemptDifferences,
  delayDifference,
  delayOf,
  inSeconds,
  plainDifference,
  webhookHeaderDifferences,
} from './headers.js'
import type { Scene } from './judge.js'
import { eventShape } from './shapes.js'
import { compareBodies, type Difference, isUnknowable, momentToleranceMs } from './values.js'
import { count } from './verdicts.js'

interface Parts extends Sides {
  pace: Pace
  /** When the sandbox settles a withdrawal. */
  settleMs: number
  /** When the recording ends. */
  endMs: number
}

interface Pending extends SandboxEvent {
  fields: Fields
  /** The entry after which the event occurred. */
  exchange: number
}

/** Fields of `data` that identify the object of an event. */
const idNames = [
  'transaction_id',
  'original_transaction_id',
  'conversion_id',
  'original_conversion_id',
  'infraction_id',
  'address',
]

export class Events {
  #pending: Pending[] = []
  /** Number of the newest event that has arrived, by object. */
  readonly #arrived = new Map<string, number>()
  /** The longest time from a change to its first attempt. */
  #slowestMs = 0
  readonly #settledMs: { exchange: number; ms: number }[] = []

  constructor(
    readonly parts: Parts,
    readonly isRecorded: boolean,
  ) {}

  /** Collects the events that occurred in the sandbox after an entry. */
  collect(exchange: number): void {
    for (const event of this.parts.scratch.newEvents())
      if (event.accountSeq === this.parts.scratch.account.seq || event.event === 'transfer.confirmed')
        this.#pending.push({ ...event, exchange, fields: bodyOf(event.body) ?? {} })
  }

  async compare(recorded: RecordedEvent): Promise<void> {
    const { findings, outside, pace, pairs } = this.parts
    const hook = identified(recorded, outside)
    const { event, data, body } = hook
    const scene = sceneOf(hook)
    const add = (difference: Difference) => this.#add(difference, scene)
    const place = { exchange: scene.exchange, call: scene.call, path: 'event', platform: event }
    if (event === null || body === null) {
      const judged = { assumption: null, setting: null, value: null, documented: null }
      const about = 'The platform sends an event that is not documented.'
      findings.record({ ...judged, verdict: 'unknown_field', about }, { ...place, platform: body?.event })
      return
    }
    for (const one of webhookHeaderDifferences(hook, pace.skewMs)) add(one)
    for (const one of attemptDifferences(hook, this.parts.endMs)) add(one)
    const delayMs = delayOf(hook, pace.offsetMs)
    this.#slowestMs = Math.max(this.#slowestMs, delayMs ?? momentToleranceMs)
    const late = delayDifference(delayMs)
    if (late !== null) add(late)
    // The rejected call is the cause, and has a finding.
    if (idNames.some((name) => pairs.lost.has(String(data[name])))) return
    this.#checkId(event, data, add)
    this.#checkDeadline(hook, scene)
    let own = this.#take(event, hook)
    // The recording can contain the webhooks of both accounts of a transfer.
    if (own === undefined && outside.isOwn(data.counterparty)) return
    if (own === undefined) {
      try {
        await outside.follow(event, data)
      } catch (error) {
        if (!(error instanceof CannotFollow)) throw error
        return findings.unexplained(`The sandbox cannot cause this event: ${error.message}`, place)
      }
      this.collect(scene.exchange)
      own = this.#take(event, hook)
    }
    if (own === undefined) return findings.unexplained('The sandbox sends no such event.', place)
    this.#compareBodies(hook, own, scene)
    // The order of a late event is not checked.
    if (late === null) this.#checkOrder(own, scene)
    this.#noteSettling(hook, own)
  }

  /** Reports events that the sandbox sent and the platform did not. */
  finish(last: number): void {
    this.#judgeSettling()
    const { findings, outside, scratch } = this.parts
    if (!this.isRecorded) {
      if (this.#pending.length > 0) findings.notes.add(withoutWebhooks)
      return
    }
    for (const { event, exchange, accountSeq, fields, createdAtMs, subjectId } of this.#pending) {
      // The webhooks of another account go elsewhere.
      if (accountSeq !== scratch.account.seq) continue
      const changedMs = Math.min(createdAtMs, outside.changedMs.get(subjectId) ?? createdAtMs)
      const leftMs = scratch.nowMs() - changedMs
      if (exchange >= last && leftMs < this.#mostInFlightMs()) {
        findings.notes.add(
          `the recording ends ${inSeconds(leftMs)} after a change, too early to miss its webhook ${event}`,
        )
        continue
      }
      const documented = `${event}: ${eventTable[event].sentWhen}`
      const difference = plainDifference('event', [undefined, event], {
        documented,
        breaks: 'the webhook was not sent',
      })
      this.#add(difference, {
        exchange,
        name: event,
        call: event,
        currency: fieldsIn(fields.data).currency,
        request: null,
      })
    }
  }

  /** For so long after a change, its webhook can still be on its way. */
  #mostInFlightMs = () => Math.min(Math.max(secondMs, slowestFactor * this.#slowestMs), momentToleranceMs)

  #add(difference: Difference, scene: Scene): void {
    this.parts.findings.add(difference, scene, this.parts.scratch.ws.config)
  }

  /** The sandbox's event that corresponds to a webhook. */
  #take(event: EventName, { data }: RecordedEvent): Pending | undefined {
    const { pairs: idPairs } = this.parts
    const same = this.#pending.filter((one) => one.event === event)
    const known = same.find(({ fields }) =>
      idNames.some((name) => {
        const id = data[name]
        const ownId = typeof id === 'string' ? idPairs.inSandbox(id) : undefined
        return ownId !== undefined && ownId === fieldsIn(fields.data)[name]
      }),
    )
    const free = same.find(({ fields, accountSeq }) => {
      if (accountSeq !== this.parts.scratch.account.seq && !isSameTransfer(data, fieldsIn(fields.data))) return false
      const pairs = idNames.map((name) => [data[name], fieldsIn(fields.data)[name]] as const)
      const isOther = pairs.some(
        ([one, other]) => typeof one === 'string' && typeof other === 'string' && isTaken(idPairs, one, other),
      )
      return !isOther && data.direction === fieldsIn(fields.data).direction
    })
    const found = known ?? free
    if (found === undefined) return undefined
    this.#pending = this.#pending.filter((one) => one !== found)
    return found
  }

  #compareBodies(hook: RecordedEvent, own: Pending, scene: Scene): void {
    const { findings, pairs, balances, outside } = this.parts
    if (hook.event === null) return
    const isOlder = idNames.some((name) => outside.older.has(String(hook.data[name])))
    const comparing = {
      call: hook.event,
      ...{ pairs, balances },
      accountSeq: own.accountSeq,
      isComplete: true,
      toleranceMs: toleranceFor(hook.body),
      isOlder: () => false,
      unsure: () => [],
      agree: (field: Parameters<Findings['agree']>[0]) => findings.agree(field, scene),
    }
    // The envelope repeats the id of `data`.
    const name = hook.event.startsWith('conversion.') ? 'conversion_id' : 'transaction_id'
    const [id, ownId] = [fieldsIn(hook.body?.data)[name], fieldsIn(own.fields.data)[name]]
    if (typeof id === 'string' && typeof ownId === 'string') pairs.isPair(id, ownId)
    const found = compareBodies(hook.body, own.fields, eventShape(hook.event), comparing)
    found.push(...assumedDifferences(hook))
    // Values of an object from before the recording are unknown.
    for (const one of found) if (!isOlder || !one.isKnown || !isUnknowable(one)) this.#add(one, scene)
  }

  #checkOrder({ subjectId, seq }: Pending, scene: Scene): void {
    const last = this.#arrived.get(subjectId) ?? 0
    this.#arrived.set(subjectId, Math.max(last, seq))
    if (seq < last) this.#add(plainDifference('order', ['after a later event', 'in the order of events']), scene)
  }

  /** Reports an event that names its object by another id than the answer did. */
  #checkId(event: EventName, data: Fields, add: (difference: Difference) => void): void {
    const { outside, pairs } = this.parts
    const own = outside.renamed(event, data)
    if (own === undefined) return
    const [name, answered] = [subjectField(event), pairs.inPlatform(own.id)]
    pairs.pair(String(data[name]), own.id)
    // Without an id in the answer, there is nothing to contradict.
    if (answered === undefined) return
    const about = { documented: 'Identifier of the transaction', breaks: 'a webhook has another id than the response' }
    add({ ...plainDifference(`data.${name}`, [data[name], answered], about), isShared: true })
  }

  /** The platform's decision without a reply corresponds to a setting. */
  #checkDeadline({ event, data, body }: RecordedEvent, scene: Scene): void {
    const outcome = ({ 'chargeback.confirmed': 'confirm', 'chargeback.lost': 'lose' } as Record<string, string>)[
      event ?? ''
    ]
    const subject = this.parts.outside.find(String(data.infraction_id))
    if (outcome === undefined || subject?.kind !== 'dispute' || subject.row.status !== 'open') return
    const atMs = typeof body?.timestamp === 'string' ? (parseMoment(body.timestamp) ?? 0) : 0
    if (atMs < subject.row.deadlineAtMs - minuteMs) return
    const expected = this.parts.scratch.ws.config.disputeDeadline
    if (outcome !== expected) this.#add(plainDifference('outcome', [outcome, expected]), scene)
    else
      this.parts.findings.confirm('dispute_deadline', { exchange: scene.exchange, call: scene.call, path: 'outcome' })
  }

  #noteSettling({ event, attempts: [entry], data }: RecordedEvent, { subjectId, createdAtMs }: Pending): void {
    if (event !== 'cashout.confirmed' || this.parts.outside.older.has(String(data.transaction_id))) return
    const subject = this.parts.outside.findOwn(subjectId)
    if (subject?.kind === 'cashout')
      this.#settledMs.push({ exchange: entry.number, ms: createdAtMs - subject.row.createdAtMs })
  }

  /** Withdrawals may take different times; if all take the same time, that is the platform's delay. */
  #judgeSettling(): void {
    const { findings } = this.parts
    const times = this.#settledMs.map(({ ms }) => ms).sort((one, other) => one - other)
    const median = times[Math.floor(times.length / 2)]
    const [first] = this.#settledMs
    if (median === undefined || first === undefined) return
    const isNear = (ms: number, of: number) => Math.abs(ms - of) <= Math.max(secondMs, of / 4)
    const call = 'cashout.confirmed'
    const expected = this.parts.settleMs
    const isAgreed = isNear(median, expected)
    if (isAgreed) findings.confirm('cashout_settle', { exchange: first.exchange, call, path: 'delay' })
    const isClear = times.length >= leastWithdrawals || median > expected + momentToleranceMs
    const isSteady = times.every((ms) => isNear(ms, median))
    if (!isAgreed && !isClear)
      findings.notes.add(
        `${count(times.length, 'withdrawal')} settled after ${inSeconds(median)}, in the sandbox after ${inSeconds(expected)}; ${leastWithdrawals} would show a setting`,
      )
    if (isAgreed || !isClear || !isSteady) return
    const rounded = Math.max(secondMs, Math.round(median / secondMs) * secondMs)
    const difference = plainDifference('delay', [durationText(rounded), durationText(expected)])
    this.#add(difference, { exchange: first.exchange, name: call, call, currency: null, request: null })
  }
}

const withoutWebhooks = 'the recording has no webhooks, so missing ones are not reported, and balances are not compared'
/** With fewer withdrawals, only a clear delay can be inferred. */
const leastWithdrawals = 3
/** A webhook that takes so many times as long as the slowest one of the recording was not sent. */
const slowestFactor = 10

/** Whether the other side of a transfer got this event: the recording can contain the webhooks of both. */
const isSameTransfer = (platform: Fields, sandbox: Fields): boolean =>
  platform.amount === sandbox.amount &&
  platform.currency === sandbox.currency &&
  Math.abs(momentOf(platform) - momentOf(sandbox)) <= momentToleranceMs

const momentOf = ({ confirmed_at: at }: Fields) => (typeof at === 'string' ? parseMoment(at) : null) ?? Number.NaN

/** Values that every event has and that the sandbox would take over from the platform. */
function assumedDifferences({ event, body, data }: RecordedEvent): Difference[] {
  const { transaction_id: id } = fieldsIn(body)
  if (event === 'wallet.created' && typeof id === 'string' && id !== data.wallet_id)
    return [plainDifference('transaction_id', [id, data.wallet_id])]
  const { bank } = fieldsIn(data.receiver)
  return event === 'cashout.confirmed' && typeof bank === 'string' && /\s/.test(bank)
    ? [plainDifference('data.receiver.bank', [bank, 'the code of the bank'])]
    : []
}

const isTaken = (pairs: KnownPairs, platform: string, sandbox: string) => {
  const [known, other] = [pairs.inSandbox(platform), pairs.inPlatform(sandbox)]
  return (known !== undefined && known !== sandbox) || (other !== undefined && other !== platform)
}

const sceneOf = ({ attempts: [entry], event, data, body }: RecordedEvent): Scene => {
  const name = event ?? String(body?.event ?? 'webhook')
  return { exchange: entry.number, name, call: name, currency: data.currency ?? null, request: null }
}

/** The same webhook with the id that its other fields show. */
function identified(hook: RecordedEvent, outside: Outside): RecordedEvent {
  const { event, body, data } = hook
  if (event === null || causes[event] === undefined) return hook
  outside.adopt(data)
  const name = subjectField(event)
  if (typeof fieldsIn(body?.data)[name] === 'string') return hook
  const id =
    name === 'infraction_id'
      ? disputeOf(data, outside)
      : name.startsWith('original_')
        ? originalOf(hook, outside)
        : body?.transaction_id
  return typeof id === 'string' ? { ...hook, data: { ...data, [name]: id } } : hook
}

function disputeOf(data: Fields, { find, pairs, scratch }: Outside): string | undefined {
  const charge = find(String(data.transaction_id))
  const dispute = charge === undefined ? undefined : runningDispute(scratch.ws.db, subjectId(charge))
  return dispute === undefined ? undefined : pairs.inPlatform(dispute.id)
}

/** The only reversible transaction with the `external_id`, or else with the amount. */
function originalOf({ event, data }: RecordedEvent, { pairs, scratch }: Outside): string | undefined {
  const action = event === null ? undefined : causes[event]?.action
  if (action === undefined) return undefined
  const { external_id: externalId, amount = data.amount_returned_to } = data
  const type = action.slice(0, action.indexOf('.'))
  const [found, another] = selectTransactions(scratch.ws.db, [], 1000).filter(
    (one) =>
      one.type === type &&
      statusesFor(action).some((status) => status === one.status) &&
      (typeof externalId === 'string' ? one.externalId === externalId : isAmount(amount, one)),
  )
  return found === undefined || another !== undefined ? undefined : pairs.inPlatform(found.id)
}
