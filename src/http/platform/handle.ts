/** A call of the platform API, from its first byte to its response: receive, process in the core, respond, record. */
import type { Hono } from 'hono'
import { isoUtc } from '../../base/iso.js'
import { nearestPath } from '../../base/text.js'
import { authenticateBearer, isIssued } from '../../core/auth/authenticate.js'
import type { SignedCall } from '../../core/auth/explain-signature.js'
import {
  type Call,
  type CallEffects,
  delayOrDisconnect,
  type Input,
  newTrace,
  type Outcome,
  processCall,
  type Trace,
} from '../../core/calls/process-call.js'
import { callCounts, keysOf, logCall, type RequestRecord, tokenUse } from '../../core/request-log/log.js'
import { type CheckedCall, warningsOf } from '../../core/request-log/warnings.js'
import type { Workspace } from '../../core/unit/unit.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { requestHeaders, responseHeaders } from '../../protocol/platform/headers.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import type { CallWarning } from '../../protocol/platform/warnings.js'
import { errorFormOf } from '../../protocol/settings/wire-format.js'
import type { RequestEntry } from '../../store/schema.js'
import type { AppEnv, CallEnv, DirectRoutes, Env } from '../host.js'
import {
  type CallHeaders,
  declaredBytes,
  errorResponse,
  type HttpRequest,
  injectedResponse,
  jsonObject,
  nothingReceived,
  ownToolOf,
  plainResponse,
  queryOf,
  type ReceivedBody,
  type ResponseData,
  receiveBody,
  successResponse,
  toResponse,
  withRequestId,
} from '../messages.js'
import { type MultipartForm, readForm } from './form.js'
import { maskBody, maskHeaders, maskTarget, maskText } from './mask.js'

// Adds each call of the platform API to the request log, with secrets masked. Bodies are formatted when the log is
// read.

interface CompletedCall {
  endpoint: Endpoint
  request: HttpRequest
  env: Env
  received: ReceivedBody
  response: ResponseData
  requestId: string
  trace: Trace
  startedMs: number
}

/**
 * Characters or bytes of a body that are stored. A longer body is parsed and masked before it is cut, because half of it could
 * not be parsed.
 */
const maxStoredLength = 8192
/** Size of an entry without its texts. */
const entryBytes = 1200

function recordCall(ws: Workspace, call: CompletedCall): void {
  const { request, env, received, response, requestId, trace, startedMs } = call
  const path = env.rawTarget.includes('?') ? maskTarget(env.rawTarget) : env.rawTarget
  const signed = signedCall(ws, call)
  const isOwn = ownToolOf((name) => request.headers.get(name)) !== undefined
  const checkedCall = {
    endpoint: call.endpoint,
    path,
    headers: request.headers,
    hasTokenPerCall: !isOwn && countTokenUse(ws, trace),
  }
  const { requestBody, warnings } = storedRequest(received, checkedCall)
  // The record must not keep the connection or whole bodies in memory, so it receives only these values.
  logCall(
    ws,
    recordOf(
      {
        id: requestId,
        atMs: ws.clock.now(),
        method: request.method,
        path,
        status: response.status,
        errorCode: response.errorCode,
        durationMs: ws.clock.wall() - startedMs,
        caller: trace.caller,
        requestBody,
        warnings,
        responseBody: { text: firstChars(response.body), isCut: response.body.length > maxStoredLength },
        requestHeaders: request.headers,
        responseHeaderValues: response.headers,
        effects: trace.effects === null ? null : { ...trace.effects.by, faults: trace.effects.faults },
      },
      signed,
    ),
  )
  ws.bus.publish({
    type: 'request',
    id: requestId,
    method: request.method,
    path,
    code: response.status,
    ...(response.errorCode === null ? {} : { error_code: response.errorCode }),
    ...(trace.effects?.disconnect === true ? { dropped: true } : {}),
    ...(isOwn ? { own: true } : {}),
  })
}

interface StoredCall {
  id: string
  atMs: number
  method: string
  path: string
  status: number
  errorCode: string | null
  durationMs: number
  caller: Trace['caller']
  requestBody: StoredBody
  /** Computes the warnings when the entry is read. */
  warnings: (shownBody: string | null) => CallWarning[]
  responseBody: { text: string; isCut: boolean }
  requestHeaders: CallHeaders
  responseHeaderValues: Record<string, string>
  effects: Pick<RequestEntry, 'scenario' | 'chaos' | 'requested_error' | 'faults'> | null
}

interface StoredBody {
  text: string
  /** Whether the text is masked already. If not, it is masked when it is read. */
  isMasked: boolean
}

