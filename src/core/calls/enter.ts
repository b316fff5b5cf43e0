/** The one entry of a call into the core: authenticate, validate, intercept, handle, all in one unit of work. */
import { isoUtc } from '../../base/iso.js'
import { type Endpoint, endpoints, statusOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import {
  admitTokenRequest,
  authenticateBasic,
  authenticateBearer,
  issueToken,
  requireRate,
  verifySignature,
} from '../auth/authenticate.js'
import type { Caller } from '../auth/caller.js'
import { type Fields, prepareCall } from '../endpoints/perform.js'
import { validate } from '../endpoints/validate.js'
import type { Unit } from '../unit/unit.js'
import type { Respond } from '../webhooks/faults.js'
import { type Call, type Input, newTrace, type Trace } from './call.js'
import { throughScenarios } from './intercept.js'

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
  return unit.attempt(() => perform(unit, call, trace, caller))
}

function perform(unit: Unit, call: Call, trace: Trace, caller: Caller): Outcome {
  if (call.name === 'token') throw new Error('the token endpoint takes no bearer token')
  const { fields, files } = inputOf(call)
  const work = prepareCall(unit, caller, call.name, fields, files)
  return handle(unit, call, trace, caller.account.seq, fields, work)
}

/** An armed scenario may take the call; otherwise `work` is done. */
function handle(unit: Unit, call: Call, trace: Trace, accountSeq: number, fields: Fields, work: () => Fields): Outcome {
  const endpoint: Endpoint = endpoints[call.name]
  const { outcome, staged } = throughScenarios(unit, { endpoint, accountSeq, header: call.scenario, fields }, work)
  trace.staged = staged
  return 'data' in outcome ? { status: statusOf(endpoint), data: outcome.data, atMs: unit.atMs } : outcome
}

function inputOf({ input }: Call): Input {
  if (input instanceof ApiError) throw input
  return input
}
