/** Writes each call of the faked API into the journal, secrets masked; all the work is left to whoever reads it. */

import { isoUtc } from '../../base/iso.js'
import type { SignedCall } from '../../core/auth/signature/doctor.js'
import type { Trace } from '../../core/calls/enter.js'
import { logCall, tokenUse } from '../../core/request-log/log.js'
import { keysOf, type RequestRecord } from '../../core/request-log/rows.js'
import { type LookedAt, warningsOf } from '../../core/request-log/warnings.js'
import type { Workspace } from '../../core/unit/workspace.js'
import type { Endpoint } from '../../protocol/platform/endpoints.js'
import { answerHeaders, callHeaders, ownAgent } from '../../protocol/platform/headers.js'
import type { CallWarning } from '../../protocol/platform/warnings.js'
import type { RequestEntry } from '../../store/schema.js'
import type { Answer, Received } from '../bodies.js'
import type { Env } from '../host.js'
import { maskedBody, maskedHeaders, maskedTarget, maskedText } from './mask.js'

interface Recorded {
  endpoint: Endpoint
  request: Request
  env: Env
  received: Received
  answer: Answer
  requestId: string
  trace: Trace
  startedMs: number
}

/** As much of a body as is kept; a longer one is read and masked before it is cut, as the half of one cannot be. */
const keptChars = 8192
/** What an entry takes beside its texts. */
const entryBytes = 1200

export function recordCall(ws: Workspace, call: Recorded): void {
  const { request, env, received, answer, requestId, trace, startedMs } = call
  const path = env.rawTarget.includes('?') ? maskedTarget(env.rawTarget) : env.rawTarget
  const signed = signedCall(ws, call)
  const asked = {
    endpoint: call.endpoint,
    path,
    headers: request.headers,
    hasTokenPerCall: hasTokenPerCall(ws, request, trace),
  }
  const { requestBody, warnings } = keptRequest(received, asked)
  // The record must not hold on to the connection, nor to whole bodies: so it gets these values and nothing else.
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
        answer: { text: beginningOf(answer.body), isCut: answer.body.length > keptChars },
        requestHeaders: request.headers,
        answerHeaders: answer.headers,
        staged: trace.staged === null ? null : { scenario: trace.staged.scenario, faults: trace.staged.faults },
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

interface Kept {
  id: string
  atMs: number
  method: string
  path: string
  status: number
  errorCode: string | null
  durationMs: number
  caller: Trace['caller']
  /** Bytes are still to be masked, text is shown as it is. */
  requestBody: Uint8Array | string
  /** A call is looked at when somebody reads its entry. */
  warnings: (shownBody: string | null) => CallWarning[]
  answer: { text: string; isCut: boolean }
  requestHeaders: Headers
  answerHeaders: Record<string, string>
  staged: Pick<RequestEntry, 'scenario' | 'faults'> | null
}

function recordOf(kept: Kept, signed: SignedCall | null): RequestRecord {
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
      request_headers: maskedHeaders(kept.requestHeaders),
      request_body: shownBody,
      response_headers: maskedHeaders(Object.entries({ ...kept.answerHeaders, [answerHeaders.requestId]: id })),
      response_body: shownAnswer(answer),
      ...staged,
      warnings: kept.warnings(shownBody),
    }
  }
  const bytes = entryBytes + path.length + requestBody.length + answer.text.length
  return { id, bytes: signed === null ? bytes : bytes + signed.body.length + entryBytes, entry, signed: () => signed }
}

/** null where no signature was looked at. A wrong one cannot be explained by a part of the body, so all of that is kept. */
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
    // A view of the bytes would keep all of them.
    body: verified && received.bytes.length > keptChars ? received.bytes.slice(0, keptChars) : received.bytes,
    bodyRefused: received.fault !== null,
    keys: keysOf(credential),
    wallMs: ws.clock.wall(),
  }
}

const utf8 = new TextDecoder()

/** A part of a text keeps the whole text in memory; a copy of it does not. */
const beginningOf = (text: string) =>
  text.length <= keptChars ? text : utf8.decode(new TextEncoder().encode(text.slice(0, keptChars)))

/** Most bodies are short, and nobody ever looks at them: those are masked, and looked at for warnings, when somebody does. */
function keptRequest({ bytes }: Received, asked: Omit<LookedAt, 'body'>): Pick<Kept, 'requestBody' | 'warnings'> {
  if (bytes.length <= keptChars) return { requestBody: bytes, warnings: (body) => warningsOf({ ...asked, body }) }
  const body = maskedBody(utf8.decode(bytes), asked.headers.get('content-type'))
  // A copy: parts of the body would keep all of it in memory.
  const warnings = structuredClone(warningsOf({ ...asked, body }))
  return { requestBody: beginningOf(body), warnings: () => warnings }
}

/** Counts what the call does to the tokens of its client; the command line is not the client. */
function hasTokenPerCall({ memory, clock }: Workspace, { headers }: Request, { caller, tokenFor }: Trace): boolean {
  if (headers.get('user-agent') === ownAgent['User-Agent']) return false
  const use = memory.of(tokenUse)
  if (caller !== null) use.used(caller.credential)
  return tokenFor !== null && use.issued(tokenFor, clock.now())
}

function shownRequest(kept: Uint8Array | string, headers: Headers): string | null {
  if (typeof kept === 'string') return kept
  return kept.length === 0 ? null : maskedBody(utf8.decode(kept), headers.get('content-type'))
}

/** What was cut cannot be read any more: but we wrote it, and the one answer with a secret in it is short. */
function shownAnswer({ text, isCut }: Kept['answer']): string {
  if (text === '') return ''
  return isCut ? maskedText(text) : maskedBody(text, null)
}
