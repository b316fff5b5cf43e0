/**
 * The single entry point for calls into the core: authenticates, validates, intercepts and handles a call in one unit
 * of work, under chaos if it is active.
 */

import { sha256Hex } from '../../base/crypto.js'
import { isoUtc } from '../../base/iso.js'
import { setBounded } from '../../base/keys.js'
import { didYouMean, nearest } from '../../base/text.js'
import { type Endpoint, type EndpointName, endpoints, errorsOf } from '../../protocol/platform/endpoints.js'
import { ApiError, type ErrorCode, type ErrorRow, errorCatalogue } from '../../protocol/platform/errors.js'
import { requestHeaders } from '../../protocol/platform/headers.js'
import { legacyCurrency } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/values.js'
import { type CallFault, callFaults } from '../../protocol/settings/chaos.js'
import type { ObjectRef } from '../../store/columns.js'
import {
  admitTokenRequest,
  authenticateBasic,
  authenticateBearer,
  type Caller,
  type Credential,
  issueToken,
  requireRate,
} from '../auth/authenticate.js'
import { type SignatureHeaders, verifySignature } from '../auth/verify-signature.js'
import { type Fields, objectRefOf, prepareCall, validate } from '../endpoints/validate.js'
import type { UploadedFile } from '../operations/transactions.js'
import { interceptCall, type ScenarioCall } from '../scenarios/arms.js'
import { whenEventsSent } from '../scenarios/runs.js'
import { type CallResult, describeFaults, type Plan, planCall, startForCall } from '../scenarios/start.js'
import type { Unit, Workspace } from '../unit/unit.js'
import {
  type ActiveChaos,
  affects,
  type CallFaults,
  chaosState,
  type InjectedResponse,
  publishFaults,
  respondOf,
  seededShare,
  withDeliveryFaults,
} from '../webhooks/faults.js'

export interface Input {
  readonly fields: Fields
  readonly files: readonly UploadedFile[]
}

/** A call of the platform API, read and parsed; nothing changes it. */
export interface Call {
  readonly name: EndpointName
  readonly requestId: string
  readonly ip: string
  readonly authorization: string | undefined
  readonly signature: SignatureHeaders
  readonly scenario: string | null
  /** The code of the error that answers this call only. */
  readonly requestedError: string | null
  /** Whether the sandbox repeats a call of its request log. Chaos does not affect such calls. */
  readonly isReplay: boolean
  /** The exact bytes of the body, which the signature covers. */
  readonly bytes: Uint8Array
  /** Why the body was not read completely: 413, 503, or 400 if it was cut off. */
  readonly bodyError: ApiError | null
  /** The parsed body or query, or its error. The error is thrown later, in the documented order of checks. */
  readonly input: Input | ApiError
}

/** Facts about a handled call, for the request log and for the faults that take effect after the commit. */
export interface Trace {
  caller: { account: string; credential: string } | null
  /** The client that a token was issued to. */
  tokenClientId: string | null
  /** The credential whose signature was checked, and whether the signature was valid. */
  signer: { credential: Credential; verified: boolean } | null
  /** What a scenario or chaos did to the call. */
  effects: CallEffects | null
}

export const newTrace = (): Trace => ({ caller: null, tokenClientId: null, signer: null, effects: null })

/** The endpoint's `data`, the response that a scenario injects (null: no response), or the error that rejected the call. */
export type Outcome =
  | { status: number; data: Fields; atMs: number }
  | { respond: InjectedResponse | null }
  | { rejected: ApiError }

/**
 * Handles a call and fills `trace`. The unit may run more than once; each run starts with an empty trace. Checks run in
 * the order of checks in `docs/assumptions.md`.
 */
export function processCall(unit: Unit, call: Call, trace: Trace): Outcome {
  Object.assign(trace, newTrace())
  try {
    return endpoints[call.name].auth === 'basic'
      ? handleTokenCall(unit, call, trace)
      : handleBearerCall(unit, call, trace)
  } catch (error) {
    // Rate counts, lockouts and nonces survive a rejected call: only the attempt is rolled back, not the whole unit.
    if (!(error instanceof ApiError)) throw error
    trace.effects = null
    return { rejected: error }
  }
}

