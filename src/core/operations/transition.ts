/** The only writer of a status: looks the step up in the state table, moves the money, writes the history, emits the event. */
import type { Currency } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { EventData, EventName } from '../../protocol/platform/events.js'
import { type LimitReturn, limitReturns } from '../../protocol/platform/limits.js'
import {
  firstStatus,
  type ObjectKind,
  type StatusOf,
  type StepName,
  type TransitionRow,
  transitions,
} from '../../protocol/platform/transitions.js'
import { appender, inserter, updater } from '../../store/rows.js'
import { disputes, history, transactions, wallets } from '../../store/schema.js'
import { countMoney } from '../ledger/activity.js'
import { balanceOf, type Pocket, post, type Transfer } from '../ledger/ledger.js'
import { returnUsage } from '../ledger/pricing.js'
import type { Unit } from '../unit/unit.js'
import { type Addressee, type EmittedEvent, emit } from '../webhooks/outbox.js'
import type { Dispute } from './disputes.js'
import { recount, type Subject, statusOf, subjectId, type Transaction } from './transactions.js'

type Status = StatusOf<ObjectKind>

/** One amount that a move of the state table names; `peer` is the account at the other end, `currency` the object's own unless said. */
export interface Part {
  minor: bigint
  currency?: Currency
  peer?: number
}

/** What an operation works out, once the state table allows it. */
export interface Effect {
  amounts?: Record<string, Part | readonly Part[]>
  /** Further fields of the row that change with its status. */
  set?: Partial<Pick<Transaction, 'amountMinor' | 'feeMinor' | 'detail'> & Pick<Dispute, 'resolvedAtMs'>>
  event?: {
    name: EventName
    to: Addressee
    transactionId: string
    data: (balance: { old: bigint; new: bigint }) => EventData[EventName]
  }
  /** The linked object, for rows with `next`. */
  next?: () => { subject: Subject; effect: () => Effect }
}

/** Emitted in the order in which they happened. */
export interface Outcome {
  events: EmittedEvent[]
}

const insertTransaction = inserter(transactions)
const insertDispute = inserter(disputes)
const insertWallet = inserter(wallets)
const updateTransaction = updater(transactions, ['status', 'updatedAtMs', 'amountMinor', 'feeMinor', 'detail'])
const updateDispute = updater(disputes, ['status', 'resolvedAtMs'])
const appendHistory = appender(history)

/** The new object comes into being in the state that the table gives it. */
export const create = (unit: Unit, subject: Subject, on: string, effect: () => Effect): Outcome =>
  step(unit, subject, null, on, effect)

/** 409 INVALID_TRANSITION `{from, action, allowed}` where the state does not allow it; nothing is changed then. */
export const apply = (unit: Unit, subject: Subject, on: string, effect: () => Effect): Outcome =>
  step(unit, subject, statusOf(subject), on, effect)

function step(unit: Unit, subject: Subject, from: Status | null, on: string, work: () => Effect): Outcome {
  const found = transitions.find((row) => row.object === subject.kind && row.from === from && row.on === on)
  if (found === undefined) throw refusal(subject, from, on)
  const row: TransitionRow = found
  const effect = work()
  const id = subjectId(subject)
  const before = effect.event === undefined ? 0n : available(unit, subject)
  const moved = row.moves.flatMap((move) => transfersOf(subject, move, effect))
  post(unit, { objectId: id, memo: `${row.object}.${on}` }, moved)
  if (row.object === 'cashin' || row.object === 'cashout') countRails(unit, moved)
  if (row.returns !== undefined && subject.kind !== 'dispute' && subject.kind !== 'wallet')
    giveBack(unit, subject.row, row.returns, effect)
  writeStatus(unit, subject, from, found.to, effect)
  // How it came into being stands in the row itself; a second row for each new charge would say nothing more.
  if (from !== null)
    appendHistory(unit.db, {
      object: row.object,
      objectId: id,
      action: found.on,
      fromStatus: from,
      toStatus: found.to,
      atMs: unit.atMs,
    })
  unit.change({
    type: row.object === 'dispute' || row.object === 'wallet' ? row.object : 'transaction',
    id,
    status: row.to,
    action: on,
  })
  const events =
    effect.event === undefined ? [] : [announce(unit, effect.event, { old: before, new: available(unit, subject) })]
  if (row.next === undefined || effect.next === undefined) return { events }
  const linked = effect.next()
  return { events: [...events, ...apply(unit, linked.subject, row.next[1], linked.effect).events] }
}