function recordOf(stored: StoredCall, signed: SignedCall | null): RequestRecord {
  const { id, path, requestBody, responseBody, effects } = stored
  const entry = (): RequestEntry => {
    const shownBody = shownRequest(requestBody, stored.requestHeaders)
    return {
      request_id: id,
      at: isoUtc(stored.atMs),
      method: stored.method,
      path,
      status: stored.status,
      error_code: stored.errorCode,
      duration_ms: stored.durationMs,
      credential: stored.caller?.credential ?? null,
      account: stored.caller?.account ?? null,
      // Some are computed where they are read: the search for equal payments reads every call of the log, but not these.
      get request_headers() {
        return maskHeaders(stored.requestHeaders)
      },
      request_body: shownBody,
      get response_headers() {
        const sent = { ...stored.responseHeaderValues, [responseHeaders.requestId]: id }
        return maskHeaders(Object.entries(sent))
      },
      response_body: shownResponse(responseBody),
      ...effects,
      get warnings() {
        return stored.warnings(shownBody)
      },
    }
  }
  const bytes = entryBytes + path.length + requestBody.text.length + responseBody.text.length
  return { id, bytes: signed === null ? bytes : bytes + signed.body.length + entryBytes, entry, signed: () => signed }
}

/** Returns null if no signature was checked. The explanation of a wrong signature needs the body, so all of it is stored. */
function signedCall(ws: Workspace, { request, env, received, response, trace }: CompletedCall): SignedCall | null {
  if (trace.signer === null) return null
  const { credential, verified } = trace.signer
  const { headers } = request
  return {
    refusal: verified ? null : response.errorCode,
    method: request.method,
    path: env.rawTarget,
    signature: headers.get(requestHeaders.signature),
    timestamp: headers.get(requestHeaders.timestamp),
    nonce: headers.get(requestHeaders.nonce),
    // Copied: a view would keep the whole buffer in memory.
    body: verified ? received.bytes.slice(0, maxStoredLength) : received.bytes.slice(),
    bodyRefused: received.error !== null,
    keys: keysOf(credential),
    wallMs: ws.clock.wall(),
  }
}

const utf8 = new TextDecoder()

/** A slice of a string references the whole string in memory; a copy does not. */
const firstChars = (text: string) =>
  text.length <= maxStoredLength ? text : utf8.decode(new TextEncoder().encode(text.slice(0, maxStoredLength)))

/** Most bodies are short and never read, so they are masked and checked for warnings only when they are read. */
function storedRequest(
  { bytes }: ReceivedBody,
  checkedCall: Omit<CheckedCall, 'body'>,
): Pick<StoredCall, 'requestBody' | 'warnings'> {
  const text = utf8.decode(bytes)
  if (bytes.length <= maxStoredLength)
    return { requestBody: { text, isMasked: false }, warnings: (shown) => warningsOf({ ...checkedCall, body: shown }) }
  const body = maskBody(text, checkedCall.headers.get('content-type'))
  // Copied, because strings taken from the body would keep all of it in memory.
  const warnings = structuredClone(warningsOf({ ...checkedCall, body }))
  return { requestBody: { text: firstChars(body), isMasked: true }, warnings: () => warnings }
}

/** Counts the token, and returns whether the client fetches one for every call. */
function countTokenUse({ memory, clock }: Workspace, { caller, tokenClientId }: Trace): boolean {
  const use = memory.of(tokenUse)
  if (caller !== null) use.countUse(caller.credential)
  return tokenClientId !== null && use.countToken(tokenClientId, clock.now())
}

function shownRequest({ text, isMasked }: StoredBody, headers: CallHeaders): string | null {
  if (isMasked) return text
  return text === '' ? null : maskBody(text, headers.get('content-type'))
}

/**
 * A truncated response cannot be parsed. A text search is enough: the sandbox wrote the response, and the only response
 * with a secret is too short to be truncated.
 */
function shownResponse({ text, isCut }: StoredCall['responseBody']): string {
  if (text === '') return ''
  return isCut ? maskText(text) : maskBody(text, null)
}

export function mountPlatform(routes: Hono<AppEnv>, direct: DirectRoutes): void {
  for (const name of endpointNames) {
    const { method, path, input }: Endpoint = endpoints[name]
    routes.on(method, path, async (c) => toResponse(await handleCall(c.env.ws, name, c.req.raw, c.env)))
    if (input !== 'multipart')
      direct.set(`${method} ${path}`, ({ ws, request, env }) => handleCall(ws, name, request, env))
  }
}

const paths = [...new Set(endpointNames.map((name) => endpoints[name].path))]
/** Longer than every path of the platform API. It bounds what an error repeats of a foreign path. */
const pathCharsShown = 200

/** The error for a path under `/v2` that the platform API does not have (assumptions.md decision 41). */
export function unknownPathError(path: string): ApiError {
  const shown = path.length > pathCharsShown ? `${path.slice(0, pathCharsShown).toWellFormed()}…` : path
  const nearest = nearestPath(path, paths)
  const message = `The platform API has no path ${shown}. The nearest path is ${nearest}.`
  return new ApiError('NOT_FOUND', { path: shown, nearest }, message)
}

