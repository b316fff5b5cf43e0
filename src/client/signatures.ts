/** Signs requests (interface.md §5.2), and verifies webhooks (§6.1): the signature first, in constant time, then the age. */

import { hmacHex, hmacHexOf, isHmacHex, sameHex } from '../base/crypto.js'
import { orElse } from '../base/text.js'
import { fieldsIn, isJsonObject } from '../base/unknown.js'
import { lowerCaseWebhookHeaders, requestHeaders } from '../protocol/platform/headers.js'
import { webhookToleranceSeconds } from '../protocol/platform/limits.js'
import { UsageError } from './errors.js'
import { type HeaderSource, headerOf } from './exchange.js'
import type { SandboxEvent } from './types/events.js'

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

export interface VerifyWebhookOptions {
  /** The credential's `webhook_secret`. */
  secret: string
  /** The raw body: text that was parsed and serialized again has another signature. */
  body: string | Uint8Array
  headers: HeaderSource
  /** Largest accepted distance of `X-Webhook-Timestamp` from now, in seconds (default: 300). */
  toleranceSeconds?: number | undefined
  /** Unix time in seconds (default: now). */
  now?: number | undefined
}

/** `missing_secret` and `unusable_body` are mistakes in the receiver: no secret, or a body that was already parsed. */
export type WebhookRefusal =
  | 'missing_secret'
  | 'unusable_body'
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'missing_timestamp'
  | 'malformed_timestamp'
  | 'stale_timestamp'
  | 'malformed_body'

export type WebhookVerdict = { ok: true; event: SandboxEvent } | { ok: false; reason: WebhookRefusal }

/** Never throws, because an attacker controls the input. Answer 401 unless the verdict is `ok`. */
export function verifyWebhook(options: VerifyWebhookOptions): WebhookVerdict {
  const reason = usageFault(options) ?? signatureFault(options) ?? timestampFault(options)
  if (reason !== null) return { ok: false, reason }
  const event = eventOf(options.body)
  return event === null ? { ok: false, reason: 'malformed_body' } : { ok: true, event }
}

/** Untyped callers may omit anything. */
function usageFault(options: unknown): WebhookRefusal | null {
  const { secret, body, headers } = fieldsIn(options)
  if (typeof secret !== 'string' || secret === '') return 'missing_secret'
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return 'unusable_body'
  return isJsonObject(headers) ? null : 'missing_signature'
}

function signatureFault({ secret, body, headers }: VerifyWebhookOptions): WebhookRefusal | null {
  const signature = headerOf(headers, lowerCaseWebhookHeaders.signature)
  if (signature === undefined || signature === '') return 'missing_signature'
  if (!isHmacHex(signature)) return 'malformed_signature'
  return sameHex(signature, hmacHex(secret, body)) ? null : 'signature_mismatch'
}

function timestampFault({
  headers,
  toleranceSeconds = webhookToleranceSeconds,
  now,
}: VerifyWebhookOptions): WebhookRefusal | null {
  const timestamp = headerOf(headers, lowerCaseWebhookHeaders.timestamp)
  if (timestamp === undefined || timestamp === '') return 'missing_timestamp'
  if (!/^\d{1,12}$/.test(timestamp)) return 'malformed_timestamp'
  const nowSeconds = now ?? Math.floor(Date.now() / 1000)
  return Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds ? null : 'stale_timestamp'
}

function eventOf(body: string | Uint8Array): SandboxEvent | null {
  const value = orElse(null, () => JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)))
  return typeof value?.event === 'string' && typeof value.data === 'object' && value.data !== null ? value : null
}
