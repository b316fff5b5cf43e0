/** Signs a request of the platform API (§5.2). */

import { hmacHexOf } from '../base/crypto.js'
import { fieldsIn } from '../base/unknown.js'
import { requestHeaders } from '../protocol/platform/headers.js'
import { UsageError } from './errors.js'

export interface SignRequestOptions {
  signingKey: string
  /** Exactly the text that will be sent. */
  body: string | Uint8Array
  /** Unix time in seconds (default: now). */
  timestamp?: number | string | undefined
  /** A UUID v4 (default: a new one). */
  nonce?: string | undefined
}

export interface SignatureHeaders {
  [requestHeaders.signature]: string
  [requestHeaders.timestamp]: string
  [requestHeaders.nonce]: string
}

/**
 * Returns the three headers of a signed route, for any HTTP client. A nonce is valid for one call. Throws `UsageError`
 * without a key or a body.
 */
export function signRequest(options: SignRequestOptions): SignatureHeaders & Record<string, string> {
  requireUsable(options)
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000))
  const nonce = options.nonce ?? crypto.randomUUID()
  return {
    [requestHeaders.signature]: hmacHexOf(options.signingKey, `${timestamp}.${nonce}.`, options.body),
    [requestHeaders.timestamp]: timestamp,
    [requestHeaders.nonce]: nonce,
  }
}

/** Untyped callers omit options, or pass a body that was already parsed. */
function requireUsable(options: unknown): void {
  const { signingKey, body } = fieldsIn(options)
  if (typeof signingKey !== 'string' || signingKey === '')
    throw new UsageError('signRequest requires signingKey: the signing_key of the credential, as a string')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new UsageError('signRequest requires body: the exact string or bytes that are sent, not an object')
}
