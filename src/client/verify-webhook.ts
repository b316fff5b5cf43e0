/** Verifies a webhook (§6.1): the signature first, in constant time, then its age. */

import { hmacHex, isHmacHex, sameHex } from '../base/crypto.js'
import { fieldsIn, isJsonObject } from '../base/unknown.js'
import { lowerCaseWebhookHeaders } from '../protocol/platform/headers.js'
import { type HeaderSource, headerOf } from './exchange.js'
import type { SandboxEvent } from './types/events.js'

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

function timestampFault({ headers, toleranceSeconds = 300, now }: VerifyWebhookOptions): WebhookRefusal | null {
  const timestamp = headerOf(headers, lowerCaseWebhookHeaders.timestamp)
  if (timestamp === undefined || timestamp === '') return 'missing_timestamp'
  if (!/^\d{1,12}$/.test(timestamp)) return 'malformed_timestamp'
  const nowSeconds = now ?? Math.floor(Date.now() / 1000)
  return Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds ? null : 'stale_timestamp'
}

function eventOf(body: string | Uint8Array): SandboxEvent | null {
  try {
    const value = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
    return value !== null && typeof value.event === 'string' && typeof value.data === 'object' && value.data !== null
      ? value
      : null
  } catch {
    return null
  }
}
