/** The seam between the API and the scenarios: a call that one of them takes, done, answered otherwise, late, or not at all. */

import { endpoints, statusOf } from '../../protocol/platform/endpoints.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import type { ObjectRef } from '../../store/run-state.js'
import { type Fields, refInAnswer } from '../endpoints/perform.js'
import { type Call, catchCall } from '../scenarios/arms.js'
import { type CallResult, describeFaults, type Plan, planCall, startCaught } from '../scenarios/start.js'
import { tellable } from '../scenarios/tellable.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { type Respond, withTreatment } from '../webhooks/faults.js'

/** What is still to happen once the unit is committed, and what the request log says. */
export interface Staged {
  scenario: string
  faults: string[]
  latencyMs: number
  disconnect: boolean
  /** The answer waits until this run's first events have been sent. */
  afterEventsOf: string | null
}

/** `data` of the endpoint, or what a scenario answers in its place; null where it never answers. */
export type Outcome = { data: Fields } | { respond: Respond | null }

/** Sits after authentication, signature and validation, before the handler. A call that the handler refuses counts as not caught. */
export function throughScenarios(
  unit: Unit,
  call: Call,
  work: () => Fields,
): { outcome: Outcome; staged: Staged | null } {
  const caught = catchCall(unit, { ...call, fields: withImplied(call) })
  if (caught === null) return { outcome: { data: work() }, staged: null }
  const plan = planCall(unit, caught, call.endpoint.operation)
  const { faults } = plan
  if (faults.respond?.code === 'PROVIDER_ERROR') rehearse(unit, work)
  const outcome: Outcome =
    faults.respond === null && faults.disconnect !== 'before'
      ? { data: withTreatment(unit, faults.treatment, work) }
      : { respond: faults.respond }
  const run = startCaught(unit, plan, resultOf(plan, call, outcome))
  const staged: Staged = {
    scenario: caught.scenario.name,
    faults: [
      ...caught.notes,
      ...describeFaults(faults),
      ...(run === null ? ['repeated call: the run that its first call started goes on'] : [`run: ${run.id}`]),
    ],
    latencyMs: faults.latencyMs,
    disconnect: faults.disconnect !== null,
    afterEventsOf: faults.treatment?.before_response === true && run !== null ? run.id : null,
  }
  return { outcome, staged }
}

/** A legacy withdrawal says some things in other words, or not at all; a condition on a cash-out means it too. */
function withImplied({ endpoint, fields }: Call): Fields {
  if (endpoint.path !== endpoints.pixPayment.path) return fields
  const { key, keyType, name } = (fields.creditParty ?? {}) as Fields
  return { currency: legacyCurrency, key, key_type: keyType, name, ...fields }
}

/** The provider is asked last: a call that is refused for a reason of its own never gets there. */
function rehearse(unit: Unit, work: () => Fields): void {
  const undone = Symbol('undone')
  try {
    unit.attempt(() => {
      work()
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
}

function resultOf(plan: Plan, { accountSeq, endpoint }: Call, outcome: Outcome): CallResult {
  const ref = 'data' in outcome ? refOfData(plan, outcome.data) : null
  if (plan.faults.disconnect !== null) return { ref, accountSeq, answer: 'lost' }
  if ('data' in outcome) return { ref, accountSeq, answer: { status: statusOf(endpoint), code: null } }
  const { respond } = outcome
  return { ref, accountSeq, answer: { status: respond?.status ?? 0, code: respond?.code ?? null } }
}

function refOfData({ kind }: Plan, data: Fields): ObjectRef | null {
  if (kind === null) return null
  // What is no dispute is made by its own endpoint.
  return kind === 'dispute' ? { kind, id: String(data.infraction_id) } : refInAnswer(kind as Creatable, data)
}

/** After the commit: holds the answer back, or has the connection dropped. */
export async function playOut(ws: Workspace, staged: Staged, disconnect: () => void): Promise<void> {
  if (staged.afterEventsOf !== null) await tellable(ws, staged.afterEventsOf)
  if (staged.latencyMs > 0) await new Promise<void>((resolve) => ws.alarm(staged.latencyMs, resolve))
  if (staged.disconnect) disconnect()
}
