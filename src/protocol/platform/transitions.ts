/**
 * The table of interface.md §3, row for row: which transitions are allowed, what they move, and which event they send.
 * `core/operations/transition.ts` applies them, and nothing else writes a status. Also the kinds of scheduled jobs.
 */

import { keysOf } from '../../base/keys.js'
import type { Basis } from './emulated-interface.js'
import type { EntryType } from './entry-types.js'
import type { EventName } from './events.js'
import { type LimitReturn, operations } from './limits.js'

export const objectKinds = [...operations, 'wallet', 'dispute'] as const
export type ObjectKind = (typeof objectKinds)[number]
/** The kinds in the table of transactions. */
export type TransactionType = Exclude<ObjectKind, 'wallet' | 'dispute'>

/**
 * Buckets of the object's account: `available`, `blocked`, `pending`. `peer` is another account's `available`. `rail`
 * is the outside world, `fees` the platform's own account.
 */
export const buckets = ['available', 'blocked', 'pending', 'peer', 'rail', 'fees'] as const
type Bucket = (typeof buckets)[number]

/**
 * `amount` names one of the amounts that the operation computes. `entry` is the type of the posting in the statement: only
 * a move that changes `available` has one, and a move to a peer has `peerEntry` for the peer's statement.
 */
type Move = readonly [from: Bucket, to: Bucket, amount: string, entry?: EntryType, peerEntry?: EntryType]

export interface TransitionRow {
  object: ObjectKind
  /** null: the transition creates the object. */
  from: string | null
  /** The name of the transition, as the history shows it. */
  on: string
  to: string
  moves: readonly Move[]
  event?: EventName
  /** A second transition, of the object's charge, in the same unit of work. */
  next?: readonly [ObjectKind, string]
  /** Why the amount returns to the daily limit that it counted to. The setting `daily_limit_returns` decides whether it does. */
  returns?: LimitReturn
  basis: Basis
}

const unblock = [['blocked', 'available', 'amount', 'dispute_release']] as const

