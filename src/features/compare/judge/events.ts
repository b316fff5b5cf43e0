/** Compares the recorded webhooks with the events of the sandbox: their names, order, time and contents. */
import { cashoutFailureCodes, type EventName, eventTable, railOf, statusesFor } from '../../../inside/platform.js'
import { type Fields, fieldsIn, minuteMs, parseMoment, secondMs } from '../../../inside/values.js'
import { runningDispute, selectTransactions, subjectId } from '../../../inside/workspace.js'
import type { Exchange } from '../har/exchange.js'
import { causes, subjectField } from '../replay/causes.js'
import type { KnownPairs } from '../replay/known-pairs.js'
import { CannotReproduce, isAmount, type Outside } from '../replay/outside.js'
import { type PlatformClock, type RecordedEnd, toleranceFor } from '../replay/pace.js'
import { bodyOf, type RecordedEvent } from '../replay/recorded-events.js'
import type { SandboxEvent } from '../replay/scratch.js'
import type { Sides } from './answers.js'
import { durationText } from './calibrate.js'
import type { Findings } from './findings.js'
import {
  attemptDifferences,
  attemptPaths,
  delayDifference,
  delayOf,
  headerPaths,
  inSeconds,
  plainDifference,
  webhookHeaderDifferences,
} from './headers.js'
import type { Scene } from './judge.js'
import { Retries } from './retries.js'
import { eventShape } from './shapes.js'
import { compareBodies, concernsValue, type Difference, momentToleranceMs, notListed } from './values.js'
import { count } from './verdicts.js'

interface Parts extends Sides {
  clock: PlatformClock
  /** How long a withdrawal of the sandbox takes to settle. */
  settleMs: number
  end: RecordedEnd
}

/** An event of the sandbox that no recorded webhook has matched yet. */
interface Pending extends SandboxEvent {
  fields: Fields
  /** Number of the recorded entry after which the event occurred. */
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
  /** The sequence number of the newest event whose webhook was compared, by object. */
  readonly #newestSeqs = new Map<string, number>()
  /** The longest time from an event to the first attempt of its webhook, so far. */
  #longestDelayMs = 0
  readonly #settleTimes: { exchange: number; ms: number }[] = []
  readonly #delays: { scene: Scene; ms: number }[] = []
  readonly #retries = new Retries()

  constructor(
    readonly parts: Parts,
    readonly hasWebhooks: boolean,
  ) {}

  /** Collects the events that occurred in the sandbox after an entry. */
  collect(exchange: number): void {
    for (const event of this.parts.scratch.newEvents())
      if (event.accountSeq === this.parts.scratch.account.seq || event.event === 'transfer.confirmed')
        this.#pending.push({ ...event, exchange, fields: bodyOf(event.body) ?? {} })
  }

  async compare(recorded: RecordedEvent): Promise<void> {
    const { findings, outside, clock, pairs } = this.parts
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
    const found = [...webhookHeaderDifferences(hook, clock.skewMs), ...attemptDifferences(hook, this.parts.end)]
    for (const one of found) add(one)
    findings.showOthers([...headerPaths, ...(hook.attempts.length > 1 ? attemptPaths : [])], found, scene)
    this.#retries.collect(hook, scene)
    if (hook.attempts.some(({ status }) => status >= 200 && status <= 299)) findings.arrived.set(scene.exchange, event)
    const delayMs = delayOf(hook, clock.offsetMs)
    this.#longestDelayMs = Math.max(this.#longestDelayMs, delayMs ?? momentToleranceMs)
    const late = delayDifference(delayMs)
    if (late !== null) add(late)
    else if (delayMs !== null) this.#delays.push({ scene, ms: delayMs })
    // The sandbox rejected the call that creates this object. That call has a finding already.
    if (idNames.some((name) => pairs.lost.has(String(data[name])))) return
    this.#checkId(event, data, add)
    this.#checkDeadline(hook, scene)
    this.#checkDestination(hook, scene)
    let sandboxEvent = this.#takeMatching(event, hook)
    // The recording can contain the webhook to the other account of a transfer, whose counterparty is this account.
    if (sandboxEvent === undefined && outside.isRecordedAccount(data.counterparty)) return
    if (sandboxEvent === undefined) {
      try {
        await outside.reproduce(event, data)
      } catch (error) {
        if (!(error instanceof CannotReproduce)) throw error
        return findings.unexplained(`The sandbox cannot cause this event: ${error.message}`, place)
      }
      this.collect(scene.exchange)
      sandboxEvent = this.#takeMatching(event, hook)
    }
    if (sandboxEvent === undefined) return findings.unexplained('The sandbox sends no such event.', place)
    this.#compareBodies(hook, sandboxEvent, scene)
    // A late webhook has its finding already, so its order is not checked.
    if (late === null) this.#checkOrder(sandboxEvent, scene)
    this.#recordSettleTime(hook, sandboxEvent)
  }