function handleTokenCall(unit: Unit, call: Call, trace: Trace): Outcome {
  admitTokenRequest(unit, call.ip)
  const credential = authenticateBasic(unit, call.authorization, call.ip)
  const { fields } = inputOf(call)
  validate(endpoints.token.request(), fields)
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

const noRequestedOutcome = { scenario: null, requestedError: null }

/** Runs `work`, unless the caller's headers, an armed scenario or chaos inject a response instead. */
function handle(unit: Unit, call: Call, trace: Trace, accountSeq: number, fields: Fields, work: () => Fields): Outcome {
  const endpoint: Endpoint = endpoints[call.name]
  const { scenario, requestedError } = unit.config.strict ? noRequestedOutcome : call
  const { outcome, effects } =
    scenario === null && requestedError !== null
      ? respondWithError(unit, endpoint, requestedError, work)
      : intercept(unit, { endpoint, accountSeq, header: scenario, fields }, work, call.isReplay)
  trace.effects = effects
  return 'data' in outcome ? { status: statusOf(unit, endpoint), data: outcome.data, atMs: unit.atMs } : outcome
}

/** Withdrawals use the setting `withdrawal_status`; other calls use the status of their endpoint. */
const statusOf = ({ config }: Unit, { operation, status }: Endpoint) =>
  operation === 'cashout' ? config.withdrawalStatus : status

function inputOf({ input }: Call): Input {
  if (input instanceof ApiError) throw input
  return input
}

/** Faults of a scenario or of chaos that take effect after the commit, with their description for the request log. */
export interface CallEffects {
  /** The scenario, the faults of chaos, or the error that the caller requested. */
  by: { scenario: string } | { chaos: CallFault[] } | { requested_error: ErrorCode }
  faults: string[]
  latencyMs: number
  disconnect: boolean
  /** The response waits until this run's first events have been sent. */
  afterEventsOf: string | null
}

/** The endpoint's `data`, or the response that a scenario injects (null: no response). */
type ResultOrInjected = { data: Fields } | { respond: InjectedResponse | null }

interface Intercepted {
  outcome: ResultOrInjected
  effects: CallEffects | null
}

/**
 * Applies an armed scenario to the call, or else chaos. Runs after authentication and validation, and before the
 * handler. A call that the handler rejects does not use up the armed scenario.
 */
function intercept(unit: Unit, call: ScenarioCall, work: () => Fields, isReplay: boolean): Intercepted {
  const match = interceptCall(unit, { ...call, fields: withImpliedFields(call) })
  if (match === null) return isReplay ? { outcome: { data: work() }, effects: null } : runUnderChaos(unit, call, work)
  const plan = planCall(unit, match, call.endpoint.operation)
  const { faults } = plan
  const outcome = runWithFaults(unit, faults, work)
  const run = startForCall(unit, plan, resultOf(unit, plan, call, outcome))
  const effects: CallEffects = {
    by: { scenario: match.scenario.name },
    faults: [
      ...match.notes,
      ...describeFaults(faults),
      ...(run === null ? ['repeated call: the run that the first call started continues'] : [`run: ${run.id}`]),
    ],
    latencyMs: faults.latencyMs,
    disconnect: faults.disconnect !== null,
    afterEventsOf: faults.deliveryFaults?.before_response === true && run !== null ? run.id : null,
  }
  return { outcome, effects }
}

/**
 * Answers with the error that the caller requested, and with its typical details (assumptions.md decision 46). The
 * call has passed authentication and validation; armed scenarios and chaos do not affect it.
 */
function respondWithError(unit: Unit, endpoint: Endpoint, requested: string, work: () => Fields): Intercepted {
  const supported = errorsOf(endpoint)
  const code = supported.find((one) => one === requested)
  if (code === undefined) {
    const rule = `must be an error code of ${endpoint.method} ${endpoint.path}`
    const guess = nearest(requested, supported)
    throw new ApiError(
      'INVALID_VALUE',
      { field: requestHeaders.error, rule, supported, ...(guess === null ? {} : { did_you_mean: guess }) },
      `${requestHeaders.error} ${rule}: use one of ${supported.join(', ')}${guess === null ? '.' : didYouMean(guess)}`,
    )
  }
  const { example }: ErrorRow = errorCatalogue[code]
  const respond = respondOf({ code, details: example })
  const faults: CallFaults = { respond, latencyMs: 0, disconnect: null, deliveryFaults: null }
  const outcome = runWithFaults(unit, faults, work)
  const applied = { faults: describeFaults(faults), latencyMs: 0, disconnect: false, afterEventsOf: null }
  return { outcome, effects: { by: { requested_error: code }, ...applied } }
}

function runUnderChaos(unit: Unit, call: ScenarioCall, work: () => Fields): Intercepted {
  const { active } = unit.memory.of(chaosState)
  const chaos = active === null ? null : chaosOfCall(unit, active, call)
  if (chaos === null) return { outcome: { data: work() }, effects: null }
  const { faults, injected } = chaos
  const { latencyMs, disconnect } = faults
  const outcome = runWithFaults(unit, faults, work)
  const applied = { faults: describeFaults(faults), latencyMs, disconnect: disconnect !== null, afterEventsOf: null }
  return { outcome, effects: { by: { chaos: injected }, ...applied } }
}

function runWithFaults(unit: Unit, faults: CallFaults, work: () => Fields): ResultOrInjected {
  if (faults.respond?.code === 'PROVIDER_ERROR') dryRun(unit, work)
  return faults.respond === null && faults.disconnect !== 'before'
    ? { data: withDeliveryFaults(unit, faults.deliveryFaults, work) }
    : { respond: faults.respond }
}

/** Adds the fields that a legacy withdrawal names differently or implies, so that conditions of scenarios on a withdrawal match it too. */
function withImpliedFields({ endpoint, fields }: ScenarioCall): Fields {
  if (endpoint.path !== endpoints.pixPayment.path) return fields
  const { key, keyType, name } = (fields.creditParty ?? {}) as Fields
  return { currency: legacyCurrency, key, key_type: keyType, name, ...fields }
}

/** Runs the handler and rolls it back. It throws for an invalid call, which must not get the simulated provider's error. */
function dryRun(unit: Unit, work: () => Fields): void {
  const rollBack = Symbol('roll back')
  try {
    unit.attempt(() => {
      work()
      throw rollBack
    })
  } catch (error) {
    if (error !== rollBack) throw error
  }
}

function resultOf(
  unit: Unit,
  plan: Plan,
  { accountSeq, endpoint }: ScenarioCall,
  outcome: ResultOrInjected,
): CallResult {
  const ref = 'data' in outcome ? refOfData(plan, outcome.data) : null
  if (plan.faults.disconnect !== null) return { ref, accountSeq, answer: 'lost' }
  if ('data' in outcome) return { ref, accountSeq, answer: { status: statusOf(unit, endpoint), code: null } }
  const { respond } = outcome
  return { ref, accountSeq, answer: { status: respond?.status ?? 0, code: respond?.code ?? null } }
}

function refOfData({ kind }: Plan, data: Fields): ObjectRef | null {
  if (kind === null) return null
  // A reply to a dispute returns its id as `infraction_id`. Every other kind is created by its own endpoint.
  return kind === 'dispute' ? { kind, id: String(data.infraction_id) } : objectRefOf(kind as Creatable, data)
}

/** Delays the response or drops the connection after the commit, as the scenario asks. */
export async function delayOrDisconnect(ws: Workspace, effects: CallEffects, disconnect: () => void): Promise<void> {
  if (effects.afterEventsOf !== null) await whenEventsSent(ws, effects.afterEventsOf)
  if (effects.latencyMs > 0) await new Promise<void>((resolve) => ws.callAfter(effects.latencyMs, resolve))
  if (effects.disconnect) disconnect()
}

/** The faults that happen to a call, by name and as they are carried out. */
interface ChaosOfCall {
  injected: CallFault[]
  faults: CallFaults
}

/** Returns the faults that chaos injects into this call; null if there are none. */
function chaosOfCall(unit: Unit, active: ActiveChaos, call: ScenarioCall): ChaosOfCall | null {
  const { identity, count } = identityOf(unit, call)
  const [first, ...more] = callFaults.filter((fault) => affects(active, fault, identity))
  if (first === undefined) return null
  // A call without a response cannot be slow.
  const isSlow = first !== 'reset' && (first === 'slow' || more.includes('slow'))
  const injected: CallFault[] = first !== 'slow' && isSlow ? [first, 'slow'] : [first]
  const { external_id: externalId } = call.fields
  publishFaults(unit, injected, identity, {
    target: `${call.endpoint.method} ${call.endpoint.path}`,
    external_id: typeof externalId === 'string' ? externalId : null,
    count,
  })
  return {
    injected,
    faults: {
      respond: first === 'error' ? errorFor(active, call, identity) : null,
      latencyMs: isSlow ? active.durationsMs.slow : 0,
      disconnect: first === 'reset' ? 'before' : first === 'dropped_response' ? 'after' : null,
      deliveryFaults: null,
    },
  }
}

const retryAfterSeconds = 1

/** One of the retryable errors that the endpoint has. */
function errorFor(active: ActiveChaos, { endpoint }: ScenarioCall, identity: string): InjectedResponse {
  const mayBeProvider = errorsOf(endpoint).includes('PROVIDER_ERROR')
  if (mayBeProvider && seededShare(active, 'code', identity) < 1 / 2) return respondOf({ code: 'PROVIDER_ERROR' })
  const message = 'The service is unavailable for a moment. Try again.'
  return respondOf({ code: 'SERVICE_UNAVAILABLE', message, details: { retry_after: retryAfterSeconds } })
}

/** Upper bound on counted calls. Beyond it the oldest is dropped, and its next repetition counts as a first attempt. */
const maxCountedCalls = 50_000

/** Identifies a call by its content and by how often it was made: a retry gets other faults than the first attempt. */
function identityOf(unit: Unit, { endpoint, accountSeq, fields }: ScenarioCall): { identity: string; count: number } {
  const { external_id: externalId } = fields
  const content = typeof externalId === 'string' ? externalId : fields
  const call = sha256Hex(JSON.stringify([accountSeq, endpoint.method, endpoint.path, content]))
  const { calls } = unit.memory.of(chaosState)
  const before = calls.get(call) ?? 0
  unit.undo(() => (before === 0 ? calls.delete(call) : calls.set(call, before)))
  setBounded(calls, call, before + 1, maxCountedCalls)
  return { identity: `${call} ${before + 1}`, count: before + 1 }
}
