/**
 * HTTP messages: the address of a request and whether it may reach the sandbox, its body within limits (interface.md
 * §2.1, §7), and the bodies of responses. Errors of a request body are thrown later, in the documented order of checks.
 */
import { chunksWithin, joinChunks } from '../base/bytes.js'
import { isoUtc } from '../base/iso.js'
import { JsonError, readJson } from '../base/json.js'
import { keysOf } from '../base/keys.js'
import { isJsonObject } from '../base/unknown.js'
import type { InjectedResponse } from '../core/webhooks/faults.js'
import { isInboxPath } from '../protocol/control/webhooks.js'
import { ApiError, type ErrorDetails, type ErrorForm, errorBody } from '../protocol/platform/errors.js'
import { type ownTools, ownUserAgents, requestHeaders, responseHeaders } from '../protocol/platform/headers.js'
import { bodyLimits } from '../protocol/platform/limits.js'
import { damagedDatabaseError } from '../store/damage.js'
import type { Db } from '../store/db.js'
import type { CallHeaders, Env, Host, HttpRequest, MemoryShare, ResponseData } from './host.js'

export type { CallHeaders, HttpRequest, ResponseData } from './host.js'

export interface ReceivedBody {
  /** The bytes exactly as received; empty if the body was rejected unread. A view: what outlives the call copies them. */
  bytes: Uint8Array
  /** 413, 503, or 400 (incomplete body): found while reading, but thrown later, in the documented order. */
  error: ApiError | null
}

/** A smaller body takes a few milliseconds; to start a thread for it takes more. */
export const isLargeBody = ({ length }: Uint8Array): boolean => length > 64 * 1024

const empty = new Uint8Array(0)
export const nothingReceived: ReceivedBody = { bytes: empty, error: null }

export const bodyTooLargeError = (maxBytes: number) => new ApiError('PAYLOAD_TOO_LARGE', { max_bytes: maxBytes })
export const incompleteBodyError = () =>
  new ApiError('INVALID_JSON', { reason: 'the connection closed before the body was complete' })
export const bodyBudgetError = () =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    { reason: 'too many large bodies at one time', retry_after: 1 },
    'Too many large bodies arrive at the same time. Send the request again in a moment.',
  )

/** Whatever else ends a body early is a broken connection. */
const bodyError = (error: unknown) => (error instanceof ApiError ? error : incompleteBodyError())

const unreadBody = (error: ApiError): ReceivedBody => ({ bytes: empty, error })

/** Returns null if the request does not declare a length. */
export function declaredBytes({ headers }: HttpRequest): number | null {
  const declared = headers.get('content-length')
  return declared === null ? null : Number(declared)
}

/** Reads the body and takes the memory that it needs from `memoryShare`. */
export async function receiveBody(
  request: HttpRequest,
  memoryShare: MemoryShare,
  maxBytes: number = bodyLimits.jsonBytes,
): Promise<ReceivedBody> {
  if (request.method === 'GET' || request.method === 'HEAD') return { bytes: empty, error: null }
  const declared = declaredBytes(request)
  if (declared !== null && declared > maxBytes) return unreadBody(bodyTooLargeError(maxBytes))
  try {
    if (declared === null || declared > bodyLimits.beforeAuthBytes)
      return await readStream(request, memoryShare, maxBytes)
    if (!memoryShare.take(declared)) return unreadBody(bodyBudgetError())
    return { bytes: (await request.wholeBody?.()) ?? new Uint8Array(await request.arrayBuffer()), error: null }
  } catch (error) {
    return unreadBody(bodyError(error))
  }
}

/** Takes memory from the budget as the bytes arrive, so that a merely declared length does not block other calls. */
async function readStream(request: HttpRequest, memoryShare: MemoryShare, maxBytes: number): Promise<ReceivedBody> {
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksWithin(request.body, maxBytes, () => bodyTooLargeError(maxBytes))) {
    if (!memoryShare.take(chunk.length)) throw bodyBudgetError()
    chunks.push(chunk)
  }
  return { bytes: joinChunks(chunks), error: null }
}

