/** Turns the registry of endpoints into answers: every check in the order of decisions.md, then the handler, in one unit of work. */

import { isoUtc } from '../../base/iso.js'
import {
  admitTokenRequest,
  authenticateBasic,
  authenticateBearer,
  isGivenOut,
  issueToken,
  requireRate,
  verifySignature,
} from '../../core/auth/authenticate.js'
import type { Caller } from '../../core/auth/caller.js'
import { type Outcome, playOut, throughScenarios } from '../../core/calls/intercept.js'
import type { UploadedFile } from '../../core/endpoints/handler.js'
import { prepareCall } from '../../core/endpoints/perform.js'
import { validate } from '../../core/endpoints/validate.js'
import type { Unit } from '../../core/unit/unit.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { type Endpoint, type EndpointName, endpoints, statusOf } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { callHeaders } from '../../protocol/platform/headers.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import { type Answer, errorAnswer, insteadAnswer, plainAnswer, successAnswer } from '../answer.js'
import type { Held } from '../body-budget.js'
import type { CallEnv } from '../host.js'
import { queryOf } from '../query.js'
import { type Form, readForm } from './form.js'
import { declaredBytes, jsonObject, type Received, receive } from './receive.js'
import { recordCall, type Trace } from './record.js'

/** What is known of a call before its unit of work begins. */
interface Incoming extends Body {
  ws: Workspace
  name: EndpointName
  endpoint: Endpoint
  request: Request
  env: CallEnv
  requestId: string
}

export async function answerCall(
  ws: Workspace,
  name: EndpointName,
  request: Request,
  env: CallEnv,
): Promise<{ answer: Answer; requestId: string }> {
  const endpoint: Endpoint = endpoints[name]
  const startedMs = ws.clock.wall()
  const requestId = ws.memory.ids.next('requests').id
  let trace = untraced()
  let body: Body = nothing
  let answer: Answer
  try {
    if (await isWorthReading(ws, endpoint, request)) body = await readBody(endpoint, request, env.held)
    const incoming: Incoming = { ws, name, endpoint, request, env, ...body, requestId }
    answer = await ws.unit((unit) => {
      trace = untraced()
      return answerOrRefusal(unit, incoming, trace)
    })
  } catch (error) {
    trace.staged = null
    answer = errorAnswer(error)
  }
  if (trace.staged !== null) await playOut(ws, trace.staged, env.disconnect)
  recordCall(ws, { endpoint, request, env, received: body.received, answer, requestId, trace, startedMs })
  return { answer: answer.status === 0 ? neverSent(answer) : answer, requestId }
}

interface Body {
  received: Received
  /** Read beforehand, because reading is asynchronous; what is wrong with it is told in its turn. */
  form: Form | ApiError | null
}

const nothing: Body = { received: { bytes: new Uint8Array(0), fault: null }, form: null }

/** Large bodies are read only after authentication. Wrong Basic credentials are rejected where they count towards the lockout, without a body. */
async function isWorthReading(ws: Workspace, { auth }: Endpoint, request: Request): Promise<boolean> {
  if (request.method !== 'POST' || (declaredBytes(request) ?? Infinity) <= bodyLimits.unaskedBytes) return true
  const shown = authorizationOf(request)
  if (auth === 'basic') return shown !== undefined && isGivenOut(ws.db, shown)
  await ws.unit((unit) => void authenticateBearer(unit, shown))
  return true
}

async function readBody(endpoint: Endpoint, request: Request, held: Held): Promise<Body> {
  if (endpoint.input !== 'multipart') return { received: await receive(request, held), form: null }
  const form = await readForm(request, held)
  return { received: form instanceof ApiError ? nothing.received : inWords(form), form }
}

/** For the request log: what was in a form. Its bytes have passed by. */
const inWords = ({ fields, files }: Form): Received => {
  const described = files.map(({ name, size, sha256 }) => ({ name, size, sha256 }))
  return { bytes: new TextEncoder().encode(JSON.stringify({ ...fields, 'files[]': described })), fault: null }
}

const authorizationOf = (request: Request) => request.headers.get('authorization') ?? undefined

const untraced = (): Trace => ({ caller: null, tokenFor: null, signer: null, staged: null })

