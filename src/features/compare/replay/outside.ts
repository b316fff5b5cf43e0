/**
 * Performs in the sandbox what happened outside the recorded calls: payments, failures, disputes, and objects from
 * before the recording.
 */
import type { Creatable } from '../../../inside/control.js'
import {
  type ActionName,
  ApiError,
  actionTable,
  currencies,
  type EventName,
  eventNames,
  objectKinds,
  statusesFor,
  transitions,
} from '../../../inside/platform.js'
import { type Fields, isKeyOf, parseAmount } from '../../../inside/values.js'
import {
  checkParams,
  createObject,
  findObject,
  nextDueOf,
  runningDispute,
  type Subject,
  selectTransactions,
  statusOf,
  subjectId,
  type Transaction,
  transactionsWithExternalId,
  trigger,
} from '../../../inside/workspace.js'
import {
  causes,
  eventOfAction,
  networkOf,
  newestWalletOf,
  type ObservedObject,
  observedIn,
  paramsFrom,
  payerFrom,
  requestFrom,
  subjectField,
} from './causes.js'
import type { KnownPairs } from './known-pairs.js'
import type { RecordedEvents } from './recorded-events.js'
import type { Scratch } from './scratch.js'

const isTypeWithAnswer = (type: string) => type === 'cashin' || type === 'cashout' || type === 'conversion'

export function isAmount(amount: unknown, { amountMinor, currency }: Transaction): boolean {
  const parsed = parseAmount(String(amount), currencies[currency].scale)
  return parsed.ok && parsed.minor === amountMinor
}

/** Thrown if the sandbox cannot do what the platform did. The message says why. */
export class CannotReproduce extends Error {}

export class Outside {
  /** The platform's ids of objects that existed before the recording, whose values are unknown. */
  readonly olderIds = new Set<string>()
  /** Fields that the recording does not determine, by the platform's id of the object. */
  readonly unsure = new Map<string, readonly string[]>()
  /** When an object changed according to an answer, by the sandbox's id. */
  readonly changedMs = new Map<string, number>()

  constructor(
    readonly scratch: Scratch,
    readonly pairs: KnownPairs,
    readonly hooks: RecordedEvents,
  ) {}

  find = (platformId: string): Subject | undefined => this.findOwn(this.pairs.inSandbox(platformId) ?? '')

  findOwn = (id: string): Subject | undefined => findObject(this.scratch.ws.db, objectKinds, id)

  /**
   * Finds the transaction of an event that names it by another id than the answer to its call did: by its
   * `external_id`, or as the only one with this amount.
   */
  findRenamed(event: EventName, data: Fields): Transaction | undefined {
    const id = data[subjectField(event)]
    const type = event.slice(0, event.indexOf('.'))
    const { external_id: externalId, currency } = data
    const isNew = typeof id === 'string' && this.pairs.inSandbox(id) === undefined && !this.pairs.lost.has(id)
    if (!isNew || !isTypeWithAnswer(type)) return undefined
    const { db } = this.scratch.ws
    const all =
      typeof externalId === 'string'
        ? transactionsWithExternalId(db, externalId, 10)
        : selectTransactions(db, [['type = ? and external_id is null', type]], 100)
    const [found, another] = all.filter(
      (one) =>
        one.type === type &&
        !this.isReported(this.pairs.inPlatform(one.id)) &&
        (typeof externalId === 'string' || (one.currency === currency && isAmount(data.amount, one))),
    )
    return another === undefined ? found : undefined
  }

  /** The values of all objects so far have other pseudonyms from now on. */
  beginPart(): void {
    for (const id of this.pairs.beginPart()) this.olderIds.add(id)
  }

  /** Whether a username of the platform is that of the recorded account. */
  isRecordedAccount = (username: unknown): boolean =>
    typeof username === 'string' && (this.pairs.inSandbox(username) ?? username) === this.scratch.account.username

  isReported = (platformId: unknown): boolean =>
    typeof platformId === 'string' && eventNames.some((event) => this.hooks.findData(event, platformId) !== undefined)

