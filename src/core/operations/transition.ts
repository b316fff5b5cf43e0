/**
 * The only writer of a status: looks up the transition in the state table, moves the money, writes the history, emits
 * the event. Also recognizes a call that repeats an earlier one, and counts transactions for the lists.
 */
import { sha256Hex } from '../../base/crypto.js'
import type { Currency } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { EventData, EventName } from '../../protocol/platform/events.js'
import { type LimitReturn, limitReturns } from '../../protocol/platform/limits.js'
import {
  type ObjectKind,
  type StatusOf,
  type TransactionType,
  type TransitionName,
  type TransitionRow,
  transitions,
} from '../../protocol/platform/transitions.js'
import { type Db, reader } from '../../store/db.js'
import { appender, inserter, updater } from '../../store/rows.js'
import { disputes, history, transactions, wallets } from '../../store/schema.js'
import { getOrCacheRow, rowInCache } from '../../store/unit-of-work.js'
import { type BalanceRef, balanceOf, countMoney, post, type Transfer } from '../ledger/ledger.js'
import { subtractUsage } from '../ledger/pricing.js'
import type { Unit } from '../unit/unit.js'
import { type Addressee, type EmittedEvent, emit } from '../webhooks/outbox.js'
import { type Dispute, findTransaction, type Subject, type Transaction, type TransactionOf } from './transactions.js'

type Status = StatusOf<ObjectKind>

/** The amount of a move in the table of transitions. `peer` is the other account; `currency` defaults to the object's. */
interface MovedAmount {
  amountMinor: bigint
  currency?: Currency
  peerSeq?: number
}

/** The available balance before and after an operation. */
interface BalanceChange {
  old: bigint
  new: bigint
}

/** What an operation computes once the state table has allowed it. */
export interface Effect {
  amounts?: Record<string, MovedAmount | readonly MovedAmount[]>
  /** Other fields of the row that change with its status. */
  set?: Partial<Pick<Transaction, 'amountMinor' | 'feeMinor' | 'detail'> & Pick<Dispute, 'resolvedAtMs'>>
  event?: {
    name: EventName
    to: Addressee
    transactionId: string
    data: (balance: BalanceChange) => EventData[EventName]
  }
  /** The linked object, for transitions with `next`. */
  next?: () => { subject: Subject; effect: () => Effect }
}

/** An event about a transaction, which is also the object of an event about its dispute. `id` is that in the envelope: a refund has its own. */
export const eventAbout = <Name extends EventName>(
  transaction: Transaction,
  id: string,
  name: Name,
  data: (balance: BalanceChange) => EventData[Name],
): NonNullable<Effect['event']> => {
  const { accountSeq, credentialSeq, postbackUrl, externalId } = transaction
  const to = { accountSeq, credentialSeq, postbackUrl, externalId, subjectId: transaction.id }
  return { name, to, transactionId: id, data }
}

/** The emitted events, in order. */
export interface Outcome {
  events: EmittedEvent[]
}

const insertTransaction = inserter(transactions)
const insertDispute = inserter(disputes)
const insertWallet = inserter(wallets)
const updateTransaction = updater(transactions, ['status', 'updatedAtMs', 'amountMinor', 'feeMinor', 'detail'])
const updateDispute = updater(disputes, ['status', 'resolvedAtMs'])
const appendHistory = appender(history)

/** Returns the first status of an object that this transition creates. */
export function firstStatus<Kind extends ObjectKind>(kind: Kind, on: string): StatusOf<Kind> {
  const row = transitions.find((one) => one.object === kind && one.from === null && one.on === on)
  if (row === undefined) throw new Error(`${on} does not create a ${kind}`)
  // The row has this kind, so its status has too.
  return row.to as StatusOf<Kind>
}

type Required = 'accountSeq' | 'credentialSeq' | 'currency' | 'amountMinor' | 'feeMinor' | 'detail'
type Optional = 'source' | 'currencyTo' | 'externalId' | 'fingerprint' | 'postbackUrl' | 'network'