/** To the daily limit: what a refund takes back, else all that was counted. A deposit to a fixed wallet counts to none. */
function giveBack(unit: Unit, row: Transaction, kind: LimitReturn, { amounts }: Effect): void {
  const allowed: readonly LimitReturn[] = limitReturns[unit.config.dailyLimitReturns]
  if (!allowed.includes(kind) || row.source === 'static') return
  const countedMinor = row.type === 'cashin' && row.detail.askedMinor ? BigInt(row.detail.askedMinor) : row.amountMinor
  const part = amounts?.refund
  const minor = part !== undefined && 'minor' in part ? part.minor : countedMinor
  returnUsage(unit, row, minor < countedMinor ? minor : countedMinor)
}

/** What came from outside, and what left for it; a conversion only changes hands with the platform. */
function countRails(unit: Unit, moved: readonly Transfer[]): void {
  for (const { from, to, currency, minor } of moved) {
    if (from.bucket === 'rail') countMoney(unit, 'in', currency, minor)
    if (to.bucket === 'rail') countMoney(unit, 'out', currency, minor)
  }
}

function announce(
  unit: Unit,
  event: NonNullable<Effect['event']>,
  balance: { old: bigint; new: bigint },
): EmittedEvent {
  // Name and data come together from one effect: the compiler sees two unions.
  return emit(unit, event.name, event.to, event.transactionId, event.data(balance) as never)
}

function refusal(subject: Subject, from: string | null, on: string): ApiError {
  const allowed = allowedOn(subject.kind, from)
  const message = `${subject.kind}.${on} is not possible: the ${subject.kind} ${subjectId(subject)} is ${from}${allowed.length > 0 ? `, which allows ${allowed.join(', ')}` : ', which is final'}.`
  return new ApiError('INVALID_TRANSITION', { from, action: `${subject.kind}.${on}`, allowed }, { message })
}

/** How an object came into being: it has no row of history for that, because its own row says it. */
export function birthOf(subject: Subject): { action: StepName; to: Status; atMs: number } {
  const action = birthAction(subject)
  return { action, to: firstStatus(subject.kind, action), atMs: subject.row.createdAtMs }
}

function birthAction(subject: Subject): StepName {
  if (subject.kind === 'dispute') return 'open'
  if (subject.kind === 'cashin' && subject.row.source === 'static') return 'deposit'
  return subject.kind === 'transfer' && subject.row.detail.direction === 'received' ? 'receive' : 'create'
}

/** Steps that only follow from another one, and are nobody's to ask for. */
const internalSteps: readonly string[] = ['lose_dispute', 'create', 'deposit', 'receive', 'open']

/** The public actions that a state allows; a confirmed cash-in's `dispute.open` is added by those who know its rail. */
export function allowedOn(kind: ObjectKind, from: string | null): string[] {
  return transitions
    .filter((row) => row.object === kind && row.from === from && !internalSteps.includes(row.on))
    .map((row) => `${kind}.${row.on}`)
}

const available = (unit: Unit, subject: Subject) =>
  balanceOf(unit.db, subject.row.accountSeq, subject.row.currency).available

function transfersOf(subject: Subject, [from, to, key]: TransitionRow['moves'][number], effect: Effect): Transfer[] {
  const named = effect.amounts?.[key]
  const parts = named === undefined ? [] : 'minor' in named ? [named] : named
  return parts.map((part) => ({
    from: pocket(subject, from, part),
    to: pocket(subject, to, part),
    currency: part.currency ?? subject.row.currency,
    minor: part.minor,
  }))
}

function pocket(subject: Subject, bucket: TransitionRow['moves'][number][0], part: Part): Pocket {
  if (bucket === 'rail' || bucket === 'fees') return { accountSeq: 0, bucket }
  if (bucket !== 'peer') return { accountSeq: subject.row.accountSeq, bucket }
  if (part.peer === undefined) throw new Error(`the move to a peer of ${subjectId(subject)} names no account`)
  return { accountSeq: part.peer, bucket: 'available' }
}

function writeStatus(unit: Unit, subject: Subject, from: Status | null, to: Status, effect: Effect): void {
  const { db, atMs } = unit
  const { kind, row } = subject
  if (kind === 'wallet') {
    if (from === null) insertWallet(db, row)
  } else if (kind === 'dispute') {
    // The step was found among those of this kind, and so is the state that it leads to.
    Object.assign(row, effect.set, { status: to as Dispute['status'] })
    if (from === null) insertDispute(db, row)
    else updateDispute(db, row.seq, row)
  } else {
    // As above.
    Object.assign(row, effect.set, { status: to as Transaction['status'], updatedAtMs: atMs })
    if (from === null) insertTransaction(db, row)
    else updateTransaction(db, row.seq, row)
    recount(db, row, from)
  }
}
