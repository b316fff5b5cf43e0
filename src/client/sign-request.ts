/** Signs a request of the faked API (§5.2). */

import { hmacHexOf } from '../base/crypto.js'
import { fieldsIn } from '../base/unknown.js'
import { callHeaders } from '../protocol/platform/headers.js'
import { UsageError } from './errors.js'

export interface SignRequestOptions {
  signingKey: string
  /** Exactly the text that is sent. */
  body: string | Uint8Array
  /** Unix time in seconds; now where absent. */
  timestamp?: number | string | undefined
  /** A UUID v4; a new one where absent. */
  nonce?: string | undefined
}

export interface SignatureHeaders {
  [callHeaders.signature]: string
  [callHeaders.timestamp]: string
  [callHeaders.nonce]: string
}

/** The three headers of a signed route, for any HTTP client. A nonce is good for one call. Throws `UsageError` without a key or a body. */
export function signRequest(options: SignRequestOptions): SignatureHeaders & Record<string, string> {
  requireUsable(options)
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000))
  const nonce = options.nonce ?? crypto.randomUUID()
  return {
    [callHeaders.signature]: hmacHexOf(options.signingKey, `${timestamp}.${nonce}.`, options.body),
    [callHeaders.timestamp]: timestamp,
    [callHeaders.nonce]: nonce,
  }
}

/** Callers without types leave things out, or hand over a body that was parsed. */
function requireUsable(options: unknown): void {
  const { signingKey, body } = fieldsIn(options)
  if (typeof signingKey !== 'string' || signingKey === '')
    throw new UsageError('signRequest needs signingKey: the signing_key of the credential, as text')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new UsageError('signRequest needs body: the exact text or bytes that are sent, not an object')
}
