/** Repeats a logged call as its caller would: with a new token, and a new signature if the endpoint requires one. */
import { hmacHexOf } from '../../base/crypto.js'
import { listAccounts } from '../../core/auth/account.js'
import { type Credential, credentialsOf, findCredential, issueToken } from '../../core/auth/authenticate.js'
import type { Unit, Workspace } from '../../core/unit/unit.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { requestHeaders, responseHeaders, sandboxUserAgent } from '../../protocol/platform/headers.js'
import { newUuid } from '../../protocol/rails/pix-key.js'
import type { RequestEntry } from '../../store/schema.js'
import type { CallEnv } from '../host.js'
import { pathInWorkspace, type ResponseData } from '../messages.js'
import { handleCall } from './handle.js'

/** Headers of the logged call that are not repeated: they are new for each call, or belong to the connection. */
const excludedHeaders: readonly string[] = [
  'authorization',
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'origin',
  'user-agent',
  ...Object.values(requestHeaders)
    .filter((name) => name !== requestHeaders.scenario && name !== requestHeaders.error)
    .map((name) => name.toLowerCase()),
]

/** Repeats the call and returns the id of the new one. Throws 422 INVALID_VALUE if the log does not have the complete call. */
export async function replay(ws: Workspace, entry: RequestEntry, env: CallEnv): Promise<string> {
  const path = pathInWorkspace(ws.name, entry.path).split('?')[0]
  const name = endpointNames.find((one) => endpoints[one].method === entry.method && endpoints[one].path === path)
  if (name === undefined) throw cannotReplay(entry, 'is not a call of the platform API')
  const endpoint: Endpoint = endpoints[name]
  const body = entry.request_body ?? ''
  if (endpoint.input === 'multipart') throw cannotReplay(entry, 'had files, which are not stored')
  if (body.includes('***') || body.length >= maxLoggedBodyChars)
    throw cannotReplay(entry, 'is not stored completely: its body is truncated or masked')
  const headers = Object.entries(entry.request_headers).filter(
    ([header]) => !excludedHeaders.includes(header.toLowerCase()),
  )
  const call = { name, target: entry.path, body, headers: Object.fromEntries(headers) }
  const answer = await makeCall(ws, call, (unit) => callerOf(unit, entry.credential), env)
  return answer.headers[responseHeaders.requestId] ?? ''
}

interface CallOfSandbox {
  name: EndpointName
  /** The path, which names the workspace, and the query. */
  target: string
  body: string
  headers: Record<string, string>
}

/** Makes a call of the platform API inside the sandbox, with a new token and signature of the credential. */
export async function makeCall(
  ws: Workspace,
  { name, target, body, headers }: CallOfSandbox,
  credentialOf: (unit: Unit) => Credential,
  env: CallEnv,
): Promise<ResponseData> {
  const endpoint: Endpoint = endpoints[name]
  const fresh = await ws.unit((unit) => credentialHeaders(unit, endpoint, credentialOf(unit), body))
  // `Request` accepts no body for GET, and does not set the length.
  const hasBody = body !== '' && endpoint.method !== 'GET'
  const length = hasBody ? { 'Content-Length': String(utf8.encode(body).length) } : {}
  const request = new Request(`http://sandbox.invalid${target}`, {
    method: endpoint.method,
    headers: { ...headers, ...sandboxUserAgent, ...fresh, ...length },
    ...(hasBody ? { body } : {}),
  })
  return handleCall(ws, name, request, { ...env, rawTarget: target, disconnect: () => {}, isReplay: true })
}

/** The request log truncates a body to this length. */
const maxLoggedBodyChars = 8192
const utf8 = new TextEncoder()

const cannotReplay = ({ request_id }: RequestEntry, why: string) =>
  new ApiError(
    'INVALID_VALUE',
    { field: 'request_id', rule: why },
    `The call ${request_id} ${why}, so it cannot be repeated.`,
  )

/** The headers that authenticate a call: a new token, and a signature if the endpoint requires one. */
export function credentialHeaders(
  unit: Unit,
  { auth, hmac }: Endpoint,
  credential: Credential,
  body: string,
): Record<string, string> {
  if (auth === 'basic') {
    const bytes = utf8.encode(`${credential.clientId}:${credential.clientSecret}`)
    return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
  }
  const bearer = { Authorization: `Bearer ${issueToken(unit, credential).accessToken}` }
  if (hmac !== true) return bearer
  const timestamp = String(Math.floor(unit.wallMs / 1000))
  const nonce = newUuid(unit.ids.draw('nonce'))
  return {
    ...bearer,
    [requestHeaders.timestamp]: timestamp,
    [requestHeaders.nonce]: nonce,
    [requestHeaders.signature]: hmacHexOf(credential.signingKey, `${timestamp}.${nonce}.`, body),
  }
}

/** Returns the credential with this client id, or else the first active one; `other` skips those of the first account. */
export function callerOf({ db }: Unit, clientId: string | null, account?: 'other'): Credential {
  const known = clientId === null ? undefined : findCredential(db, clientId)
  const found =
    known ??
    listAccounts(db)
      .slice(account === 'other' ? 1 : 0)
      .flatMap(({ seq }) => credentialsOf(db, seq))
      .find(({ active }) => active)
  if (found === undefined) throw new ApiError('CREDENTIAL_INACTIVE')
  return found
}
