/** What a run remembers between its steps, as it lies in the database. */

import type { StepStatus } from '../protocol/control/scenarios.js'
import type { ObjectKind } from '../protocol/platform/transitions.js'
import type { ParamValue } from '../protocol/scenario/params.js'
import type { StepName, Treatment } from '../protocol/scenario/steps.js'

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

/** What the last `create`, or the caught call, was answered with. */
export type RunAnswer = { status: number; code: string | null } | 'lost'

export interface RunState {
  params: Record<string, ParamValue>
  /** Index of the step at hand. */
  next: number
  /** Business moment until which the step at hand may wait; null: it has not begun. */
  untilMs: number | null
  /** The step at hand is an expectation: it is looked at again after every change. */
  expecting: boolean
  /** The kind of object that the run was given; `create` of that kind is skipped. */
  given: ObjectKind | null
  /** An action without an object takes the newest one that it is allowed on; not where a call was caught. */
  takesNewest: boolean
  /** The object of each kind that the run is about now. */
  subjects: Partial<Record<ObjectKind, ObjectRef>>
  /** The one that the last step was about. */
  current: ObjectRef | null
  /** Every object that the run touched: their events count. */
  objects: string[]
  /** What `as` named; null where the object was never made. */
  names: Record<string, ObjectRef | null>
  /** Faults that wait for the next `create`. */
  faults: {
    respond?: { status: number; code: string; message: string; details: Record<string, unknown> }
    latencyMs?: number
    disconnect?: 'before' | 'after'
  }
  treatment: Treatment | null
  answer: RunAnswer | null
  /** Postings and events after these came during the run. */
  fromPosting: number
  fromEvent: number
  /** Cash-outs that the run keeps from settling by themselves. */
  heldSettles: string[]
  settle: 'auto' | 'manual'
}
