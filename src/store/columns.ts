/**
 * What stands in columns: how values are stored, and the shapes of JSON: the fields of one type of transaction, the
 * state of a run.
 */
import { customType, integer } from 'drizzle-orm/sqlite-core'
import { bytesOf } from '../base/bytes.js'
import type { StepStatus } from '../protocol/control/scenarios.js'
import { ApiError } from '../protocol/platform/errors.js'
import type { CashoutFailure } from '../protocol/platform/failures.js'
import type { ObjectKind, TransactionType } from '../protocol/platform/transitions.js'
import type { PixKeyType } from '../protocol/rails/pix-key.js'
import type { PaymentInfo } from '../protocol/rails/rail.js'
import type { DeliveryFaults, StepName } from '../protocol/scenario/steps.js'
import type { ParamValue } from '../protocol/scenario/values.js'

/**
 * A lost disk sector can lie in the middle of a text, where SQLite does not notice. The read then fails with 503
 * SERVICE_UNAVAILABLE; other rows stay usable.
 */
export function storedJson<T>(text: string): T {
  return orDamaged(() => JSON.parse(text))
}

/** Decodes bytes that are stored as Base64. Throws 503 SERVICE_UNAVAILABLE if the text is damaged. */
export const storedBytes = (base64: string): Uint8Array => orDamaged(() => bytesOf(base64))

function orDamaged<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw damaged()
  }
}

const damaged = () =>
  new ApiError('SERVICE_UNAVAILABLE', { reason: 'the database is damaged: a stored value cannot be read' })

/** Minor units: a bigint in the program, an integer in the file. */
export const minor = customType<{ data: bigint; driverData: bigint | number }>({
  dataType: () => 'integer',
  toDriver: (value) => value,
  fromDriver: (value) => BigInt(value),
})

export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => storedJson<T>(value),
  })(name)

export const flag = (name: string) => integer(name, { mode: 'boolean' })
export const sequence = () => integer('seq').primaryKey()

export interface Payer {
  name: string | null
  document: string | null
  /** From the request; a payment does not report it. */
  email?: string | null
}

/** A part of the net amount: a share in percent, or a fixed amount. */
export type StoredSplit = { username: string; percentage: string } | { username: string; amountMinor: string }

interface RefundDetail {
  refundedMinor?: string
  reason?: string
}

export interface CashinDetail extends RefundDetail {
  /** On a charge; a deposit to a fixed wallet has none. */
  paymentInfo?: PaymentInfo
  payer?: Payer
  split?: StoredSplit[]
  /** The requested amount, which counts towards the daily limit, if a different amount was paid. */
  requestedMinor?: string
  /** The fixed wallet that received the deposit. */
  walletId?: number
  wallet?: string
  /** The rail's proof of payment: an end-to-end id, a tracking key or a hash. */
  proof?: string
}

interface CashoutDetail extends RefundDetail {
  /** PIX key, CLABE or crypto address. */
  wallet: string
  keyType: PixKeyType | null
  description: string | null
  /** As given in the request; later as the rail reports it. */
  receiver: { name: string | null; document: string | null; bank: string | null }
  proof?: string
  errorCode?: CashoutFailure
  errorMessage?: string
}

interface TransferDetail {
  direction: 'sent' | 'received'
  fromUser: string
  toUser: string
  description: string | null
}

interface ConversionDetail {
  amountToMinor: string
  rate: string
  reason?: string
}

interface Details {
  cashin: CashinDetail
  cashout: CashoutDetail
  transfer: TransferDetail
  conversion: ConversionDetail
}

export type DetailOf<Type extends TransactionType> = Details[Type]
export type TransactionDetail = Details[TransactionType]

export interface ObjectRef {
  kind: ObjectKind
  id: string
}

export interface StepResult {
  /** The key of the step: `cashout.fail`, `wait`, … */
  step: StepName
  status: StepStatus
  atMs: number | null
  detail: string | null
}

/** The response to the last `create`, or to the intercepted call; `lost` if the connection was closed before the response. */
export type RunAnswer = { status: number; code: string | null } | 'lost'

export interface RunState {
  params: Record<string, ParamValue>
  currentStep: number
  /** Business time until which the current step may wait; null if the step has not started. */
  untilMs: number | null
  /** The current step is an expectation: it is checked again after every change. */
  expecting: boolean
  /** The kind of object that the run was started with. A `create` step of this kind is skipped. */
  kind: ObjectKind | null
  /** Whether an action without an object uses the newest eligible one. False if the run began with an intercepted call. */
  takesNewest: boolean
  currentObjects: Partial<Record<ObjectKind, ObjectRef>>
  lastObject: ObjectRef | null
  /** Every object that the run touched; `expect` considers their events. */
  objects: string[]
  /** Objects named with `as`; null if the object was never created. */
  names: Record<string, ObjectRef | null>
  /** Faults that apply to the next `create`. */
  faults: {
    respond?: { status: number; code: string; message: string; details: Record<string, unknown> }
    latencyMs?: number
    disconnect?: 'before' | 'after'
  }
  deliveryFaults: DeliveryFaults | null
  answer: RunAnswer | null
  /** Transactions, postings and events with higher numbers belong to the run. */
  afterTransaction: number
  afterPosting: number
  afterEvent: number
  /** Withdrawals whose automatic settlement the run has suspended. */
  heldSettles: string[]
  settleAfterRun: 'auto' | 'manual'
}
