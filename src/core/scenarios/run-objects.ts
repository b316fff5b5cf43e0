/** What a run knows of its objects: remembering them, naming them, and finding the one that a step is about. */

import type { ActionName } from '../../protocol/actions/actions.js'
import { actionTable } from '../../protocol/actions/actions.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { ObjectKind } from '../../protocol/platform/transitions.js'
import type { ObjectRef } from '../../store/run-state.js'
import { cancelJobs } from '../jobs/jobs.js'
import { findDispute, runningDispute } from '../operations/disputes.js'
import { findTransaction } from '../operations/transactions.js'
import type { Unit } from '../unit/unit.js'
import { setTreatment } from '../webhooks/faults.js'
import { valueAt } from './conditions.js'
import { fieldsOf, findRef, idsTouched } from './objects.js'
import type { Run } from './runs.js'

/** The run is about this object from here on; `as` is the name that steps know it by. */
export function remember(unit: Unit, run: Run, ref: ObjectRef, as?: string): void {
  const { state } = run
  state.subjects[ref.kind] = ref
  state.current = ref
  run.subjectId ??= ref.id
  if (as !== undefined) state.names[as] = ref
  const charge = ref.kind === 'dispute' ? findDispute(unit.db, ref.id)?.transactionId : undefined
  if (charge !== undefined) state.subjects.cashin ??= { kind: 'cashin', id: charge }
  const ids = [...idsTouched(unit.db, ref), ...(charge === undefined ? [] : [charge])]
  for (const id of ids.filter((one) => !state.objects.includes(one))) {
    state.objects.push(id)
    if (state.treatment !== null) setTreatment(unit, id, state.treatment)
  }
  if (ref.kind === 'cashout') holdSettle(unit, run, ref.id)
}

/** The scenario decides what becomes of the withdrawal, so it must not settle by itself meanwhile. */
function holdSettle(unit: Unit, run: Run, id: string): void {
  if (run.state.heldSettles.includes(id) || findTransaction(unit.db, id)?.status !== 'pending') return
  cancelJobs(unit, 'settle', id)
  run.state.heldSettles.push(id)
}

/** The id for an action: what the step says, the run's own object of that kind, or undefined for the newest possible. */
export function targetOf(unit: Unit, run: Run, name: ActionName, id: string | undefined): string | undefined {
  const kind: ObjectKind = actionTable[name].subject
  if (id !== undefined) return kind === 'dispute' ? (runningDispute(unit.db, id)?.id ?? id) : id
  const { subjects, takesNewest } = run.state
  const own = subjects[kind]?.id
  if (own !== undefined) return own
  const dispute =
    kind === 'dispute' && subjects.cashin !== undefined ? runningDispute(unit.db, subjects.cashin.id) : undefined
  if (dispute !== undefined) return dispute.id
  if (takesNewest && run.state.current === null) return undefined
  throw new ApiError(
    'NOT_FOUND',
    { object: kind },
    { message: `The run has no ${kind} that ${name} could be done to.` },
  )
}

/** What `${name}` and `${name.field}` stand for in this run; undefined where nobody bears the name. */
export function namedValue(unit: Unit, run: Run, reference: string): unknown {
  const { state } = run
  const [name = '', ...rest] = reference.split('.')
  const field = rest.join('.')
  if (name === 'run') return run.id
  if (Object.hasOwn(state.params, name)) return state.params[name]
  const ref = Object.hasOwn(state.names, name) ? state.names[name] : name === 'subject' ? state.current : undefined
  if (ref === undefined) return undefined
  if (ref === null) throw new Error(`\${${reference}}: there is no such object, because it was not made`)
  if (field === '') return ref.id
  const subject = findRef(unit.db, ref)
  const fields = subject === undefined ? {} : fieldsOf(unit.db, subject)
  const value = valueAt(fields, field)
  if (value === undefined) throw new Error(`\${${reference}}: the ${ref.kind} has ${Object.keys(fields).join(', ')}`)
  return value
}