/** Returns the row of a new transaction. All its fields are named here, because a spread costs up to 1 µs for each field that follows. */
export function newTransaction<Type extends TransactionType>(
  unit: Unit,
  type: Type,
  on: string,
  own: Pick<TransactionOf<Type>, Required> & Partial<Pick<TransactionOf<Type>, Optional>>,
): TransactionOf<Type> {
  const { seq, id } = unit.ids.next('transactions')
  const row = {
    seq,
    id,
    accountSeq: own.accountSeq,
    credentialSeq: own.credentialSeq,
    type,
    status: firstStatus(type, on),
    source: own.source ?? null,
    currency: own.currency,
    amountMinor: own.amountMinor,
    feeMinor: own.feeMinor,
    externalId: own.externalId ?? null,
    fingerprint: own.fingerprint ?? null,
    postbackUrl: own.postbackUrl ?? null,
    network: own.network ?? null,
    detail: own.detail,
    createdAtMs: unit.atMs,
    updatedAtMs: unit.atMs,
    currencyTo: own.currencyTo ?? null,
  }
  // Only conversions have a second currency, which the compiler cannot see for a type that is a parameter.
  return row as TransactionOf<Type>
}

/** Creates an object in the initial status that the table defines. */
export const createInState = (unit: Unit, subject: Subject, on: string, effect: () => Effect): Outcome =>
  step(unit, subject, null, on, effect)

/**
 * Performs a transition. Throws 409 INVALID_TRANSITION `{from, action, allowed}` if the status does not allow it,
 * without changing anything.
 */
export const performTransition = (unit: Unit, subject: Subject, on: string, effect: () => Effect): Outcome =>
  step(unit, subject, statusOf(subject), on, effect)

function step(unit: Unit, subject: Subject, from: Status | null, on: string, work: () => Effect): Outcome {
  const found = transitions.find((row) => row.object === subject.kind && row.from === from && row.on === on)
  if (found === undefined) throw transitionError(subject, from, on)
  const row: TransitionRow = found
  const effect = work()
  const id = subjectId(subject)
  const before = effect.event === undefined ? 0n : available(unit, subject)
  const moved = row.moves.flatMap((move) => transfersOf(subject, move, effect))
  if (moved.length > 0) post(unit, { objectId: id, memo: `${row.object}.${on}` }, moved)
  if (row.object === 'cashin' || row.object === 'cashout') countRailMoney(unit, moved)
  if (row.returns !== undefined && subject.kind !== 'dispute' && subject.kind !== 'wallet')
    returnToLimit(unit, subject.row, row.returns, effect)
  writeStatus(unit, subject, from, found.to, effect)
  // The row itself records its creation; a history row for each new charge would add nothing.
  if (from !== null)
    appendHistory(unit.db, {
      object: row.object,
      objectId: id,
      action: found.on,
      fromStatus: from,
      toStatus: found.to,
      atMs: unit.atMs,
    })
  unit.publishChange({
    type: row.object === 'dispute' || row.object === 'wallet' ? row.object : 'transaction',
    id,
    status: row.to,
    action: on,
  })
  const events =
    effect.event === undefined ? [] : [emitEvent(unit, effect.event, { old: before, new: available(unit, subject) })]
  if (row.next === undefined || effect.next === undefined) return { events }
  const linked = effect.next()
  return { events: [...events, ...performTransition(unit, linked.subject, row.next[1], linked.effect).events] }
}

/**
 * Returns an amount to the daily limit: the refunded part, or all that was counted. A deposit to a fixed wallet is
 * never counted.
 */
function returnToLimit(unit: Unit, row: Transaction, kind: LimitReturn, { amounts }: Effect): void {
  const returns: readonly LimitReturn[] = limitReturns[unit.config.dailyLimitReturns]
  if (!returns.includes(kind) || row.source === 'static') return
  const countedMinor =
    row.type === 'cashin' && row.detail.requestedMinor ? BigInt(row.detail.requestedMinor) : row.amountMinor
  const part = amounts?.refund
  const minor = part !== undefined && 'amountMinor' in part ? part.amountMinor : countedMinor
  const { accountSeq, currency, type: operation, createdAtMs } = row
  subtractUsage(unit, { accountSeq, currency, operation }, createdAtMs, minor < countedMinor ? minor : countedMinor)
}