  /** Reports events that the sandbox sent and the platform did not. */
  finish({ number: last, startedMs }: Exchange): void {
    this.#judgeSettleTimes()
    this.#judgeDelays()
    const { findings, outside, scratch, end } = this.parts
    this.#retries.judge(findings, (difference, scene) => this.#add(difference, scene))
    if (!this.hasWebhooks) {
      if (this.#pending.length > 0) findings.notes.add(withoutWebhooks)
      return
    }
    for (const { event, exchange, accountSeq, fields, createdAtMs, subjectId } of this.#pending) {
      // Webhooks of other accounts go to a URL that the recording does not contain.
      if (accountSeq !== scratch.account.seq) continue
      const changedMs = Math.min(createdAtMs, outside.changedMs.get(subjectId) ?? createdAtMs)
      const leftMs = scratch.nowMs() + end.endMs - startedMs - changedMs
      // A call makes its change at once; a list can be as new as the change that it shows.
      const isNew = exchange >= last || outside.changedMs.has(subjectId)
      if (isNew && leftMs < this.#longestPossibleDelayMs()) {
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

  /** A webhook that is missing after this time was not sent. */
  #longestPossibleDelayMs = () =>
    Math.min(Math.max(secondMs, longestDelayFactor * this.#longestDelayMs), momentToleranceMs)

  #add(difference: Difference, scene: Scene): void {
    this.parts.findings.add(difference, scene, this.parts.scratch.ws.config)
  }

  /** Removes the event that corresponds to a webhook from the pending ones, and returns it. */
  #takeMatching(event: EventName, { data }: RecordedEvent): Pending | undefined {
    const { pairs: idPairs } = this.parts
    const sameName = this.#pending.filter((one) => one.event === event)
    const known = sameName.find(({ fields }) =>
      idNames.some((name) => {
        const id = data[name]
        const sandboxId = typeof id === 'string' ? idPairs.inSandbox(id) : undefined
        return sandboxId !== undefined && sandboxId === fieldsIn(fields.data)[name]
      }),
    )
    const unmatched = sameName.find(({ fields, accountSeq }) => {
      if (accountSeq !== this.parts.scratch.account.seq && !isSameTransfer(data, fieldsIn(fields.data))) return false
      const pairs = idNames.map((name) => [data[name], fieldsIn(fields.data)[name]] as const)
      const isOtherObject = pairs.some(
        ([one, other]) =>
          typeof one === 'string' && typeof other === 'string' && isPairedOtherwise(idPairs, one, other),
      )
      return !isOtherObject && data.direction === fieldsIn(fields.data).direction
    })
    const found = known ?? unmatched
    if (found === undefined) return undefined
    this.#pending = this.#pending.filter((one) => one !== found)
    return found
  }

  #compareBodies(hook: RecordedEvent, sandboxEvent: Pending, scene: Scene): void {
    const { findings, pairs, balances, outside } = this.parts
    if (hook.event === null) return
    const predatesRecording = idNames.some((name) => outside.olderIds.has(String(hook.data[name])))
    const comparing = {
      call: hook.event,
      ...{ pairs, balances },
      accountSeq: sandboxEvent.accountSeq,
      isComplete: true,
      toleranceMs: toleranceFor(hook.body),
      predatesRecording: () => false,
      unsure: () => [],
      agree: (field: Parameters<Findings['agree']>[0]) => findings.agree(field, scene),
    }
    // The envelope repeats an id of `data`: pair both before they are compared.
    const name = hook.event.startsWith('conversion.') ? 'conversion_id' : 'transaction_id'
    const [id, sandboxId] = [fieldsIn(hook.body?.data)[name], fieldsIn(sandboxEvent.fields.data)[name]]
    if (typeof id === 'string' && typeof sandboxId === 'string') pairs.pairOrCheck(id, sandboxId)
    const found = compareBodies(hook.body, sandboxEvent.fields, eventShape(hook.event), comparing)
    found.push(...assumedDifferences(hook))
    // Values of an object from before the recording are unknown.
    for (const one of found) if (!predatesRecording || !one.isInSchema || !concernsValue(one)) this.#add(one, scene)
  }

  #checkOrder({ subjectId, seq }: Pending, scene: Scene): void {
    const last = this.#newestSeqs.get(subjectId) ?? 0
    this.#newestSeqs.set(subjectId, Math.max(last, seq))
    if (seq < last) this.#add(plainDifference('order', ['after a later event', 'in the order of events']), scene)
  }

  /** Reports a webhook that names its object by another id than the answer to the call that created it. */
  #checkId(event: EventName, data: Fields, add: (difference: Difference) => void): void {
    const { outside, pairs } = this.parts
    const transaction = outside.findRenamed(event, data)
    if (transaction === undefined) return
    const [name, answered] = [subjectField(event), pairs.inPlatform(transaction.id)]
    pairs.pair(String(data[name]), transaction.id)
    // The answer named no id, so the webhook contradicts nothing.
    if (answered === undefined) return
    const about = { documented: 'Identifier of the transaction', breaks: 'a webhook has another id than the response' }
    add({ ...plainDifference(`data.${name}`, [data[name], answered], about), isInEveryMessage: true })
  }

  /** The setting `dispute_deadline` decides a dispute without a reply; compares it with the platform's decision. */
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

  /** The sandbox takes the result of a withdrawal from the platform, so what it assumes about destinations is compared here. */
  #checkDestination({ event, data }: RecordedEvent, scene: Scene): void {
    const { findings, outside, scratch } = this.parts
    const id = String(data.transaction_id)
    const subject = outside.find(id)
    if (subject?.kind !== 'cashout' || outside.olderIds.has(id)) return
    if (event !== 'cashout.confirmed' && event !== 'cashout.failed') return
    const { currency, network, detail } = subject.row
    const { wallet: key, keyType, receiver } = detail
    const failureAt = (bankCode: string | null) => railOf(currency).failureOf({ key, keyType, network, bankCode })
    const failure = failureAt(null)
    const result = event === 'cashout.failed' ? data.error_code : 'confirmed'
    const due = failure ?? failureAt(receiver.bank ?? null)
    if (due !== null && event === 'cashout.failed' && !cashoutFailureCodes.some((one) => one === result)) {
      const about = { documented: `one of ${cashoutFailureCodes.join(', ')}`, breaks: notListed }
      this.#add({ ...plainDifference('data.error_code', [result, due], about), sentence: `failure:${due}` }, scene)
      return
    }
    if (failure !== null && result !== failure) this.#add(plainDifference('destination', [result, failure]), scene)
    else findings.show({ path: 'destination', sandbox: failure }, failure === null ? [] : ['value'], scene)
    const isBankCompared = result === 'confirmed' || result === 'INVALID_ADDRESS'
    if (failure !== null || !isBankCompared || failureAt(receiver.bank ?? null) === null) return
    const [outcome, expected] = [result === 'confirmed' ? 'ignore' : 'fail', scratch.ws.config.bankCodeMismatch]
    if (outcome !== expected) this.#add(plainDifference('bank_code', [outcome, expected]), scene)
    else findings.confirm('bank_code_mismatch', { exchange: scene.exchange, call: scene.call, path: 'bank_code' })
  }

