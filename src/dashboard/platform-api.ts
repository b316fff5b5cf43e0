/** Calls with this sandbox's address and an account's credentials: as requests of the page, and as shell commands. */
import { fieldsIn } from '../base/unknown.js'
import { readAnswer, sendRequest } from '../client/exchange.js'
import { fetchToken, TokenSession } from '../client/token-session.js'
import type { Credential } from '../client/types/control.js'
import { requestHeaders, tokenPath } from '../protocol/platform/headers.js'
import {
  callSteps,
  jsonHeader,
  lines,
  quoteForShell,
  type ShellCall,
  tokenCall,
  word,
} from '../protocol/platform/shell-calls.js'
import { adminToken, baseUrl } from './api.js'

export interface Endpoint {
  method: string
  path: string
  signed: boolean
}

/** Tokens by client_id. */
const sessions = new Map<string, TokenSession<string>>()

function sessionOf({ client_id, client_secret }: Credential): TokenSession<string> {
  const known = sessions.get(client_id)
  if (known !== undefined) return known
  const request = { url: `${baseUrl}${tokenPath}`, clientId: client_id, clientSecret: client_secret }
  const session = new TokenSession(async () => (await fetchToken(request)).access_token)
  sessions.set(client_id, session)
  return session
}

/** The sandbox compares the timestamp with real time, not with its own clock. */
async function signatureHeaders({ signing_key }: Credential, body: string): Promise<Record<string, string>> {
  const { hmacHex } = await import('./hmac.js')
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = newNonce()
  return {
    [requestHeaders.timestamp]: timestamp,
    [requestHeaders.nonce]: nonce,
    [requestHeaders.signature]: hmacHex(signing_key, `${timestamp}.${nonce}.${body}`),
  }
}

/** Generates a UUID v4. `crypto.randomUUID` exists only in secure contexts: https and localhost. */
function newNonce(): string {
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (text) => {
    const [random = 0] = crypto.getRandomValues(new Uint8Array(1))
    const digit = Number(text)
    return (digit ^ (random & (15 >> (digit / 4)))).toString(16)
  })
}

/** Resolves to the `data` of the response; throws `SandboxError` or `UnreachableError`. Sends `body` without changes. */
export const callEndpoint = (
  credential: Credential,
  { method, path, signed }: Endpoint,
  body: string,
): Promise<Record<string, unknown>> =>
  sessionOf(credential).call(async (token) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...(signed ? await signatureHeaders(credential, body) : {}),
    }
    const response = await sendRequest(`${baseUrl}${path}`, { method, headers, body, cache: 'no-store' })
    return fieldsIn(fieldsIn(await readAnswer(response)).data)
  })

export const keysOfCredential = ({ client_id, client_secret, signing_key }: Credential) => ({
  clientId: client_id,
  clientSecret: client_secret,
  signingKey: signing_key,
})

/** A call of the platform API, from the token to the answer. */
export const apiCurl = (credential: Credential, call: ShellCall): string =>
  callSteps(baseUrl, keysOfCredential(credential), call)

/** The call that fetches a token. */
export const tokenCurl = (credential: Credential): string => tokenCall(baseUrl, keysOfCredential(credential))

/** A call of the control API. */
export function controlCurl(method: string, path: string, body?: unknown): string {
  const token = adminToken === null ? [] : [`-H ${quoteForShell(`${requestHeaders.adminToken}: ${adminToken}`)}`]
  const sent = body === undefined ? [] : [jsonHeader, `-d ${quoteForShell(JSON.stringify(body))}`]
  return lines([
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${word(`${baseUrl}/_sandbox${path}`)}`,
    ...token,
    ...sent,
  ])
}