/** Counts money from and to the outside world; a conversion exchanges money with the platform only. */
function countRailMoney(unit: Unit, moved: readonly Transfer[]): void {
  for (const { from, to, currency, amountMinor } of moved) {
    if (from.bucket === 'rail') countMoney(unit, 'in', currency, amountMinor)
    if (to.bucket === 'rail') countMoney(unit, 'out', currency, amountMinor)
  }
}

function emitEvent(unit: Unit, event: NonNullable<Effect['event']>, balance: BalanceChange): EmittedEvent {
  // Name and data belong together; the compiler sees two unions.
  return emit(unit, event.name, event.to, event.transactionId, event.data(balance) as never)
}

function transitionError(subject: Subject, from: string | null, on: string): ApiError {
  const allowedActions = allowedOn(subject.kind, from)
  const message = `${subject.kind}.${on} is not possible: the ${subject.kind} ${subjectId(subject)} is ${from}${allowedActions.length > 0 ? '' : ', which is final'}.`
  return new ApiError('INVALID_TRANSITION', { from, action: `${subject.kind}.${on}`, allowed: allowedActions }, message)
}

/** Returns the action, status and time of an object's creation from its row, because the history has no entry for it. */
export function creationOf(subject: Subject): { action: TransitionName; to: Status; atMs: number } {
  const action = creationStep(subject)
  return { action, to: firstStatus(subject.kind, action), atMs: subject.row.createdAtMs }
}

function creationStep(subject: Subject): TransitionName {
  if (subject.kind === 'dispute') return 'open'
  if (subject.kind === 'cashin' && subject.row.source === 'static') return 'deposit'
  return subject.kind === 'transfer' && subject.row.detail.direction === 'received' ? 'receive' : 'create'
}

/** Transitions that only follow from another one and cannot be requested. */
const internalSteps: readonly string[] = ['lose_dispute', 'create', 'deposit', 'receive', 'open']

/** Returns the public actions that a status allows. Callers who know the rail add `dispute.open` for a confirmed charge. */
export function allowedOn(kind: ObjectKind, from: string | null): string[] {
  return transitions
    .filter((row) => row.object === kind && row.from === from && !internalSteps.includes(row.on))
    .map((row) => `${kind}.${row.on}`)
}

const available = (unit: Unit, subject: Subject) =>
  balanceOf(unit.db, subject.row.accountSeq, subject.row.currency).available

function transfersOf(subject: Subject, move: TransitionRow['moves'][number], effect: Effect): Transfer[] {
  const [from, to, key, type, peerType] = move
  const amount = effect.amounts?.[key]
  const parts = amount === undefined ? [] : 'amountMinor' in amount ? [amount] : amount
  return parts.map((part) => ({
    from: balanceRefOf(subject, from, part),
    to: balanceRefOf(subject, to, part),
    currency: part.currency ?? subject.row.currency,
    amountMinor: part.amountMinor,
    type,
    peerType,
  }))
}

function balanceRefOf(subject: Subject, bucket: TransitionRow['moves'][number][0], part: MovedAmount): BalanceRef {
  if (bucket === 'rail' || bucket === 'fees') return { accountSeq: 0, bucket }
  if (bucket !== 'peer') return { accountSeq: subject.row.accountSeq, bucket }
  if (part.peerSeq === undefined)
    throw new Error(`the transition of ${subjectId(subject)} requires the account of the counterparty`)
  return { accountSeq: part.peerSeq, bucket: 'available' }
}

function writeStatus(unit: Unit, subject: Subject, from: Status | null, to: Status, effect: Effect): void {
  const { db, atMs } = unit
  const { kind, row } = subject
  if (kind === 'wallet') {
    if (from === null) insertWallet(db, row)
  } else if (kind === 'dispute') {
    // The transition was looked up for this kind, so its status is one of this kind.
    Object.assign(row, effect.set, { status: to as Dispute['status'] })
    if (from === null) insertDispute(db, row)
    else updateDispute(db, row.seq, row)
  } else {
    // The transition was looked up for this kind, so its status is one of this kind.
    Object.assign(row, effect.set, { status: to as Transaction['status'], updatedAtMs: atMs })
    if (from === null) insertTransaction(db, row)
    else updateTransaction(db, row.seq, row)
    updateCounts(db, row, from)
  }
}

