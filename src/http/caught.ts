/** The seam between the API and the scenarios: a call that one of them takes, done, answered otherwise, late, or not at all. */

import { type Call, catchCall } from '../core/scenarios/arms.js'
import { refInAnswer } from '../core/scenarios/create.js'
import { type CallResult, describeFaults, type Plan, planCall, startCaught } from '../core/scenarios/start.js'
import { tellable } from '../core/scenarios/tellable.js'
import { respondBody, withTreatment } from '../core/webhooks/faults.js'
import type { Unit, Workspace } from '../core/workspace/workspace.js'
import { endpoints } from '../protocol/api/endpoints.js'
import type { Creatable } from '../protocol/scenario/steps.js'
import type { ObjectRef } from '../store/run-state.js'
import type { Answer } from './answer.js'
import type { Env } from './host.js'

/** What is still to happen once the unit is committed, and what the journal says. */
export interface Staged {
  scenario: string
  faults: string[]
  latencyMs: number
  disconnect: boolean
  /** The answer waits until this run's first events have been sent. */
  afterEventsOf: string | null
}

export interface Done {
  answer: Answer
  data: Record<string, unknown>
}

/** Sits after authentication, signature and validation, before the handler. A call that the handler refuses counts as not caught. */
export function throughScenarios(unit: Unit, call: Call, work: () => Done): { answer: Answer; staged: Staged | null } {
  const caught = catchCall(unit, { ...call, fields: withImplied(call) })
  if (caught === null) return { answer: work().answer, staged: null }
  const plan = planCall(unit, caught, call.endpoint.operation)
  const { faults } = plan
  if (faults.respond?.code === 'PROVIDER_ERROR') rehearse(unit, work)
  const done =
    faults.respond === null && faults.disconnect !== 'before' ? withTreatment(unit, faults.treatment, work) : null
  const answer = done?.answer ?? answerInstead(plan)
  const run = startCaught(unit, plan, resultOf(plan, call, done, answer))
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
  return { answer, staged }
}

/** A legacy withdrawal says some things in other words, or not at all; a condition on a cash-out means it too. */
function withImplied({ endpoint, fields }: Call): Record<string, unknown> {
  if (endpoint.path !== endpoints.pixPayment.path) return fields
  const { key, keyType, name } = (fields.creditParty ?? {}) as Record<string, unknown>
  return { currency: 'BRL', key, key_type: keyType, name, ...fields }
}

/** The provider is asked last: a call that is refused for a reason of its own never gets there. */
function rehearse(unit: Unit, work: () => Done): void {
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

function answerInstead({ faults }: Plan): Answer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  if (faults.respond === null) return { status: 0, headers, body: '', errorCode: null }
  return {
    status: faults.respond.status,
    headers,
    body: JSON.stringify(respondBody(faults.respond)),
    errorCode: faults.respond.code,
  }
}

function resultOf(plan: Plan, call: Call, done: Done | null, answer: Answer): CallResult {
  const lost = plan.faults.disconnect !== null
  return {
    ref: done === null ? null : refOfData(plan, done.data),
    accountSeq: call.accountSeq,
    answer: lost ? 'lost' : { status: answer.status, code: answer.errorCode },
  }
}

function refOfData({ kind }: Plan, data: Record<string, unknown>): ObjectRef | null {
  if (kind === null) return null
  return kind === 'dispute' ? { kind, id: String(data.infraction_id) } : refInAnswer(kind as Creatable, data)
}

/** After the commit: holds the answer back, or drops the connection. */
export async function playOut(ws: Workspace, staged: Staged, env: Env): Promise<void> {
  if (staged.afterEventsOf !== null) await tellable(ws, staged.afterEventsOf)
  if (staged.latencyMs > 0) await new Promise<void>((resolve) => ws.alarm(staged.latencyMs, resolve))
  if (staged.disconnect) env.disconnect()
}