  #recordSettleTime({ event, attempts: [entry], data }: RecordedEvent, { subjectId, createdAtMs }: Pending): void {
    if (event !== 'cashout.confirmed' || this.parts.outside.olderIds.has(String(data.transaction_id))) return
    const subject = this.parts.outside.findOwn(subjectId)
    if (subject?.kind === 'cashout')
      this.#settleTimes.push({ exchange: entry.number, ms: createdAtMs - subject.row.createdAtMs })
  }

  /** One webhook can be late for any reason; if none comes in time, the platform waits. */
  #judgeDelays(): void {
    const [first] = this.#delays
    if (first === undefined) return
    const quickestMs = this.#delays.reduce((least, { ms }) => Math.min(least, ms), first.ms)
    const late = this.#delays.length < leastDelays ? null : delayDifference(quickestMs, momentToleranceMs)
    if (late === null) this.parts.findings.show({ path: 'delay' }, ['value'], { ...first.scene, name: '' })
    else this.#add(late, first.scene)
  }

  /** Compares the setting for the time that withdrawals take, if all recorded ones took about the same time. */
  #judgeSettleTimes(): void {
    const { findings } = this.parts
    const times = this.#settleTimes.map(({ ms }) => ms).sort((one, other) => one - other)
    const median = times[Math.floor(times.length / 2)]
    const [first] = this.#settleTimes
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
/** With fewer withdrawals, only a delay that is much longer than the sandbox's shows a setting. */
const leastWithdrawals = 3
const leastDelays = 3
/** A webhook counts as missing after this multiple of the longest recorded delay. */
const longestDelayFactor = 10

