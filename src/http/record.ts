/** Writes each call of the faked API into the journal, secrets masked; all the work is left to whoever reads it. */

import { isoUtc } from '../base/iso.js'
import type { Credential } from '../core/access/caller.js'
import { examine, type SignedCall } from '../core/access/signature/doctor.js'
import type { Staged } from '../core/api/caught.js'
import type { RequestEntry, RequestRecord } from '../core/workspace/request-log.js'
import type { Workspace } from '../core/workspace/workspace.js'
import { callHeaders } from '../protocol/api/headers.js'
import type { Answer } from './answer.js'
import type { Env } from './host.js'
import type { Received } from './receive.js'

/** Who called, as far as it is known: for the request log. */
export interface Trace {
  caller: { account: string; credential: string } | null
  /** Whose signature was looked at, and whether it held. */
  signer: { credential: Credential; verified: boolean } | null
  /** What a scenario did to the call. */
  staged: Staged | null
}

interface Recorded {
  request: Request
  env: Env
  received: Received
  answer: Answer
  requestId: string
  trace: Trace
  startedMs: number
}

/** As much of a body as is kept. */
const keptChars = 8192
/** What an entry takes beside its texts. */
const entryBytes = 600

export function recordCall(ws: Workspace, call: Recorded): void {
  const { request, env, received, answer, requestId, trace, startedMs } = call
  // A view of the bytes would keep a whole upload alive.
  const kept = received.bytes.length > keptChars ? received.bytes.slice(0, keptChars) : received.bytes
  const signed = signedCall(ws, call, kept)
  // The record must not hold on to the connection, nor to whole bodies: so it gets these values and nothing else.
  ws.memory.requestLog.add(
    recordOf(
      {
        id: requestId,
        atMs: ws.clock.now(),
        method: request.method,
        path: env.rawTarget,
        status: answer.status,
        errorCode: answer.errorCode,
        durationMs: ws.clock.wall() - startedMs,
        caller: trace.caller,
        requestBody: kept,
        responseBody: answer.body.length > keptChars ? answer.body.slice(0, keptChars) : answer.body,
        staged: trace.staged === null ? null : { scenario: trace.staged.scenario, faults: trace.staged.faults },
      },
      signed,
    ),
  )
  ws.bus.publish({
    type: 'request',
    id: requestId,
    method: request.method,
    path: env.rawTarget,
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
  requestBody: Uint8Array
  responseBody: string
  staged: Pick<RequestEntry, 'scenario' | 'faults'> | null
}

function recordOf(kept: Kept, signed: SignedCall | null): RequestRecord {
  const { id, path, requestBody, responseBody, staged } = kept
  const entry = (): RequestEntry => ({
    request_id: id,
    at: isoUtc(kept.atMs),
    method: kept.method,
    path,
    status: kept.status,
    error_code: kept.errorCode,
    duration_ms: kept.durationMs,
    credential: kept.caller?.credential ?? null,
    account: kept.caller?.account ?? null,
    request_body: requestBody.length === 0 ? null : masked(new TextDecoder().decode(requestBody)),
    response_body: masked(responseBody),
    ...staged,
  })
  const bytes = entryBytes + path.length + requestBody.length + responseBody.length
  if (signed === null) return { id, bytes, entry }
  const signedBytes = signed.body === requestBody ? 0 : signed.body.length
  return { id, bytes: bytes + signedBytes + entryBytes, entry, signature: () => examine(signed) }
}

/** null where no signature was looked at. A wrong one cannot be explained by a part of the body, so all of that is kept. */
function signedCall(
  ws: Workspace,
  { request, env, received, answer, trace }: Recorded,
  keptBody: Uint8Array,
): SignedCall | null {
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
    body: verified ? keptBody : received.bytes,
    bodyRefused: received.fault !== null,
    keys: {
      signing_key: credential.signingKey,
      client_secret: credential.clientSecret,
      webhook_secret: credential.webhookSecret,
      client_id: credential.clientId,
    },
    wallMs: ws.clock.wall(),
  }
}

const secretFields = /("(?:access_token|client_secret|signing_key|webhook_secret)"\s*:\s*")[^"]*"/g

export function masked(text: string): string {
  return text.replace(secretFields, '$1***"')
}