// biome-ignore format: a table, a row a line
export const transitions = [
  { object: 'cashin', from: null, on: 'create', to: 'pending', moves: [], basis: 'spec' },
  { object: 'cashin', from: 'pending', on: 'pay', to: 'confirmed', moves: [['rail', 'available', 'amount', 'charge'], ['available', 'fees', 'fee', 'charge_fee'], ['available', 'peer', 'split', 'split_sent', 'split_received']], event: 'cashin.confirmed', basis: 'spec' },
  { object: 'cashin', from: null, on: 'deposit', to: 'confirmed', moves: [['rail', 'available', 'amount', 'deposit'], ['available', 'fees', 'fee', 'deposit_fee']], event: 'cashin.confirmed', basis: 'spec' },
  { object: 'cashin', from: 'pending', on: 'expire', to: 'expired', moves: [], event: 'cashin.expired', returns: 'failed', basis: 'spec' },
  { object: 'cashin', from: 'confirmed', on: 'refund', to: 'refunded', moves: [['available', 'rail', 'refund', 'refund']], event: 'cashin.refunded', returns: 'refunded', basis: 'spec' },
  { object: 'cashin', from: 'confirmed', on: 'lose_dispute', to: 'refunded', moves: [['available', 'rail', 'refund', 'dispute_loss']], event: 'cashin.refunded', returns: 'refunded', basis: 'spec' },

  { object: 'cashout', from: null, on: 'create', to: 'pending', moves: [['available', 'pending', 'amount', 'withdrawal'], ['available', 'pending', 'fee', 'withdrawal_fee']], basis: 'spec' },
  { object: 'cashout', from: 'pending', on: 'confirm', to: 'confirmed', moves: [['pending', 'rail', 'amount'], ['pending', 'fees', 'fee']], event: 'cashout.confirmed', basis: 'spec' },
  { object: 'cashout', from: 'pending', on: 'fail', to: 'failed', moves: [['pending', 'available', 'amount', 'withdrawal_return'], ['pending', 'available', 'fee', 'withdrawal_fee_return']], event: 'cashout.failed', returns: 'failed', basis: 'spec' },
  { object: 'cashout', from: 'confirmed', on: 'refund', to: 'refunded', moves: [['rail', 'available', 'refund', 'withdrawal_return']], event: 'cashout.refunded', returns: 'refunded', basis: 'spec' },

  { object: 'transfer', from: null, on: 'create', to: 'confirmed', moves: [['available', 'peer', 'amount', 'transfer_sent', 'transfer_received'], ['available', 'fees', 'fee', 'transfer_fee']], event: 'transfer.confirmed', basis: 'spec' },
  { object: 'transfer', from: null, on: 'receive', to: 'confirmed', moves: [], event: 'transfer.confirmed', basis: 'spec' },

  { object: 'conversion', from: null, on: 'create', to: 'completed', moves: [['available', 'rail', 'net', 'conversion_sent'], ['available', 'fees', 'fee', 'conversion_fee'], ['rail', 'available', 'result', 'conversion_received']], event: 'conversion.confirmed', basis: 'spec' },
  { object: 'conversion', from: 'completed', on: 'refund', to: 'refunded', moves: [['available', 'rail', 'result', 'conversion_return'], ['rail', 'available', 'net', 'conversion_return']], event: 'conversion.refunded', returns: 'refunded', basis: 'spec' },

  { object: 'wallet', from: null, on: 'create', to: 'created', moves: [], event: 'wallet.created', basis: 'spec' },

  { object: 'dispute', from: null, on: 'open', to: 'open', moves: [['available', 'blocked', 'amount', 'dispute_block']], event: 'chargeback.opened', basis: 'spec' },
  { object: 'dispute', from: 'open', on: 'respond', to: 'responded', moves: [], event: 'chargeback.responded', basis: 'spec' },
  ...(['open', 'responded'] as const).flatMap((from) => [
    { object: 'dispute', from, on: 'confirm', to: 'confirmed', moves: unblock, event: 'chargeback.confirmed', next: ['cashin', 'lose_dispute'], basis: 'assumed' } as const,
    { object: 'dispute', from, on: 'win', to: 'won', moves: unblock, event: 'chargeback.won', basis: 'assumed' } as const,
    { object: 'dispute', from, on: 'lose', to: 'lost', moves: unblock, event: 'chargeback.lost', next: ['cashin', 'lose_dispute'], basis: 'assumed' } as const,
    { object: 'dispute', from, on: 'cancel', to: 'canceled', moves: unblock, event: 'chargeback.canceled', basis: 'assumed' } as const,
  ]),
] as const satisfies readonly TransitionRow[]

export type StatusOf<Kind extends ObjectKind> = Extract<(typeof transitions)[number], { object: Kind }>['to']

export function statusesOf<Kind extends ObjectKind>(...kinds: readonly Kind[]): StatusOf<Kind>[] {
  // Neither `includes` nor `filter` narrows by a type parameter.
  const rows = transitions.filter((row) => (kinds as readonly ObjectKind[]).includes(row.object))
  return [...new Set(rows.map((row) => row.to))] as StatusOf<Kind>[]
}

export const transitionNames = [...new Set(transitions.map((row) => row.on))]
export type TransitionName = (typeof transitionNames)[number]

export const jobTable = {
  expire: { one: 'charge expires', many: 'charges expire' },
  settle: { one: 'withdrawal settles', many: 'withdrawals settle' },
  deliver: { one: 'webhook is sent', many: 'webhooks are sent' },
  deadline: { one: 'dispute reaches its deadline', many: 'disputes reach their deadline' },
  scenario: { one: 'scenario continues', many: 'scenarios continue' },
} as const

export type JobKind = keyof typeof jobTable
export const jobKinds = keysOf(jobTable)