/** Whether both events report the same transfer, one for the sender and one for the receiver. */
const isSameTransfer = (platform: Fields, sandbox: Fields): boolean =>
  platform.amount === sandbox.amount &&
  platform.currency === sandbox.currency &&
  Math.abs(momentOf(platform) - momentOf(sandbox)) <= momentToleranceMs

const momentOf = ({ confirmed_at: at }: Fields) => (typeof at === 'string' ? parseMoment(at) : null) ?? Number.NaN

/** Checks two assumptions that the comparison of fields does not: a new wallet's `transaction_id`, and a code as `bank`. */
function assumedDifferences({ event, body, data }: RecordedEvent): Difference[] {
  const { transaction_id: id } = fieldsIn(body)
  if (event === 'wallet.created' && typeof id === 'string' && id !== data.wallet_id)
    return [plainDifference('transaction_id', [id, data.wallet_id])]
  const { bank } = fieldsIn(data.receiver)
  return event === 'cashout.confirmed' && typeof bank === 'string' && /\s/.test(bank)
    ? [plainDifference('data.receiver.bank', [bank, 'the code of the bank'])]
    : []
}

const isPairedOtherwise = (pairs: KnownPairs, platform: string, sandbox: string) => {
  const [known, other] = [pairs.inSandbox(platform), pairs.inPlatform(sandbox)]
  return (known !== undefined && known !== sandbox) || (other !== undefined && other !== platform)
}

const sceneOf = ({ attempts: [entry], event, data, body }: RecordedEvent): Scene => {
  const name = event ?? String(body?.event ?? 'webhook')
  return { exchange: entry.number, name, call: name, currency: data.currency ?? null, request: null }
}

/** Adds the id of the object to a webhook that does not name it, if its other fields determine the object. */
function identified(hook: RecordedEvent, outside: Outside): RecordedEvent {
  const { event, body, data } = hook
  if (event === null || causes[event] === undefined) return hook
  outside.pairDispute(data)
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

/** The only reversible transaction with the webhook's `external_id`, or with its amount if it has no `external_id`. */
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