  /** Makes the sandbox do what an event of the platform reports. Throws `CannotReproduce`. */
  async reproduce(event: EventName, recorded: Fields): Promise<void> {
    // The settings may rename a network.
    const labels: Readonly<Record<string, string | undefined>> = this.scratch.ws.config.networkLabels
    const label = Object.keys(labels).find((name) => labels[name] === recorded.network)
    const data = label === undefined ? recorded : { ...recorded, network: label }
    const row = causes[event]
    if (row === undefined) return this.#repeatCreation(event, data)
    const id = String(data[subjectField(event)] ?? '')
    if (event === 'cashin.confirmed' && data.source === 'static') return this.#deposit(data)
    const subject = this.find(id) ?? (await this.#createOlder(event, data, id))
    // The decision of the dispute includes the refund.
    const decision = event === 'cashin.refunded' && this.#hasDispute(subject) ? this.#decisionOf(id) : undefined
    if (decision !== undefined) return this.reproduce(decision, this.hooks.findData(decision, id) ?? {})
    const params = paramsFrom(event, data, subject)
    if (row.optional !== undefined && this.hooks.isConstant(event, row.optional)) delete params[row.optional[0]]
    await this.act(row.action, subjectId(subject), params)
  }

  /** Performs an action, and before it the action that it requires. Throws `CannotReproduce`. */
  async act(action: ActionName, id: string, params: Fields): Promise<void> {
    await this.#bringTo(action, id)
    // If the object does not allow the amount, the others of the parameters can still be compared.
    const { amount: _, ...others } = params
    const tries = [params, others, {}]
    for (const [at, attempt] of tries.entries()) {
      try {
        await this.scratch.ws.unit((unit) => trigger(unit, action, id, checkParams(action, attempt)))
        return
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (at === tries.length - 1 || error.code === 'INVALID_TRANSITION') throw new CannotReproduce(error.message)
      }
    }
  }

  /** Performs the action that another requires: a refund requires a payment, a return requires a settled withdrawal. */
  async #bringTo(action: ActionName, id: string): Promise<void> {
    const subject = this.findOwn(id)
    if (subject === undefined || statusesFor(action).includes(statusOf(subject))) return
    const before = transitions.find(
      ({ object, from, to }) =>
        object === subject.kind && from === statusOf(subject) && statusesFor(action).includes(to),
    )
    const name = `${subject.kind}.${before?.on}`
    if (before === undefined || !isKeyOf(actionTable, name)) return
    await this.scratch.ws.unit((unit) => trigger(unit, name, id, {}))
    // The recording begins after that step, unless a later webhook reports it.
    const [platformId, event] = [this.pairs.inPlatform(id) ?? '', eventOfAction(name)]
    const isReported = event !== undefined && this.hooks.findData(event, platformId) !== undefined
    if (this.olderIds.has(platformId) && !isReported) this.scratch.newEvents()
  }

  /** Brings objects to the statuses that an answer shows. Returns those that the sandbox cannot change so, and why. */
  async reproduceStatuses(answer: unknown, atMs: number): Promise<{ id: string; why: string }[]> {
    const problems: { id: string; why: string }[] = []
    const orderOf = (one: ObservedObject) => one.atMs ?? one.createdMs ?? atMs
    const observations = observedIn(answer).sort((one, other) => orderOf(one) - orderOf(other))
    for (const { id, status, fields, atMs: changedMs } of observations) {
      this.pairDispute(fields)
      const known = this.find(id)
      const isNew =
        known === undefined && fields.infraction_id === id && this.find(String(fields.transaction_id)) !== undefined
      if (!isNew && (known === undefined || statusOf(known) === status)) continue
      const nowMs = this.scratch.nowMs()
      // The clock of the sandbox has passed the change.
      if (changedMs !== null && changedMs < nowMs) this.unsure.set(id, ['updated_at'])
      this.scratch.setClock(Math.min(Math.max(changedMs ?? atMs, nowMs), Math.max(atMs, nowMs)))
      try {
        // A dispute that no webhook has reported.
        const subject = known ?? (await this.#openDispute(fields, id))
        if (changedMs !== null) this.changedMs.set(subjectId(subject), changedMs)
        if (statusOf(subject) !== status) await this.#reproduceStatus(id, subject, status, fields)
      } catch (error) {
        if (!(error instanceof CannotReproduce)) throw error
        problems.push({ id, why: error.message })
      }
    }
    return problems
  }

  async #reproduceStatus(id: string, subject: Subject, status: string, fields: Fields): Promise<void> {
    const decision = status === 'refunded' ? this.#decisionOf(id) : undefined
    if (decision !== undefined) return this.reproduce(decision, this.hooks.findData(decision, id) ?? {})
    const steps = transitions.filter(({ object, to }) => object === subject.kind && to === status)
    const name = steps.map(({ object, on }) => `${object}.${on}`).find((action) => isKeyOf(actionTable, action))
    // The comparison of the field reports the status.
    if (name === undefined) return
    const event = eventOfAction(name)
    const data = (event === undefined ? undefined : this.hooks.findData(event, id)) ?? fields
    await this.act(name, subjectId(subject), event === undefined ? {} : paramsFrom(event, data, subject))
  }

  #decisionOf = (chargeId: string) =>
    (['chargeback.lost', 'chargeback.confirmed'] as const).find(
      (event) => this.hooks.findData(event, chargeId) !== undefined,
    )

  #hasDispute = (subject: Subject) => runningDispute(this.scratch.ws.db, subjectId(subject)) !== undefined

  /** Pairs a dispute that an event opened without its id. */
  pairDispute({ infraction_id: id, transaction_id: chargeId }: Fields): void {
    if (typeof id !== 'string' || this.pairs.inSandbox(id) !== undefined) return
    const charge = this.find(String(chargeId))
    const dispute = charge === undefined ? undefined : runningDispute(this.scratch.ws.db, subjectId(charge))
    if (dispute !== undefined && this.pairs.inPlatform(dispute.id) === undefined) this.pairs.pair(id, dispute.id)
  }