export async function handleCall(
  ws: Workspace,
  name: EndpointName,
  request: HttpRequest,
  env: CallEnv,
): Promise<ResponseData> {
  const startedMs = ws.clock.wall()
  const requestId = ws.memory.ids.next('requests').id
  const trace = newTrace()
  let received = nothingReceived
  let response: ResponseData
  try {
    const incoming = await receiveCall(ws, name, requestId, request, env)
    const { call } = incoming
    received = incoming.received
    response = outcomeResponse(await ws.unit((unit) => processCall(unit, call, trace)), call, ws)
  } catch (error) {
    trace.effects = null
    response = errorResponse(error, errorFormOf(ws.config), ws.db)
  }
  if (trace.effects !== null) {
    response = withMark(response, trace.effects)
    await delayOrDisconnect(ws, trace.effects, env.disconnect)
  }
  ws.state.of(callCounts).count(name, response.status, response.errorCode, ws.clock.wall() - startedMs)
  recordCall(ws, { endpoint: endpoints[name], request, env, received, response, requestId, trace, startedMs })
  return withRequestId(response.status === 0 ? withPlaceholderStatus(response) : response, requestId)
}

function outcomeResponse(outcome: Outcome, { name, requestId }: Call, { config, wireFormat }: Workspace): ResponseData {
  if ('rejected' in outcome) return errorResponse(outcome.rejected, errorFormOf(config))
  if ('respond' in outcome) return injectedResponse(outcome.respond, errorFormOf(config))
  const { status, data: own, atMs } = outcome
  const data = wireFormat === null ? own : wireFormat.answer(name, own)
  return name === 'token' ? plainResponse(status, data) : successResponse(status, data, requestId, atMs)
}

/** Adds a header with the faults that chaos injected. */
const withMark = (response: ResponseData, { by }: CallEffects): ResponseData =>
  'chaos' in by
    ? { ...response, headers: { ...response.headers, [responseHeaders.chaos]: by.chaos.join(', ') } }
    : response

/** The connection is closed, but the runtime needs a status. */
const withPlaceholderStatus = (response: ResponseData): ResponseData => ({ ...response, status: 503 })

/**
 * Large bodies are read only after authentication. A large call with wrong Basic credentials is rejected later, where
 * it counts towards the lockout, and without its body.
 */
async function isWorthReading(ws: Workspace, name: EndpointName, request: HttpRequest): Promise<boolean> {
  if (request.method !== 'POST' || (declaredBytes(request) ?? Infinity) <= bodyLimits.beforeAuthBytes) return true
  const authorization = request.headers.get('authorization') ?? undefined
  if (endpoints[name].auth === 'basic') return authorization !== undefined && isIssued(ws.db, authorization)
  await ws.unit((unit) => void authenticateBearer(unit, authorization))
  return true
}

/** `received` is the body as the request log shows it. */
async function receiveCall(
  ws: Workspace,
  name: EndpointName,
  requestId: string,
  request: HttpRequest,
  env: CallEnv,
): Promise<{ call: Call; received: ReceivedBody }> {
  const { input: kind }: Endpoint = endpoints[name]
  const isRead = await isWorthReading(ws, name, request)
  const form = isRead && kind === 'multipart' ? await readForm(request, env.memoryShare) : null
  const received =
    form !== null ? describeForm(form) : isRead ? await receiveBody(request, env.memoryShare) : nothingReceived
  const header = (one: string) => request.headers.get(one) ?? undefined
  const call: Call = {
    name,
    requestId,
    ip: env.ip,
    authorization: header('authorization'),
    signature: {
      signature: header(requestHeaders.signature),
      timestamp: header(requestHeaders.timestamp),
      nonce: header(requestHeaders.nonce),
    },
    scenario: header(requestHeaders.scenario) ?? null,
    requestedError: header(requestHeaders.error) ?? null,
    isReplay: env.isReplay === true,
    bytes: received.bytes,
    bodyError: received.error,
    input: form ?? inputOf(kind, received, request),
  }
  return { call, received }
}

function inputOf(kind: Endpoint['input'], received: ReceivedBody, request: HttpRequest): Input | ApiError {
  try {
    if (kind === 'query') return { fields: queryOf(request), files: [] }
    return { fields: kind === 'json' ? jsonObject(received, request.headers) : {}, files: [] }
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** The request log shows the fields of a form and a summary of its files; their bytes are not stored. */
function describeForm(form: MultipartForm | ApiError): ReceivedBody {
  if (form instanceof ApiError) return nothingReceived
  const files = form.files.map(({ name, size, sha256 }) => ({ name, size, sha256 }))
  return { bytes: new TextEncoder().encode(JSON.stringify({ ...form.fields, 'files[]': files })), error: null }
}