/**
 * Yields a body as it arrives, for bodies that are too large for memory. Throws 413 PAYLOAD_TOO_LARGE, and 400
 * INVALID_JSON if it is incomplete.
 */
export async function* readChunks(request: HttpRequest, maxBytes: number): AsyncGenerator<Uint8Array> {
  if ((declaredBytes(request) ?? 0) > maxBytes) throw bodyTooLargeError(maxBytes)
  try {
    yield* chunksWithin(request.body, maxBytes, () => bodyTooLargeError(maxBytes))
  } catch (error) {
    throw bodyError(error)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes a body; throws 400 INVALID_JSON if it is not UTF-8. */
export function bodyText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ApiError('INVALID_JSON', { reason: 'the body is not UTF-8' })
  }
}

/** Throws 415 UNSUPPORTED_CONTENT_TYPE unless the media type is in the list, UTF-8 and uncompressed (assumptions.md decision 35). */
export function requireContentType(headers: CallHeaders, accepted: readonly string[]): string {
  const header = headers.get('content-type')
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') throw new ApiError('UNSUPPORTED_CONTENT_TYPE', { content_encoding: encoding })
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.flatMap((parameter) => /^charset="?([^"]*)/.exec(parameter)?.[1] ?? [])[0]
  // The text of a CSV file shows its encoding.
  if (accepted.includes(type) && ([undefined, 'utf-8', 'utf8'].includes(charset) || type === 'text/csv')) return type
  throw new ApiError('UNSUPPORTED_CONTENT_TYPE', { received: header, accepted })
}

/** Parses a body as a JSON object; an empty body counts as `{}`. Throws 415 UNSUPPORTED_CONTENT_TYPE or 400 INVALID_JSON. */
export function jsonObject(received: ReceivedBody, headers: CallHeaders): Record<string, unknown> {
  if (received.error !== null) throw received.error
  if (received.bytes.length === 0) return {}
  requireContentType(headers, ['application/json'])
  let value: unknown
  try {
    value = readJson(bodyText(received.bytes))
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('INVALID_JSON', { reason: error.message })
    throw error
  }
  if (!isJsonObject(value)) throw new ApiError('INVALID_JSON', { reason: 'the body must be a JSON object' })
  return value
}

export function createBodyBudget(maxBytes: number): () => MemoryShare {
  let takenBytes = 0
  return () => {
    let shareBytes = 0
    return {
      take(bytes) {
        if (takenBytes + bytes > maxBytes) return false
        takenBytes += bytes
        shareBytes += bytes
        return true
      },
      release() {
        takenBytes -= shareBytes
        shareBytes = 0
      },
    }
  }
}

const json: Readonly<Record<string, string>> = { 'Content-Type': 'application/json; charset=utf-8' }

/** Builds `{success, data, request_id, timestamp}`. All times in a body are business time (assumptions.md decision 5). */
export function successResponse(status: number, data: unknown, requestId: string, atMs: number): ResponseData {
  return {
    status,
    headers: json,
    body: JSON.stringify({ success: true, data, request_id: requestId, timestamp: isoUtc(atMs) }),
    errorCode: null,
  }
}

/** Builds a response without an envelope, for the control API and the token endpoint. */
export function plainResponse(status: number, value: unknown): ResponseData {
  return { status, headers: json, body: JSON.stringify(value), errorCode: null }
}

/**
 * Builds an error response. Any error but an `ApiError` is a bug: 500 INTERNAL_ERROR, reported on standard error. Or a value in
 * the database of the workspace is damaged.
 */
export function errorResponse(error: unknown, form?: ErrorForm, db?: Db): ResponseData {
  const known = error instanceof ApiError ? error : ((db && damagedDatabaseError(db)) ?? new ApiError('INTERNAL_ERROR'))
  if (known.code === 'INTERNAL_ERROR') console.error('payments-sandbox: unexpected error', error)
  return {
    status: known.status,
    headers: { ...json, ...headersOf(known.details) },
    body: JSON.stringify(errorBody(known, form)),
    errorCode: known.code,
  }
}

