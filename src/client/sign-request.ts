/** Signs a request of the faked API (§5.2). */
import { hmacHexOf } from '../base/crypto.js'

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
  'X-Signature': string
  'X-Timestamp': string
  'X-Nonce': string
}

/** The three headers of a signed route, for any HTTP client. A nonce is good for one call. */
export function signRequest(options: SignRequestOptions): SignatureHeaders & Record<string, string> {
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000))
  const nonce = options.nonce ?? crypto.randomUUID()
  return {
    'X-Signature': hmacHexOf(options.signingKey, `${timestamp}.${nonce}.`, options.body),
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
  }
}
