/** Turns the registry of endpoints into answers: every check in the order of decisions.md, then the handler, in one unit of work. */

import { isoUtc } from '../base/iso.js'
import {
  admitTokenRequest,
  authenticateBasic,
  authenticateBearer,
  issueToken,
  requireRate,
  verifySignature,
} from '../core/access/access.js'
import type { Credential } from '../core/access/account.js'
import { releaseNonce } from '../core/access/nonces.js'
import type { Unit, Workspace } from '../core/workspace/workspace.js'
import { type Endpoint, type EndpointName, endpoints } from '../protocol/api/endpoints.js'
import { ApiError } from '../protocol/api/errors.js'
import { type Answer, errorAnswer, plainAnswer, successAnswer } from './answer.js'
import { type Done, playOut, type Staged, throughScenarios } from './caught.js'
import type { Call, UploadedFile } from './handlers/context.js'
import { handlers } from './handlers/index.js'
import type { Env } from './host.js'
import { type Form, jsonObject, maxBytesOf, type Received, readForm, receive } from './receive.js'
import { recordCall } from './record.js'
import { validate } from './validate.js'

/** What is known of a call before its unit of work begins. */
interface Incoming {
  ws: Workspace
  name: EndpointName
  endpoint: Endpoint
  request: Request
  env: Env
  received: Received
  /** Read beforehand, because reading a form is asynchronous; what is wrong with it is told in its turn. */
  form: Form | ApiError | null
  requestId: string
}

/** Who called, as far as it is known: for the journal. */
export interface Trace {
  caller: { account: string; credential: string } | null
  /** Whose signature was looked at, and whether it held. */
  signer: { credential: Credential; verified: boolean } | null
  /** What a scenario did to the call. */
  staged: Staged | null
}

export async function answerCall(
  ws: Workspace,
  name: EndpointName,
  request: Request,
  env: Env,
): Promise<{ answer: Answer; requestId: string }> {
  const endpoint: Endpoint = endpoints[name]
  const startedMs = ws.clock.wall()
  const requestId = ws.ids.next('requests').id
  const received = await receive(request, maxBytesOf[endpoint.input])
  const form = endpoint.input === 'multipart' ? await readForm(received, request.headers.get('content-type')) : null
  const incoming: Incoming = { ws, name, endpoint, request, env, received, form, requestId }
  const trace: Trace = { caller: null, signer: null, staged: null }
  let answer: Answer
  try {
    answer = await ws.unit((unit) =>
      endpoint.auth === 'basic' ? answerToken(unit, incoming, trace) : answerBearer(unit, incoming, trace),
    )
  } catch (error) {
    trace.staged = null
    answer = errorAnswer(error)
  }
  if (trace.staged !== null) await playOut(ws, trace.staged, env)
  recordCall(ws, { request, env, received, answer, requestId, trace, startedMs })
  return { answer: answer.status === 0 ? neverSent(answer) : answer, requestId }
}

/** The connection is gone, but the runtime wants a status all the same. */
const neverSent = (answer: Answer): Answer => ({ ...answer, status: 503 })

function answerToken(unit: Unit, incoming: Incoming, trace: Trace): Answer {
  const { endpoint, request, env, received, requestId } = incoming
  admitTokenRequest(unit, env.ip)
  const credential = authenticateBasic(unit, request.headers.get('authorization') ?? undefined, env.ip)
  const fields = jsonObject(received, request.headers.get('content-type'))
  validate(endpoint.request, fields)
  return staged(unit, incoming, trace, credential.accountSeq, fields, () => {
    const { accessToken, expiresInSeconds } = issueToken(unit, credential)
    const meta = { request_id: requestId, timestamp: isoUtc(unit.ws.clock.wall()) }
    const data = { access_token: accessToken, expires_in: expiresInSeconds, meta }
    return { answer: plainAnswer(200, data), data }
  })
}

function answerBearer(unit: Unit, incoming: Incoming, trace: Trace): Answer {
  const { endpoint, request, received } = incoming
  const caller = authenticateBearer(unit, request.headers.get('authorization') ?? undefined)
  const credential = caller.credential
  if (credential === null) throw new Error('a bearer token always belongs to a credential')
  trace.caller = { account: caller.account.username, credential: credential.clientId }
  if (endpoint.rate !== undefined) requireRate(unit, endpoint.rate, credential.seq)
  const call: Call = { unit, caller: { ...caller, credential }, requestId: incoming.requestId, files: [] }
  if (endpoint.hmac !== true) return perform(call, incoming, trace)
  // A signature over what was refused unread cannot be checked.
  if (received.fault !== null) throw received.fault
  trace.signer = { credential, verified: false }
  const header = (name: string) => request.headers.get(name) ?? undefined
  verifySignature(
    unit,
    credential,
    { signature: header('x-signature'), timestamp: header('x-timestamp'), nonce: header('x-nonce') },
    received.bytes,
  )
  trace.signer.verified = true
  // The nonce stays used when the call then fails for reasons of its own, so the failure must not undo the whole unit.
  try {
    return unit.attempt(() => perform(call, incoming, trace))
  } catch (error) {
    if (error instanceof ApiError) return errorAnswer(error)
    releaseNonce(unit.db, credential.seq, header('x-nonce') ?? '', unit.ws.clock.wall())
    throw error
  }
}

type AnyHandler = (call: Call, request: Record<string, unknown>) => Record<string, unknown>

function perform(call: Call, incoming: Incoming, trace: Trace): Answer {
  const { name, endpoint } = incoming
  const { input, files } = inputOf(incoming)
  call.files = files
  const handler = handlers[name as keyof typeof handlers] as unknown as AnyHandler
  const request = validate(endpoint.request, input)
  return staged(call.unit, incoming, trace, call.caller.account.seq, input, () => {
    const data = handler(call, request)
    return { answer: successAnswer(endpoint.status ?? 200, data, incoming.requestId, call.unit.ws.clock.wall()), data }
  })
}

/** Through the scenarios, one of which may take the call. */
function staged(
  unit: Unit,
  { endpoint, request }: Incoming,
  trace: Trace,
  accountSeq: number,
  fields: Record<string, unknown>,
  work: () => Done,
): Answer {
  const header = request.headers.get('x-sandbox-scenario')
  const through = throughScenarios(unit, { endpoint, accountSeq, header, fields }, work)
  trace.staged = through.staged
  return through.answer
}

function inputOf({ endpoint, request, received, form }: Incoming): {
  input: Record<string, unknown>
  files: UploadedFile[]
} {
  if (endpoint.input === 'json') return { input: jsonObject(received, request.headers.get('content-type')), files: [] }
  if (endpoint.input === 'query') return { input: Object.fromEntries(new URL(request.url).searchParams), files: [] }
  if (endpoint.input === 'none' || form === null) return { input: {}, files: [] }
  if (form instanceof ApiError) throw form
  return { input: form.fields, files: form.files }
}