/** Returns the headers that repeat details of the error. */
function headersOf({ retry_after: seconds, allow }: ErrorDetails): Record<string, string> {
  return {
    ...(typeof seconds === 'number' ? { [responseHeaders.retryAfter]: String(seconds) } : {}),
    ...(Array.isArray(allow) ? { [responseHeaders.allow]: allow.join(', ') } : {}),
  }
}

/** Builds the response that a scenario injects. With null the connection is closed without a response (status 0). */
export function injectedResponse(respond: InjectedResponse | null, form?: ErrorForm): ResponseData {
  if (respond === null) return { status: 0, headers: json, body: '', errorCode: null }
  const { status, code, details } = respond
  return {
    status,
    headers: { ...json, ...headersOf(details) },
    body: JSON.stringify(errorBody(respond, form)),
    errorCode: code,
  }
}

export const withRequestId = (answer: ResponseData, requestId: string): ResponseData => ({
  ...answer,
  headers: { [responseHeaders.requestId]: requestId, ...answer.headers },
})

/** Throws 422 INVALID_VALUE with `rule: repeated` if a parameter is given more than once. */
export function queryOf(request: Pick<Request, 'url'>): Record<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URL(request.url).searchParams) {
    if (query.has(name))
      throw new ApiError(
        'INVALID_VALUE',
        { field: name, rule: 'repeated' },
        `The query parameter ${name} is given more than once; give it once.`,
      )
    query.set(name, value)
  }
  return Object.fromEntries(query)
}

// The guard: rejects requests with a foreign `Host` or `Origin`, and calls of the control API without the admin token, if
// one is required. It runs before routing.

/**
 * Throws 403 FORBIDDEN_ORIGIN or 401 UNAUTHORIZED. `path` is the path that will be routed. The platform API is protected
 * by its bearer tokens. On loopback, however, its credentials are public knowledge, so a page that uses DNS rebinding
 * must not reach it either.
 */
export function guard(host: Host, request: HttpRequest, env: Env, path: string): void {
  const isPlatformApi = isPlatformPath(path)
  if (host.loopback) requireHosts(host, request, env.rawTarget)
  else if (isPlatformApi) return
  requireOwnOrigin(request)
  if (isPlatformApi || needsNoToken(request.method, path)) return
  requireAdmin(host, request)
}

export const isPlatformPath = (path: string) => path === '/v2' || path.startsWith('/v2/')

/** Throws 401 UNAUTHORIZED unless the caller is an admin. */
export function requireAdmin(host: Host, request: HttpRequest): void {
  if (isAdmin(host, request)) return
  const token = request.headers.get(requestHeaders.adminToken)
  throw new ApiError(
    'UNAUTHORIZED',
    { reason: token === null ? 'missing' : 'unknown', header: requestHeaders.adminToken },
    `This sandbox is shared: send its admin token as ${requestHeaders.adminToken}.`,
  )
}

/** Returns whether the caller has full access: it sends the admin token, or none is required. */
export const isAdmin = (host: Host, request: HttpRequest): boolean =>
  host.isAdmin(request.headers.get(requestHeaders.adminToken))

/**
 * The dashboard's files contain no data (the page sends the token to the control API). Payers have no token, webhooks
 * reach an inbox without one, and programs that wait for the sandbox to start have none yet.
 */
const needsNoToken = (method: string, path: string) =>
  path === '/' ||
  path.startsWith('/assets/') ||
  path === '/favicon.ico' ||
  (method === 'GET' && path.startsWith('/pay/')) ||
  (method === 'GET' && path === '/_sandbox/health') ||
  (method === 'POST' && isInboxPath(path))

/**
 * Which of the sandbox's own tools made a call, which then says nothing about the integrator's app. A browser sends the
 * origin of the page, and other origins are rejected.
 */