/** What came before the attempt (a rate counted, a lockout, a nonce) stands when the call is refused; so the refusal must not undo the whole unit. */
function answerOrRefusal(unit: Unit, incoming: Incoming, trace: Trace): Answer {
  try {
    return incoming.endpoint.auth === 'basic' ? answerToken(unit, incoming, trace) : answerBearer(unit, incoming, trace)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    trace.staged = null
    return errorAnswer(error)
  }
}

/** The connection is gone, but the runtime wants a status all the same. */
const neverSent = (answer: Answer): Answer => ({ ...answer, status: 503 })

function answerToken(unit: Unit, incoming: Incoming, trace: Trace): Answer {
  const { endpoint, request, env, received, requestId } = incoming
  admitTokenRequest(unit, env.ip)
  const credential = authenticateBasic(unit, authorizationOf(request), env.ip)
  const fields = jsonObject(received, request.headers)
  validate(endpoint.request, fields)
  const issue = () => {
    const { accessToken, expiresInSeconds } = issueToken(unit, credential)
    trace.tokenFor = credential.clientId
    const meta = { request_id: requestId, timestamp: isoUtc(unit.atMs) }
    return { access_token: accessToken, expires_in: expiresInSeconds, meta }
  }
  const outcome = unit.attempt(() => staged(unit, incoming, trace, credential.accountSeq, fields, issue))
  return 'data' in outcome ? plainAnswer(200, outcome.data) : insteadAnswer(outcome.respond)
}

interface Admitted {
  unit: Unit
  caller: Caller
}

function answerBearer(unit: Unit, incoming: Incoming, trace: Trace): Answer {
  const { endpoint, request, received } = incoming
  const caller = authenticateBearer(unit, authorizationOf(request))
  const credential = caller.credential
  if (credential === null) throw new Error('a bearer token always belongs to a credential')
  trace.caller = { account: caller.account.username, credential: credential.clientId }
  if (endpoint.rate !== undefined) requireRate(unit, endpoint.rate, credential.seq)
  const call: Admitted = { unit, caller }
  if (endpoint.hmac !== true) return unit.attempt(() => perform(call, incoming, trace))
  // A signature over what was refused unread cannot be checked.
  if (received.fault !== null) throw received.fault
  trace.signer = { credential, verified: false }
  const header = (name: string) => request.headers.get(name) ?? undefined
  verifySignature(
    unit,
    credential,
    {
      signature: header(callHeaders.signature),
      timestamp: header(callHeaders.timestamp),
      nonce: header(callHeaders.nonce),
    },
    received.bytes,
  )
  trace.signer.verified = true
  return unit.attempt(() => perform(call, incoming, trace))
}

function perform({ unit, caller }: Admitted, incoming: Incoming, trace: Trace): Answer {
  const { name, endpoint, requestId } = incoming
  if (name === 'token') throw new Error('a token is issued, not performed')
  const { input, files } = inputOf(incoming)
  const work = prepareCall(unit, caller, name, input, files)
  const outcome = staged(unit, incoming, trace, caller.account.seq, input, work)
  return 'data' in outcome
    ? successAnswer(statusOf(endpoint), outcome.data, requestId, unit.atMs)
    : insteadAnswer(outcome.respond)
}

/** Through the scenarios, one of which may take the call. */
function staged(
  unit: Unit,
  { endpoint, request }: Incoming,
  trace: Trace,
  accountSeq: number,
  fields: Record<string, unknown>,
  work: () => Record<string, unknown>,
): Outcome {
  const header = request.headers.get(callHeaders.scenario)
  const through = throughScenarios(unit, { endpoint, accountSeq, header, fields }, work)
  trace.staged = through.staged
  return through.outcome
}

function inputOf({ endpoint, request, received, form }: Incoming): {
  input: Record<string, unknown>
  files: UploadedFile[]
} {
  if (endpoint.input === 'json') return { input: jsonObject(received, request.headers), files: [] }
  if (endpoint.input === 'query') return { input: queryOf(request), files: [] }
  if (endpoint.input === 'none' || form === null) return { input: {}, files: [] }
  if (form instanceof ApiError) throw form
  return { input: form.fields, files: form.files }
}
