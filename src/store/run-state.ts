/** The state of a run between its steps, as it is stored in the database. */

import type { StepStatus } from '../protocol/control/scenarios.js'
import type { ObjectKind } from '../protocol/platform/transitions.js'
import type { DeliveryFaults, StepName } from '../protocol/scenario/steps.js'
import type { ParamValue } from '../protocol/scenario/values.js'

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
  /** Index of the current step. */
  currentStep: number
  /** Business time until which the current step may wait; null if the step has not started. */
  untilMs: number | null
  /** The current step is an expectation: it is checked again after every change. */
  expecting: boolean
  /** The kind of object that the run was started with. A `create` step of this kind is skipped. */
  kind: ObjectKind | null
  /** Whether an action without an object uses the newest eligible one. False if the run began with an intercepted call. */
  takesNewest: boolean
  /** The current object of each kind. */
  currentObjects: Partial<Record<ObjectKind, ObjectRef>>
  /** The object of the last step. */
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
  /** Postings and events with higher numbers belong to the run. */
  afterPosting: number
  afterEvent: number
  /** Withdrawals whose automatic settlement the run has suspended. */
  heldSettles: string[]
  settleAfterRun: 'auto' | 'manual'
}