  /** When the object would expire in the sandbox; null if never. */
  expiryMs = (subject: Subject): number | null => nextDueOf(this.scratch.ws.db, 'expire', subjectId(subject))

  async #deposit(data: Fields): Promise<void> {
    const [currency, network] = [String(data.currency), String(data.network)]
    const walletId = this.pairs.inSandbox(`wallet_id ${String(data.wallet_id)}`)?.slice('wallet_id '.length)
    const found = walletId === undefined ? undefined : findObject(this.scratch.ws.db, ['wallet'], walletId)
    const newest = found ?? newestWalletOf(this.scratch, currency, network)
    // The event does not name the wallet.
    if (found === undefined) this.unsure.set(String(data.transaction_id), ['wallet_id', 'wallet'])
    const id =
      newest === undefined
        ? await this.#create('wallet', { currency, ...networkOf(currency, network) })
        : subjectId(newest)
    const payer = payerFrom(data.payer)
    await this.act('wallet.deposit', id, { amount: String(data.amount ?? '1'), ...(payer === null ? {} : { payer }) })
  }

  /** Creates an object that existed before the recording. */
  async #createOlder(event: EventName, data: Fields, id: string): Promise<Subject> {
    if (this.pairs.lost.has(id)) throw new CannotReproduce('the sandbox rejected the call that creates the object')
    const kind = event.slice(0, event.indexOf('.'))
    const isDispute = kind === 'chargeback' && event !== 'chargeback.opened'
    const opened = isDispute ? this.hooks.findData('chargeback.opened', id) : undefined
    if (opened !== undefined) return this.#openDispute(opened, id)
    let newId: string
    if (isDispute) {
      const charge =
        this.find(String(data.transaction_id)) ??
        (await this.#createOlder('chargeback.opened', data, String(data.transaction_id)))
      await this.act('dispute.open', subjectId(charge), {})
      newId = runningDispute(this.scratch.ws.db, subjectId(charge))?.id ?? ''
    } else if (kind === 'cashout') newId = await this.#create('cashout', requestFrom('cashout', data))
    else if (kind === 'conversion') newId = await this.#create('conversion', requestFrom('reversal', data))
    else newId = await this.#create('cashin', requestFrom('cashin', data))
    this.scratch.newEvents()
    this.pairs.pair(id, newId)
    this.olderIds.add(id)
    const subject = this.findOwn(newId)
    if (subject === undefined) throw new CannotReproduce('the object is older than the recording')
    return subject
  }

  /** Opens a dispute whose opening is reported later. */
  async #openDispute(opened: Fields, id: string): Promise<Subject> {
    await this.reproduce('chargeback.opened', opened)
    const charge = this.find(String(opened.transaction_id))
    const row = charge === undefined ? undefined : runningDispute(this.scratch.ws.db, subjectId(charge))
    if (row === undefined) throw new CannotReproduce('the dispute could not be opened')
    this.pairs.pair(id, row.id)
    return { kind: 'dispute', row }
  }

  async #create(kind: Creatable, fields: Fields, account = this.scratch.account): Promise<string> {
    try {
      const ref = await this.scratch.ws.unit((unit) =>
        createObject(unit, account, kind, fields, () => `older-${unit.atMs}`),
      )
      return ref.id
    } catch (error) {
      if (error instanceof ApiError)
        throw new CannotReproduce(`the object is older than the recording, and ${error.message}`)
      throw error
    }
  }

  /** Creates the object of an event whose call is not in the recording. */
  async #repeatCreation(event: EventName, data: Fields): Promise<void> {
    const counterparty = String(data.counterparty)
    if (event === 'transfer.confirmed') {
      if (!(await this.scratch.ensureAccount(counterparty)))
        throw new CannotReproduce('one of its accounts has no valid username')
      const [from, to] = [this.scratch.account, this.scratch.accountNamed(counterparty)]
      const fields = requestFrom('transfer', data)
      if (data.direction === 'received')
        return void (await this.#create('transfer', { ...fields, username: from.username }, to))
      await this.#createAndPair('transfer', { ...fields, username: to.username }, data.transaction_id)
    } else if (event === 'conversion.confirmed')
      await this.#createAndPair('conversion', requestFrom('conversion', data), data.conversion_id)
    else if (event === 'wallet.created') {
      const { currency, network } = data
      await this.#create('wallet', { currency, ...networkOf(String(currency), String(network)) })
    } else throw new CannotReproduce('the call that caused it is not in the recording')
  }

  async #createAndPair(kind: Creatable, fields: Fields, platformId: unknown): Promise<void> {
    const id = await this.#create(kind, fields)
    this.pairs.pair(String(platformId), id)
    this.olderIds.add(String(platformId))
  }
}
