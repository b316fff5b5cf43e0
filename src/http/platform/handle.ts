/** A call of the platform API, from its first byte to its response: receive, process in the core, respond, record. */

import type { Hono } from 'hono'
import { nearestPath } from '../../base/nearest.js'
import { authenticateBearer, isIssued } from '../../core/auth/authenticate.js'
import type { Call, Input } from '../../core/calls/call.js'
import {
  type CallEffects,
  delayOrDisconnect,
  newTrace,
  type Outcome,
  processCall,
} from '../../core/calls/process-call.js'
import { callCounts } from '../../core/request-log/log.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { requestHeaders, responseHeaders } from '../../protocol/platform/headers.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import { errorFormOf } from '../../protocol/settings/wire-format.js'
import {
  declaredBytes,
  errorResponse,
  injectedResponse,
  jsonObject,
  nothingReceived,
  plainResponse,
  type ReceivedBody,
  type ResponseData,
  receiveBody,
  successResponse,
  withRequestId,
} from '../bodies.js'
import type { AppEnv, CallEnv } from '../host.js'
import type { HttpRequest } from '../http-request.js'
import { queryOf } from '../query.js'
import { toResponse } from '../responses.js'
import { type MultipartForm, readForm } from './form.js'
import { recordCall } from './record.js'

export function mountPlatform(routes: Hono<AppEnv>): void {
  for (const name of endpointNames) {
    const { method, path }: Endpoint = endpoints[name]
    routes.on(method, path, async (c) => toResponse(await handleCall(c.env.ws, name, c.req.raw, c.env)))
  }
}

const byAddress = new Map(endpointNames.map((name) => [`${endpoints[name].method} ${endpoints[name].path}`, name]))

/** Returns the endpoint of a path; undefined if there is none, or if it accepts files. */
export function plainEndpointAt(method: string, path: string): EndpointName | undefined {
  const name = byAddress.get(`${method} ${path}`)
  return name === undefined || endpoints[name].input === 'multipart' ? undefined : name
}

const paths = [...new Set(endpointNames.map((name) => endpoints[name].path))]
/** Longer than every path of the platform API. It bounds what an error repeats of a foreign path. */
const pathCharsShown = 200

/** The error for a path under `/v2` that the platform API does not have (decision 41). */
export function unknownPathError(path: string): ApiError {
  const shown = path.length > pathCharsShown ? `${path.slice(0, pathCharsShown).toWellFormed()}…` : path
  const nearest = nearestPath(path, paths)
  const message = `The platform API has no path ${shown}. The nearest path is ${nearest}.`
  return new ApiError('NOT_FOUND', { path: shown, nearest }, { message })
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
    response = errorResponse(error, errorFormOf(ws.config))
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
