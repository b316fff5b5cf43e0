/** The single entry point for calls into the core: authenticates, validates, intercepts and handles a call in one unit of work. */

import { isoUtc } from '../../base/iso.js'
import { type Endpoint, type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import type { CallFault } from '../../protocol/settings/chaos-faults.js'
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
import { type Fields, objectRefOf, prepareCall, validate } from '../endpoints/validate.js'
import { interceptCall, type Call as ScenarioCall } from '../scenarios/arms.js'
import { type CallResult, describeFaults, type Plan, planCall, startForCall } from '../scenarios/start.js'
import { whenEventsSent } from '../scenarios/when-events-sent.js'
import type { Unit } from '../unit/unit.js'
import type { Workspace } from '../unit/workspace.js'
import { chaosState } from '../webhooks/chaos.js'
import { type CallFaults, type InjectedResponse, withTreatment } from '../webhooks/faults.js'
import { chaosOfCall } from './chaos.js'

/** The parsed body or query of a call. */
export interface Input {
  readonly fields: Fields
  readonly files: readonly UploadedFile[]
}

/** A call of the platform API as the core sees it: already read and parsed, and never changed. */
export interface Call {
  readonly name: EndpointName
  readonly requestId: string
  /** Address of the client. */
  readonly ip: string
  readonly authorization: string | undefined
  readonly signature: SignatureHeaders
  /** The scenario that applies to this call only. */
  readonly scenario: string | null
  /** Whether the sandbox itself makes the call. Chaos does not affect such calls. */
  readonly isReplay: boolean
  /** The exact bytes of the body, which the signature covers. */
  readonly bytes: Uint8Array
  /** Why the body was not read completely: 413, 503, or 400 if it was cut off. */
  readonly bodyError: ApiError | null
  /** The parsed body or query, or its error. The error is thrown later, in the documented order of checks. */
  readonly input: Input | ApiError
}

/** Facts about a handled call, for the request log and for the scenario's faults after the commit. */
export interface Trace {
  caller: { account: string; credential: string } | null
  /** The client that a token was issued to. */
  tokenClientId: string | null
  /** The credential whose signature was checked, and whether the signature was valid. */
  signer: { credential: Credential; verified: boolean } | null
  /** What a scenario or chaos did to the call. */
  staged: ScenarioEffects | null
}

export const newTrace = (): Trace => ({ caller: null, tokenClientId: null, signer: null, staged: null })

/** The endpoint's `data`, the response that a scenario injects (null: no response), or the error that rejected the call. */
export type Outcome =
  | { status: number; data: Fields; atMs: number }
  | { respond: InjectedResponse | null }
  | { rejected: ApiError }

/** Handles a call and fills `trace`, again in each run of the unit. Checks run in the order of `docs/decisions.md`. */
export function enter(unit: Unit, call: Call, trace: Trace): Outcome {
  Object.assign(trace, newTrace())
  try {
    return endpoints[call.name].auth === 'basic'
      ? handleTokenCall(unit, call, trace)
      : handleBearerCall(unit, call, trace)
  } catch (error) {
    // Rate counts, lockouts and nonces survive a rejected call: only the attempt is rolled back, not the whole unit.
    if (!(error instanceof ApiError)) throw error
    trace.staged = null
    return { rejected: error }
  }
}

function handleTokenCall(unit: Unit, call: Call, trace: Trace): Outcome {
  admitTokenRequest(unit, call.ip)
  const credential = authenticateBasic(unit, call.authorization, call.ip)
  const { fields } = inputOf(call)
  validate(endpoints.token.request, fields)
  const issue = () => {
    const { accessToken, expiresInSeconds } = issueToken(unit, credential)
    trace.tokenClientId = credential.clientId
    const meta = { request_id: call.requestId, timestamp: isoUtc(unit.atMs) }
    return { access_token: accessToken, expires_in: expiresInSeconds, meta }
  }
  return unit.attempt(() => handle(unit, call, trace, credential.accountSeq, fields, issue))
}

function handleBearerCall(unit: Unit, call: Call, trace: Trace): Outcome {
  const endpoint: Endpoint = endpoints[call.name]
  const caller = authenticateBearer(unit, call.authorization)
  const { credential } = caller
  if (credential === null) throw new Error('a bearer token always belongs to a credential')
  trace.caller = { account: caller.account.username, credential: credential.clientId }
  if (endpoint.rate !== undefined) requireRate(unit, endpoint.rate, credential.seq)
  if (endpoint.hmac === true) {
    // The signature of a body that was not read cannot be checked.
    if (call.bodyError !== null) throw call.bodyError
    trace.signer = { credential, verified: false }
    verifySignature(unit, credential, call.signature, call.bytes)
    trace.signer.verified = true
  }
  return unit.attempt(() => prepareAndHandle(unit, call, trace, caller))
}

function prepareAndHandle(unit: Unit, call: Call, trace: Trace, caller: Caller): Outcome {
  if (call.name === 'token') throw new Error('the token endpoint does not accept a bearer token')
  const { fields, files } = inputOf(call)
  const work = prepareCall(unit, caller, call.name, fields, files)
  return handle(unit, call, trace, caller.account.seq, fields, work)
}

/** Runs `work`, unless an armed scenario or chaos injects a response instead. */
function handle(unit: Unit, call: Call, trace: Trace, accountSeq: number, fields: Fields, work: () => Fields): Outcome {
  const endpoint: Endpoint = endpoints[call.name]
  const asked = { endpoint, accountSeq, header: call.scenario, fields }
  const { outcome, staged } = intercept(unit, asked, work, call.isReplay)
  trace.staged = staged
  return 'data' in outcome ? { status: endpoint.status, data: outcome.data, atMs: unit.atMs } : outcome
}

function inputOf({ input }: Call): Input {
  if (input instanceof ApiError) throw input
  return input
}

/** Faults of a scenario or of chaos that take effect after the commit, with their description for the request log. */
export interface ScenarioEffects {
  /** The scenario, or the faults of chaos. */
  by: { scenario: string } | { chaos: CallFault[] }
  faults: string[]
  latencyMs: number
  disconnect: boolean
  /** The response waits until this run's first events have been sent. */
  afterEventsOf: string | null
}

/** The endpoint's `data`, or the response that a scenario injects (null: no response). */
export type HandlerResult = { data: Fields } | { respond: InjectedResponse | null }

interface Intercepted {
  outcome: HandlerResult
  staged: ScenarioEffects | null
}

/**
 * Applies an armed scenario to the call, or else chaos. Runs after authentication and validation, and before the
 * handler. A scenario does not count a call that the handler rejects.
 */
function intercept(unit: Unit, call: ScenarioCall, work: () => Fields, isReplay: boolean): Intercepted {
  const caught = interceptCall(unit, { ...call, fields: withImpliedFields(call) })
  if (caught === null) return isReplay ? { outcome: { data: work() }, staged: null } : underChaos(unit, call, work)
  const plan = planCall(unit, caught, call.endpoint.operation)
  const { faults } = plan
  const outcome = doUnder(unit, faults, work)
  const run = startForCall(unit, plan, resultOf(plan, call, outcome))
  const staged: ScenarioEffects = {
    by: { scenario: caught.scenario.name },
    faults: [
      ...caught.notes,
      ...describeFaults(faults),
      ...(run === null ? ['repeated call: the run that the first call started continues'] : [`run: ${run.id}`]),
    ],
    latencyMs: faults.latencyMs,
    disconnect: faults.disconnect !== null,
    afterEventsOf: faults.treatment?.before_response === true && run !== null ? run.id : null,
  }
  return { outcome, staged }
}

function underChaos(unit: Unit, call: ScenarioCall, work: () => Fields): Intercepted {
  const { active } = unit.memory.of(chaosState)
  const chaos = active === null ? null : chaosOfCall(unit, active, call)
  if (chaos === null) return { outcome: { data: work() }, staged: null }
  const { faults, struck } = chaos
  const { latencyMs, disconnect } = faults
  const outcome = doUnder(unit, faults, work)
  const done = { faults: describeFaults(faults), latencyMs, disconnect: disconnect !== null, afterEventsOf: null }
  return { outcome, staged: { by: { chaos: struck }, ...done } }
}

/** Runs `work`, unless a fault replaces it. */
function doUnder(unit: Unit, faults: CallFaults, work: () => Fields): HandlerResult {
  if (faults.respond?.code === 'PROVIDER_ERROR') dryRun(unit, work)
  return faults.respond === null && faults.disconnect !== 'before'
    ? { data: withTreatment(unit, faults.treatment, work) }
    : { respond: faults.respond }
}

/** Adds the fields that a legacy withdrawal names differently or implies, so that conditions on a cash-out match it too. */
function withImpliedFields({ endpoint, fields }: ScenarioCall): Fields {
  if (endpoint.path !== endpoints.pixPayment.path) return fields
  const { key, keyType, name } = (fields.creditParty ?? {}) as Fields
  return { currency: legacyCurrency, key, key_type: keyType, name, ...fields }
}

/** Runs the handler and rolls it back. It throws for an invalid call, which must not get the simulated provider's error. */
function dryRun(unit: Unit, work: () => Fields): void {
  const rollBack = Symbol('undone')
  try {
    unit.attempt(() => {
      work()
      throw rollBack
    })
  } catch (error) {
    if (error !== rollBack) throw error
  }
}

function resultOf(plan: Plan, { accountSeq, endpoint }: ScenarioCall, outcome: HandlerResult): CallResult {
  const ref = 'data' in outcome ? refOfData(plan, outcome.data) : null
  if (plan.faults.disconnect !== null) return { ref, accountSeq, answer: 'lost' }
  if ('data' in outcome) return { ref, accountSeq, answer: { status: endpoint.status, code: null } }
  const { respond } = outcome
  return { ref, accountSeq, answer: { status: respond?.status ?? 0, code: respond?.code ?? null } }
}

function refOfData({ kind }: Plan, data: Fields): ObjectRef | null {
  if (kind === null) return null
  // Every kind but a dispute is created by its own endpoint.
  return kind === 'dispute' ? { kind, id: String(data.infraction_id) } : objectRefOf(kind as Creatable, data)
}

/** Delays the response or drops the connection after the commit, as the scenario asks. */
export async function respond(ws: Workspace, staged: ScenarioEffects, disconnect: () => void): Promise<void> {
  if (staged.afterEventsOf !== null) await whenEventsSent(ws, staged.afterEventsOf)
  if (staged.latencyMs > 0) await new Promise<void>((resolve) => ws.alarm(staged.latencyMs, resolve))
  if (staged.disconnect) disconnect()
}
