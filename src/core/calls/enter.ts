/** The one entry of a call into the core: authenticate, validate, intercept, handle, all in one unit of work. */

import { isoUtc } from '../../base/iso.js'
import { type Endpoint, type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import type { ObjectRef } from '../../store/run-state.js'
import {
  admitTokenRequest,
  authenticateBasic,
  authenticateBearer,
  issueToken,
  requireRate,
  type SignatureHeaders,
  verifySignature,
} from '../auth/authenticate.js'
import type { Caller, Credential } from '../auth/caller.js'
import type { UploadedFile } from '../endpoints/handler.js'
import { type Fields, prepareCall, refInAnswer, validate } from '../endpoints/validate.js'
import { catchCall, type Call as ScenarioCall } from '../scenarios/arms.js'
import { type CallResult, describeFaults, type Plan, planCall, startCaught } from '../scenarios/start.js'
import { tellable } from '../scenarios/tellable.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { type Respond, withTreatment } from '../webhooks/faults.js'

/** The parsed body or query of a call. */
export interface Input {
  readonly fields: Fields
  readonly files: readonly UploadedFile[]
}

/** A call of the platform API as the core sees it: read and parsed beforehand, and never changed. */
export interface Call {
  readonly name: EndpointName
  readonly requestId: string
  /** Address of the client. */
  readonly ip: string
  readonly authorization: string | undefined
  readonly signature: SignatureHeaders
  /** The scenario that this call alone asks for. */
  readonly scenario: string | null
  /** The exact body; the signature covers it. */
  readonly bytes: Uint8Array
  /** Why the body was rejected unread (413, 503, or 400 if it broke off). */
  readonly fault: ApiError | null
  /** What the body or the query says, or what is wrong with it: reported in its place in the order of checks. */
  readonly input: Input | ApiError
}

/** What is known about a call once it was handled, for the request log and for what still has to happen to its answer. */
export interface Trace {
  caller: { account: string; credential: string } | null
  /** The client that a token was issued to. */
  tokenFor: string | null
  /** Whose signature was checked, and whether it was right. */
  signer: { credential: Credential; verified: boolean } | null
  /** What a scenario did to the call. */
  staged: Staged | null
}

export const newTrace = (): Trace => ({ caller: null, tokenFor: null, signer: null, staged: null })

/** `data` of the endpoint, what a scenario answers in its place (null: nothing), or why the call was rejected. */
export type Outcome =
  | { status: number; data: Fields; atMs: number }
  | { respond: Respond | null }
  | { rejected: ApiError }

/** `trace` is filled anew in each run of the unit. Checks run in the order of `docs/decisions.md`. */
export function enter(unit: Unit, call: Call, trace: Trace): Outcome {
  Object.assign(trace, newTrace())
  try {
    return endpoints[call.name].auth === 'basic' ? enterToken(unit, call, trace) : enterBearer(unit, call, trace)
  } catch (error) {
    // Rate counts, lockouts and nonces survive a rejected call: only the attempt is rolled back, not the whole unit.
    if (!(error instanceof ApiError)) throw error
    trace.staged = null
    return { rejected: error }
  }
}

function enterToken(unit: Unit, call: Call, trace: Trace): Outcome {
  admitTokenRequest(unit, call.ip)
  const credential = authenticateBasic(unit, call.authorization, call.ip)
  const { fields } = inputOf(call)
  validate(endpoints.token.request, fields)
  const issue = () => {
    const { accessToken, expiresInSeconds } = issueToken(unit, credential)
    trace.tokenFor = credential.clientId
    const meta = { request_id: call.requestId, timestamp: isoUtc(unit.atMs) }
    return { access_token: accessToken, expires_in: expiresInSeconds, meta }
  }
  return unit.attempt(() => handle(unit, call, trace, credential.accountSeq, fields, issue))
}

function enterBearer(unit: Unit, call: Call, trace: Trace): Outcome {
  const endpoint: Endpoint = endpoints[call.name]
  const caller = authenticateBearer(unit, call.authorization)
  const { credential } = caller
  if (credential === null) throw new Error('a bearer token always belongs to a credential')
  trace.caller = { account: caller.account.username, credential: credential.clientId }
  if (endpoint.rate !== undefined) requireRate(unit, endpoint.rate, credential.seq)
  if (endpoint.hmac === true) {
    // The signature of a body that was not read cannot be checked.
    if (call.fault !== null) throw call.fault
    trace.signer = { credential, verified: false }
    verifySignature(unit, credential, call.signature, call.bytes)
    trace.signer.verified = true
  }
  return unit.attempt(() => prepareAndHandle(unit, call, trace, caller))
}

function prepareAndHandle(unit: Unit, call: Call, trace: Trace, caller: Caller): Outcome {
  if (call.name === 'token') throw new Error('the token endpoint takes no bearer token')
  const { fields, files } = inputOf(call)
  const work = prepareCall(unit, caller, call.name, fields, files)
  return handle(unit, call, trace, caller.account.seq, fields, work)
}

/** An armed scenario may take the call; otherwise `work` is done. */
function handle(unit: Unit, call: Call, trace: Trace, accountSeq: number, fields: Fields, work: () => Fields): Outcome {
  const endpoint: Endpoint = endpoints[call.name]
  const { outcome, staged } = intercept(unit, { endpoint, accountSeq, header: call.scenario, fields }, work)
  trace.staged = staged
  return 'data' in outcome ? { status: endpoint.status, data: outcome.data, atMs: unit.atMs } : outcome
}

function inputOf({ input }: Call): Input {
  if (input instanceof ApiError) throw input
  return input
}

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
export type Handled = { data: Fields } | { respond: Respond | null }

/** Lets an armed scenario take the call, after authentication and validation and before the handler. A call that the handler rejects counts as not taken. */
export function intercept(
  unit: Unit,
  call: ScenarioCall,
  work: () => Fields,
): { outcome: Handled; staged: Staged | null } {
  const caught = catchCall(unit, { ...call, fields: withImplied(call) })
  if (caught === null) return { outcome: { data: work() }, staged: null }
  const plan = planCall(unit, caught, call.endpoint.operation)
  const { faults } = plan
  if (faults.respond?.code === 'PROVIDER_ERROR') rehearse(unit, work)
  const outcome: Handled =
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
function withImplied({ endpoint, fields }: ScenarioCall): Fields {
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

function resultOf(plan: Plan, { accountSeq, endpoint }: ScenarioCall, outcome: Handled): CallResult {
  const ref = 'data' in outcome ? refOfData(plan, outcome.data) : null
  if (plan.faults.disconnect !== null) return { ref, accountSeq, answer: 'lost' }
  if ('data' in outcome) return { ref, accountSeq, answer: { status: endpoint.status, code: null } }
  const { respond } = outcome
  return { ref, accountSeq, answer: { status: respond?.status ?? 0, code: respond?.code ?? null } }
}

function refOfData({ kind }: Plan, data: Fields): ObjectRef | null {
  if (kind === null) return null
  // What is no dispute is made by its own endpoint.
  return kind === 'dispute' ? { kind, id: String(data.infraction_id) } : refInAnswer(kind as Creatable, data)
}

/** After the commit: delays the answer, or drops the connection, as the scenario asks. */
export async function respond(ws: Workspace, staged: Staged, disconnect: () => void): Promise<void> {
  if (staged.afterEventsOf !== null) await tellable(ws, staged.afterEventsOf)
  if (staged.latencyMs > 0) await new Promise<void>((resolve) => ws.alarm(staged.latencyMs, resolve))
  if (staged.disconnect) disconnect()
}