export function subjectId(subject: Subject): string {
  return subject.kind === 'wallet' ? String(subject.row.seq) : subject.row.id
}

export function statusOf(subject: Subject): StatusOf<ObjectKind> {
  return subject.kind === 'wallet' ? 'created' : subject.row.status
}

// Whether a call repeats an earlier one.

/** Runs for each new charge and usually finds nothing, so it must be cheap. */
const idByExternalId = reader<{ id: string }>('select id from transactions where account_seq = ? and external_id = ?')
function findByExternalId(db: Db, accountSeq: number, externalId: string): Transaction | undefined {
  const found = idByExternalId(db, accountSeq, externalId)[0]
  return found === undefined ? undefined : findTransaction(db, found.id)
}

/**
 * Hashes the operation and its content, with amounts as minor units, so that `10` and `10.0` are equal. Returns the hash,
 * and the original if this call repeats it. Throws 409 DUPLICATE_EXTERNAL_ID `{transaction_id}` if another call has used
 * the id.
 */
export function findOriginal<Type extends TransactionType>(
  unit: Unit,
  type: Type,
  accountSeq: number,
  request: { externalId: string | null; amountMinor: bigint },
): { fingerprint: string; original: TransactionOf<Type> | undefined } {
  const fingerprint = sha256Hex(type + JSON.stringify({ ...request, amountMinor: String(request.amountMinor) }))
  return { fingerprint, original: repeatedBy(unit, type, accountSeq, request.externalId, fingerprint) }
}

function repeatedBy<Type extends TransactionType>(
  unit: Unit,
  type: Type,
  accountSeq: number,
  externalId: string | null,
  print: string,
): TransactionOf<Type> | undefined {
  if (externalId === null) return undefined
  const original = findByExternalId(unit.db, accountSeq, externalId)
  if (original === undefined) return undefined
  if (original.type !== type || original.fingerprint !== print)
    throw new ApiError('DUPLICATE_EXTERNAL_ID', { transaction_id: original.id })
  // A comparison does not narrow a type that is only a parameter.
  return original as TransactionOf<Type>
}

// How many transactions a list has.

/** A transaction matches if it has every given value; a conversion matches either of its currencies. */
interface CountedFilter {
  type?: string | undefined
  status?: string | undefined
  source?: string | undefined
  currency?: string | undefined
}

interface Count {
  filter: CountedFilter
  total: number
}

const maxCachedFilters = 200
const keyOf = (accountSeq: number) => `counts ${accountSeq}`

export function countOf(db: Db, accountSeq: number, filter: CountedFilter, count: () => number): number {
  const counts = getOrCacheRow(db, keyOf(accountSeq), () => new Map<string, Count>())
  const name = [filter.type, filter.status, filter.source, filter.currency].join()
  const known = counts.get(name)
  if (known !== undefined) return known.total
  if (counts.size >= maxCachedFilters) counts.clear()
  const total = count()
  counts.set(name, { filter, total })
  return total
}

/** Updates the cached counts; called with every write of a row. `from` is its earlier status, null for a new row. */
function updateCounts(db: Db, row: Transaction, from: string | null): void {
  const counts = rowInCache<Map<string, Count>>(db, keyOf(row.accountSeq))
  if (counts === undefined) return
  for (const one of counts.values())
    one.total += Number(fits(one.filter, row, row.status)) - Number(from !== null && fits(one.filter, row, from))
}

function fits({ type, status, source, currency }: CountedFilter, row: Transaction, at: string): boolean {
  return (
    (type === undefined || type === row.type) &&
    (status === undefined || status === at) &&
    (source === undefined || source === row.source) &&
    (currency === undefined || currency === row.currency || currency === row.currencyTo)
  )
}
