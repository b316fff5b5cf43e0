/** Makes a call out of a request: body, headers and query are read and parsed before the unit of work begins. */

import { authenticateBearer, isGivenOut } from '../../core/auth/authenticate.js'
import type { Call, Input } from '../../core/calls/call.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { type Endpoint, type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { callHeaders } from '../../protocol/platform/headers.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import type { CallEnv } from '../host.js'
import { queryOf } from '../query.js'
import { type Form, readForm } from './form.js'
import { declaredBytes, jsonObject, nothingReceived, type Received, receive } from './receive.js'

/** Large bodies are read only after authentication. Wrong Basic credentials are rejected where they count towards the lockout, without a body. */
async function isWorthReading(ws: Workspace, name: EndpointName, request: Request): Promise<boolean> {
  if (request.method !== 'POST' || (declaredBytes(request) ?? Infinity) <= bodyLimits.unaskedBytes) return true
  const authorization = request.headers.get('authorization') ?? undefined
  if (endpoints[name].auth === 'basic') return authorization !== undefined && isGivenOut(ws.db, authorization)
  await ws.unit((unit) => void authenticateBearer(unit, authorization))
  return true
}

/** `received` is what the request log shows of the body. */
export async function receiveCall(
  ws: Workspace,
  name: EndpointName,
  requestId: string,
  request: Request,
  env: CallEnv,
): Promise<{ call: Call; received: Received }> {
  const { input: kind }: Endpoint = endpoints[name]
  const isRead = await isWorthReading(ws, name, request)
  const form = isRead && kind === 'multipart' ? await readForm(request, env.held) : null
  const received = form !== null ? describeForm(form) : isRead ? await receive(request, env.held) : nothingReceived
  const header = (one: string) => request.headers.get(one) ?? undefined
  const call: Call = {
    name,
    requestId,
    ip: env.ip,
    authorization: header('authorization'),
    signature: {
      signature: header(callHeaders.signature),
      timestamp: header(callHeaders.timestamp),
      nonce: header(callHeaders.nonce),
    },
    scenario: header(callHeaders.scenario) ?? null,
    bytes: received.bytes,
    fault: received.fault,
    input: form ?? inputOf(kind, received, request),
  }
  return { call, received }
}

function inputOf(kind: Endpoint['input'], received: Received, request: Request): Input | ApiError {
  try {
    if (kind === 'query') return { fields: queryOf(request), files: [] }
    return { fields: kind === 'json' ? jsonObject(received, request.headers) : {}, files: [] }
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** The request log shows the fields of a form and a summary of its files: their bytes are not kept. */
function describeForm(form: Form | ApiError): Received {
  if (form instanceof ApiError) return nothingReceived
  const files = form.files.map(({ name, size, sha256 }) => ({ name, size, sha256 }))
  return { bytes: new TextEncoder().encode(JSON.stringify({ ...form.fields, 'files[]': files })), fault: null }
}
