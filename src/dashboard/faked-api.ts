/** Calls of the faked API, as an integrator makes them: with a token, and signed where the endpoint wants it. */

import { SandboxError } from '../client/errors.js'
import { exchange, readAnswer } from '../client/exchange.js'
import type { Credential } from '../client/types/control.js'
import { baseUrl } from './api.js'
import { hmacHex } from './hmac.js'

export interface Endpoint {
  method: string
  path: string
  signed: boolean
}

/** By client_id. Asked for again once one is refused. */
const tokens = new Map<string, string>()

async function post(path: string, headers: Record<string, string>, body: string): Promise<unknown> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body } as const
  return readAnswer(await exchange(`${baseUrl}${path}`, { ...init, cache: 'no-store' }))
}

async function tokenOf({ client_id, client_secret }: Credential): Promise<string> {
  const known = tokens.get(client_id)
  if (known !== undefined) return known
  const basic = `Basic ${btoa(`${client_id}:${client_secret}`)}`
  const answer = await post('/v2/oauth/token', { Authorization: basic }, '{"grant_type":"client_credentials"}')
  // As part 5 of the interface has it.
  const { access_token } = answer as { access_token: string }
  tokens.set(client_id, access_token)
  return access_token
}

/** X-Timestamp is compared with real time, not with the sandbox's clock. */
function signatureHeaders({ signing_key }: Credential, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = newNonce()
  return {
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Signature': hmacHex(signing_key, `${timestamp}.${nonce}.${body}`),
  }
}

/** A UUID v4; `crypto.randomUUID` is there on https and on this machine only. */
function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte, at) => {
    const fixed = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte
    return fixed.toString(16).padStart(2, '0')
  })
  return [hex.slice(0, 4), hex.slice(4, 6), hex.slice(6, 8), hex.slice(8, 10), hex.slice(10)]
    .map((part) => part.join(''))
    .join('-')
}

/** Answers `data` of the envelope; throws as the client does. `body` goes out as it is. */
export async function callEndpoint(
  credential: Credential,
  endpoint: Endpoint,
  body: string,
): Promise<Record<string, unknown>> {
  for (let tries = 0; ; tries++) {
    const headers = {
      Authorization: `Bearer ${await tokenOf(credential)}`,
      ...(endpoint.signed ? signatureHeaders(credential, body) : {}),
    }
    try {
      // The envelope of every success.
      return ((await post(endpoint.path, headers, body)) as { data: Record<string, unknown> }).data
    } catch (error) {
      const isOld = error instanceof SandboxError && ['UNAUTHORIZED', 'TOKEN_EXPIRED'].includes(error.code)
      if (!isOld || tries > 0) throw error
      tokens.delete(credential.client_id)
    }
  }
}
