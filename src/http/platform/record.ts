/** Adds each call of the platform API to the request log, with secrets masked. Bodies are formatted when the log is read. */

import { isoUtc } from '../../base/iso.js'
import type { SignedCall } from '../../core/auth/signature/doctor.js'
import type { Trace } from '../../core/calls/process-call.js'
import { logCall, tokenUse } from '../../core/request-log/log.js'
import { keysOf, type RequestRecord } from '../../core/request-log/rows.js'
import { type CheckedCall, warningsOf } from '../../core/request-log/warnings.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { Endpoint } from '../../protocol/platform/endpoints.js'
import { cliUserAgent, requestHeaders, responseHeaders } from '../../protocol/platform/headers.js'
import type { CallWarning } from '../../protocol/platform/warnings.js'
import type { RequestEntry } from '../../store/schema.js'
import type { ReceivedBody, ResponseData } from '../bodies.js'
import type { Env } from '../host.js'
import type { CallHeaders, HttpRequest } from '../http-request.js'
import { maskBody, maskHeaders, maskTarget, maskText } from './mask.js'

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

export function recordCall(ws: Workspace, call: CompletedCall): void {
  const { request, env, received, response, requestId, trace, startedMs } = call
  const path = env.rawTarget.includes('?') ? maskTarget(env.rawTarget) : env.rawTarget
  const signed = signedCall(ws, call)
  const checkedCall = {
    endpoint: call.endpoint,
    path,
    headers: request.headers,
    hasTokenPerCall: countTokenUse(ws, request, trace),
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
      request_headers: maskHeaders(stored.requestHeaders),
      request_body: shownBody,
      response_headers: maskHeaders(
        Object.entries({ ...stored.responseHeaderValues, [responseHeaders.requestId]: id }),
      ),
      response_body: shownResponse(responseBody),
      ...effects,
      warnings: stored.warnings(shownBody),
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

/** Counts the token, and returns whether the client fetches one for every call. Calls of the command line do not count. */
function countTokenUse(
  { memory, clock }: Workspace,
  { headers }: HttpRequest,
  { caller, tokenClientId }: Trace,
): boolean {
  if (headers.get('user-agent') === cliUserAgent['User-Agent']) return false
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
