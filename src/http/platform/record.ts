/** Adds each call of the platform API to the request log, with secrets masked. Bodies are formatted when the log is read. */

import { isoUtc } from '../../base/iso.js'
import type { SignedCall } from '../../core/auth/signature/doctor.js'
import type { Trace } from '../../core/calls/enter.js'
import { logCall, tokenUse } from '../../core/request-log/log.js'
import { keysOf, type RequestRecord } from '../../core/request-log/rows.js'
import { type CheckedCall, warningsOf } from '../../core/request-log/warnings.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { Endpoint } from '../../protocol/platform/endpoints.js'
import { answerHeaders, callHeaders, sandboxAgent } from '../../protocol/platform/headers.js'
import type { CallWarning } from '../../protocol/platform/warnings.js'
import type { RequestEntry } from '../../store/schema.js'
import type { ReceivedBody, ResponseData } from '../bodies.js'
import type { Env } from '../host.js'
import type { CallHeaders, HttpRequest } from '../http-request.js'
import { maskBody, maskHeaders, maskTarget, maskText } from './mask.js'

interface Recorded {
  endpoint: Endpoint
  request: HttpRequest
  env: Env
  received: ReceivedBody
  answer: ResponseData
  requestId: string
  trace: Trace
  startedMs: number
}

/**
 * Characters of a body that are stored. A longer body is parsed and masked before it is cut, because half of it could
 * not be parsed.
 */
const maxStoredChars = 8192
/** Size of an entry without its texts. */
const entryBytes = 1200

export function recordCall(ws: Workspace, call: Recorded): void {
  const { request, env, received, answer, requestId, trace, startedMs } = call
  const path = env.rawTarget.includes('?') ? maskTarget(env.rawTarget) : env.rawTarget
  const signed = signedCall(ws, call)
  const asked = {
    endpoint: call.endpoint,
    path,
    headers: request.headers,
    hasTokenPerCall: hasTokenPerCall(ws, request, trace),
  }
  const { requestBody, warnings } = storedRequest(received, asked)
  // The record must not keep the connection or whole bodies in memory, so it receives only these values.
  logCall(
    ws,
    recordOf(
      {
        id: requestId,
        atMs: ws.clock.now(),
        method: request.method,
        path,
        status: answer.status,
        errorCode: answer.errorCode,
        durationMs: ws.clock.wall() - startedMs,
        caller: trace.caller,
        requestBody,
        warnings,
        answer: { text: firstChars(answer.body), isCut: answer.body.length > maxStoredChars },
        requestHeaders: request.headers,
        answerHeaders: answer.headers,
        staged: trace.staged === null ? null : { ...trace.staged.by, faults: trace.staged.faults },
      },
      signed,
    ),
  )
  ws.bus.publish({
    type: 'request',
    id: requestId,
    method: request.method,
    path,
    code: answer.status,
    ...(answer.errorCode === null ? {} : { error_code: answer.errorCode }),
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
  answer: { text: string; isCut: boolean }
  requestHeaders: CallHeaders
  answerHeaders: Record<string, string>
  staged: Pick<RequestEntry, 'scenario' | 'chaos' | 'faults'> | null
}

interface StoredBody {
  text: string
  /** Otherwise it is masked when it is read. */
  isMasked: boolean
}

function recordOf(kept: StoredCall, signed: SignedCall | null): RequestRecord {
  const { id, path, requestBody, answer, staged } = kept
  const entry = (): RequestEntry => {
    const shownBody = shownRequest(requestBody, kept.requestHeaders)
    return {
      request_id: id,
      at: isoUtc(kept.atMs),
      method: kept.method,
      path,
      status: kept.status,
      error_code: kept.errorCode,
      duration_ms: kept.durationMs,
      credential: kept.caller?.credential ?? null,
      account: kept.caller?.account ?? null,
      request_headers: maskHeaders(kept.requestHeaders),
      request_body: shownBody,
      response_headers: maskHeaders(Object.entries({ ...kept.answerHeaders, [answerHeaders.requestId]: id })),
      response_body: shownAnswer(answer),
      ...staged,
      warnings: kept.warnings(shownBody),
    }
  }
  const bytes = entryBytes + path.length + requestBody.text.length + answer.text.length
  return { id, bytes: signed === null ? bytes : bytes + signed.body.length + entryBytes, entry, signed: () => signed }
}

/** Returns null if no signature was checked. The explanation of a wrong signature needs the body, so all of it is stored. */
function signedCall(ws: Workspace, { request, env, received, answer, trace }: Recorded): SignedCall | null {
  if (trace.signer === null) return null
  const { credential, verified } = trace.signer
  const { headers } = request
  return {
    refusal: verified ? null : answer.errorCode,
    method: request.method,
    path: env.rawTarget,
    signature: headers.get(callHeaders.signature),
    timestamp: headers.get(callHeaders.timestamp),
    nonce: headers.get(callHeaders.nonce),
    // Copied: a view would keep the whole buffer in memory.
    body: verified ? received.bytes.slice(0, maxStoredChars) : received.bytes.slice(),
    bodyRefused: received.error !== null,
    keys: keysOf(credential),
    wallMs: ws.clock.wall(),
  }
}

const utf8 = new TextDecoder()

/** A slice of a string references the whole string in memory; a copy does not. */
const firstChars = (text: string) =>
  text.length <= maxStoredChars ? text : utf8.decode(new TextEncoder().encode(text.slice(0, maxStoredChars)))

/** Most bodies are short and never read, so they are masked and checked for warnings only when they are read. */
function storedRequest(
  { bytes }: ReceivedBody,
  asked: Omit<CheckedCall, 'body'>,
): Pick<StoredCall, 'requestBody' | 'warnings'> {
  const text = utf8.decode(bytes)
  if (bytes.length <= maxStoredChars)
    return { requestBody: { text, isMasked: false }, warnings: (shown) => warningsOf({ ...asked, body: shown }) }
  const body = maskBody(text, asked.headers.get('content-type'))
  // Copied, because strings taken from the body would keep all of it in memory.
  const warnings = structuredClone(warningsOf({ ...asked, body }))
  return { requestBody: { text: firstChars(body), isMasked: true }, warnings: () => warnings }
}

/** Whether the client fetches a token for every call. Calls of the command line do not count. */
function hasTokenPerCall(
  { memory, clock }: Workspace,
  { headers }: HttpRequest,
  { caller, tokenClientId: tokenFor }: Trace,
): boolean {
  if (headers.get('user-agent') === sandboxAgent['User-Agent']) return false
  const use = memory.of(tokenUse)
  if (caller !== null) use.countUse(caller.credential)
  return tokenFor !== null && use.countToken(tokenFor, clock.now())
}

function shownRequest({ text, isMasked }: StoredBody, headers: CallHeaders): string | null {
  if (isMasked) return text
  return text === '' ? null : maskBody(text, headers.get('content-type'))
}

/**
 * A truncated response cannot be parsed. A text search is enough: the sandbox wrote the response, and the only response
 * with a secret is too short to be truncated.
 */
function shownAnswer({ text, isCut }: StoredCall['answer']): string {
  if (text === '') return ''
  return isCut ? maskText(text) : maskBody(text, null)
}
