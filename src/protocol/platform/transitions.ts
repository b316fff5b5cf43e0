/** Part 3 of the interface, row for row: the only source of what may follow what. No other file may change a status or a balance. */
import type { Basis } from './basis.js'
import type { EventName } from './events.js'
import type { LimitReturn } from './limits.js'

export const objectKinds = ['cashin', 'cashout', 'transfer', 'conversion', 'wallet', 'dispute'] as const
export type ObjectKind = (typeof objectKinds)[number]
/** What shares the table of transactions. */
export type TransactionType = Exclude<ObjectKind, 'wallet' | 'dispute'>

/** Of the object's account: `available`, `blocked`, `pending`. `peer` is another account's `available`. `rail` is the world outside, `fees` the platform's own. */
export const buckets = ['available', 'blocked', 'pending', 'peer', 'rail', 'fees'] as const
export type Bucket = (typeof buckets)[number]

/** From, to, and which of the amounts that the operation works out. */
export type Move = readonly [Bucket, Bucket, string]

export interface TransitionRow {
  object: ObjectKind
  /** null: the object comes into being. */
  from: string | null
  on: string
  to: string
  moves: readonly Move[]
  event?: EventName
  /** A second transition, of the object's cash-in, in the same unit of work. */
  next?: readonly [ObjectKind, string]
  /** What the step gives back to the limit of the day that the object counted to, as the setting `daily_limit_returns` allows. */
  returns?: LimitReturn
  basis: Basis
}

const refundMoves = [['available', 'rail', 'refund']] as const
const unblock = [['blocked', 'available', 'amount']] as const

// biome-ignore format: a table, a row a line
export const transitions = [
  { object: 'cashin', from: null, on: 'create', to: 'pending', moves: [], basis: 'spec' },
  { object: 'cashin', from: 'pending', on: 'pay', to: 'confirmed', moves: [['rail', 'available', 'amount'], ['available', 'fees', 'fee'], ['available', 'peer', 'split']], event: 'cashin.confirmed', basis: 'spec' },
  { object: 'cashin', from: null, on: 'deposit', to: 'confirmed', moves: [['rail', 'available', 'amount'], ['available', 'fees', 'fee']], event: 'cashin.confirmed', basis: 'spec' },
  { object: 'cashin', from: 'pending', on: 'expire', to: 'expired', moves: [], event: 'cashin.expired', returns: 'failed', basis: 'spec' },
  { object: 'cashin', from: 'confirmed', on: 'refund', to: 'refunded', moves: refundMoves, event: 'cashin.refunded', returns: 'refunded', basis: 'spec' },
  { object: 'cashin', from: 'confirmed', on: 'lose_dispute', to: 'refunded', moves: refundMoves, event: 'cashin.refunded', returns: 'refunded', basis: 'spec' },

  { object: 'cashout', from: null, on: 'create', to: 'pending', moves: [['available', 'pending', 'total']], basis: 'spec' },
  { object: 'cashout', from: 'pending', on: 'confirm', to: 'confirmed', moves: [['pending', 'rail', 'amount'], ['pending', 'fees', 'fee']], event: 'cashout.confirmed', basis: 'spec' },
  { object: 'cashout', from: 'pending', on: 'fail', to: 'failed', moves: [['pending', 'available', 'total']], event: 'cashout.failed', returns: 'failed', basis: 'spec' },
  { object: 'cashout', from: 'confirmed', on: 'refund', to: 'refunded', moves: [['rail', 'available', 'refund']], event: 'cashout.refunded', returns: 'refunded', basis: 'spec' },

  { object: 'transfer', from: null, on: 'create', to: 'confirmed', moves: [['available', 'peer', 'amount'], ['available', 'fees', 'fee']], event: 'transfer.confirmed', basis: 'spec' },
  { object: 'transfer', from: null, on: 'receive', to: 'confirmed', moves: [], event: 'transfer.confirmed', basis: 'spec' },

  { object: 'conversion', from: null, on: 'create', to: 'completed', moves: [['available', 'rail', 'net'], ['available', 'fees', 'fee'], ['rail', 'available', 'result']], event: 'conversion.confirmed', basis: 'spec' },
  { object: 'conversion', from: 'completed', on: 'refund', to: 'refunded', moves: [['available', 'rail', 'result'], ['rail', 'available', 'net']], event: 'conversion.refunded', returns: 'refunded', basis: 'spec' },

  { object: 'wallet', from: null, on: 'create', to: 'created', moves: [], event: 'wallet.created', basis: 'spec' },

  { object: 'dispute', from: null, on: 'open', to: 'open', moves: [['available', 'blocked', 'amount']], event: 'chargeback.opened', basis: 'spec' },
  { object: 'dispute', from: 'open', on: 'respond', to: 'responded', moves: [], event: 'chargeback.responded', basis: 'spec' },
  ...(['open', 'responded'] as const).flatMap((from) => [
    { object: 'dispute', from, on: 'confirm', to: 'confirmed', moves: unblock, event: 'chargeback.confirmed', next: ['cashin', 'lose_dispute'], basis: 'assumed' } as const,
    { object: 'dispute', from, on: 'win', to: 'won', moves: unblock, event: 'chargeback.won', basis: 'assumed' } as const,
    { object: 'dispute', from, on: 'lose', to: 'lost', moves: unblock, event: 'chargeback.lost', next: ['cashin', 'lose_dispute'], basis: 'assumed' } as const,
    { object: 'dispute', from, on: 'cancel', to: 'canceled', moves: unblock, event: 'chargeback.canceled', basis: 'assumed' } as const,
  ]),
] as const satisfies readonly TransitionRow[]

export type StatusOf<Kind extends ObjectKind> = Extract<(typeof transitions)[number], { object: Kind }>['to']

/** Every status that objects of these kinds can have. */
export function statusesOf<Kind extends ObjectKind>(...kinds: readonly Kind[]): StatusOf<Kind>[] {
  const rows = transitions.filter((row) => (kinds as readonly ObjectKind[]).includes(row.object))
  // A filter does not narrow by a value that is only known as a type.
  return [...new Set(rows.map((row) => row.to))] as StatusOf<Kind>[]
}

/** The state in which that step brings an object into being. */
export function firstStatus<Kind extends ObjectKind>(kind: Kind, on: string): StatusOf<Kind> {
  const row = transitions.find((one) => one.object === kind && one.from === null && one.on === on)
  if (row === undefined) throw new Error(`no ${kind} comes into being by ${on}`)
  // The row is of that kind, and so is its state.
  return row.to as StatusOf<Kind>
}

/** What happens to objects, as their history calls it. */
export const stepNames = [...new Set(transitions.map((row) => row.on))]
export type StepName = (typeof stepNames)[number]
