/** The objects that a run knows: adding and naming them, and finding the one for a step. */

import { rowAt } from '../../base/keys.js'
import { type ActionName, actionTable } from '../../protocol/actions/actions.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { ObjectKind } from '../../protocol/platform/transitions.js'
import type { ObjectRef } from '../../store/run-state.js'
import { cancelJobs } from '../jobs/jobs.js'
import { findDispute, findTransaction, runningDispute } from '../operations/transactions.js'
import type { Unit } from '../unit/unit.js'
import { setDeliveryFaults } from '../webhooks/faults.js'
import { valueAt } from './conditions.js'
import { fieldsOf, findRef, relatedIds } from './objects.js'
import type { Run } from './runs.js'

/** Adds an object to the run and makes it the current one; steps refer to it by the name `as`. */
export function addRunObject(unit: Unit, run: Run, ref: ObjectRef, as?: string): void {
  const { state } = run
  state.currentObjects[ref.kind] = ref
  state.lastObject = ref
  run.subjectId ??= ref.id
  if (as !== undefined) state.names[as] = ref
  const charge = ref.kind === 'dispute' ? findDispute(unit.db, ref.id)?.transactionId : undefined
  if (charge !== undefined) state.currentObjects.cashin ??= { kind: 'cashin', id: charge }
  const ids = [...relatedIds(unit.db, ref), ...(charge === undefined ? [] : [charge])]
  for (const id of ids.filter((one) => !state.objects.includes(one))) {
    state.objects.push(id)
    if (state.deliveryFaults !== null) setDeliveryFaults(unit, id, state.deliveryFaults)
  }
  if (ref.kind === 'cashout') cancelSettling(unit, run, ref.id)
}

/** Cancels automatic settling, because the scenario decides the withdrawal. */
function cancelSettling(unit: Unit, run: Run, id: string): void {
  if (run.state.heldSettles.includes(id) || findTransaction(unit.db, id)?.status !== 'pending') return
  cancelJobs(unit, 'settle', id)
  run.state.heldSettles.push(id)
}

/** Returns the object id for an action: the step's, the run's own object of that kind, or undefined for the newest possible one. */
export function targetOf(unit: Unit, run: Run, name: ActionName, id: string | undefined): string | undefined {
  const kind: ObjectKind = actionTable[name].subject
  if (id !== undefined) return kind === 'dispute' ? (runningDispute(unit.db, id)?.id ?? id) : id
  const { currentObjects, takesNewest } = run.state
  const objectId = currentObjects[kind]?.id
  if (objectId !== undefined) return objectId
  const dispute =
    kind === 'dispute' && currentObjects.cashin !== undefined
      ? runningDispute(unit.db, currentObjects.cashin.id)
      : undefined
  if (dispute !== undefined) return dispute.id
  if (takesNewest && run.state.lastObject === null) return undefined
  throw new ApiError(
    'NOT_FOUND',
    { object: kind },
    { message: `The run has no ${kind} to which ${name} can be applied.` },
  )
}

/** Returns the value of `${name}` or `${name.field}` in this run; undefined for an unknown name. */
export function namedValue(unit: Unit, run: Run, reference: string): unknown {
  const { state } = run
  const [name = '', ...rest] = reference.split('.')
  const field = rest.join('.')
  if (name === 'run') return run.id
  const param = rowAt(state.params, name)
  if (param !== undefined) return param
  const ref = Object.hasOwn(state.names, name) ? state.names[name] : name === 'subject' ? state.lastObject : undefined
  if (ref === undefined) return undefined
  if (ref === null) throw new Error(`\${${reference}}: the object does not exist: it was not created`)
  if (field === '') return ref.id
  const subject = findRef(unit.db, ref)
  const fields = subject === undefined ? {} : fieldsOf(unit.db, subject)
  const value = valueAt(fields, field)
  if (value === undefined)
    throw new Error(
      `\${${reference}}: ${field} is not a field of the ${ref.kind}; use one of ${Object.keys(fields).join(', ')}`,
    )
  return value
}