export const ownToolOf = (
  headerOf: (name: string) => string | null | undefined,
): (typeof ownTools)[number] | undefined =>
  headerOf('Origin')
    ? 'dashboard'
    : keysOf(ownUserAgents).find((name) => ownUserAgents[name] === headerOf('User-Agent'))

/** Returns whether the caller uses a host name of this sandbox. */
export function isOwnHost(host: Host, request: HttpRequest, rawTarget: string): boolean {
  if (!host.loopback) return true
  try {
    requireHosts(host, request, rawTarget)
    return true
  } catch {
    return false
  }
}

/** Checks the `Host` header, and the host of an absolute target. */
function requireHosts(host: Host, request: HttpRequest, rawTarget: string): void {
  requireHost(host, request.headers.get('host'))
  if (!rawTarget.startsWith('/')) requireHost(host, new URL(request.url).host)
}

export const loopbackHost = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

function requireHost(host: Host, header: string | null): void {
  const name = (header ?? '').toLowerCase()
  if (loopbackHost.test(name)) return
  if (
    host.allowHosts.some(
      (allowed) => name === allowed.toLowerCase() || name.replace(/:\d{1,5}$/, '') === allowed.toLowerCase(),
    )
  )
    return
  throw new ApiError(
    'FORBIDDEN_ORIGIN',
    { host: header },
    `The sandbox rejects requests for the host ${header ?? '(none)'}; to allow this host, start the sandbox with --allow-host.`,
  )
}

/** A browser sends the origin of the page that makes the call. Only pages of the sandbox itself are allowed. */
function requireOwnOrigin(request: HttpRequest): void {
  const origin = request.headers.get('origin')
  if (origin === null) return
  const hostHeader = request.headers.get('host')
  if (hostHeader !== null && (origin === `http://${hostHeader}` || origin === `https://${hostHeader}`)) return
  throw new ApiError('FORBIDDEN_ORIGIN', { origin }, `The sandbox rejects requests from pages of ${origin}.`)
}

/** Workspace and path of a request. The target is parsed only once, so that guard and router see the same path. */
export interface Address {
  workspace: string
  /** Path inside the workspace, without `.` and `..`. Percent-decoded except for `%2F` and `%25`, which would change it. */
  path: string
}

/** `/w/{name}/…` serves the same routes for another workspace; all other paths belong to `default`. */
export function addressOf(request: HttpRequest, rawTarget: string): Address {
  const path = pathOf(request, rawTarget)
  const match = path.startsWith('/w/') ? /^\/w\/([^/]+)(\/.*)?$/s.exec(path) : null
  return match === null ? { workspace: 'default', path } : { workspace: match[1] ?? '', path: match[2] ?? '/' }
}

/** A path of the workspace, without the `/w/{name}` in front of it. */
export function pathInWorkspace(workspace: string, path: string): string {
  const prefix = `/w/${workspace}`
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** Matches targets that URL parsing would change: escapes, dot segments, backslashes, absolute targets. */
const needsUrlParsing = /%|\/\.|[\\#]|^[^/]/

function pathOf(request: HttpRequest, rawTarget: string): string {
  const end = rawTarget.indexOf('?')
  const raw = end < 0 ? rawTarget : rawTarget.slice(0, end)
  return needsUrlParsing.test(raw) || raw === '' ? decoded(new URL(request.url).pathname) : raw
}

function decoded(path: string): string {
  try {
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return path
  }
}

// Responses: as `Response`, with their text for callers in the same process, or written while they are read.

const texts = new WeakMap<Response, string>()

export function toResponse({ status, headers, body }: ResponseData): Response {
  const response = new Response(body, { status, headers })
  texts.set(response, body)
  return response
}

/** The body of a response, for callers in this process: reading it as a stream is expensive. */
export const responseText = (response: Response): string | Promise<string> => texts.get(response) ?? response.text()

/** A body that is produced while it is read; a reader that leaves ends the work. */
export function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
