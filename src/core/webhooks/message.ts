/** The headers of one attempt to deliver an event (§6.1). */
import { webhookHeaders, webhookUserAgent } from '../../protocol/platform/headers.js'

interface WebhookMessage {
  event: string
  id: string
  /** With null, the header is omitted. */
  signature: string | null
  /** Unix time in seconds of real time. With null, the header is omitted. */
  timestamp: string | null
  /** Whether a header states that the webhook comes from a sandbox. */
  isSandbox: boolean
}

/** Returns the headers in the order in which they are sent. */
export function headersOf({ event, id, signature, timestamp, isSandbox }: WebhookMessage): Record<string, string> {
  const headers: Record<string, string> = { [webhookHeaders.type]: 'application/json', [webhookHeaders.event]: event }
  if (signature !== null) headers[webhookHeaders.signature] = signature
  headers[webhookHeaders.id] = id
  if (timestamp !== null) headers[webhookHeaders.timestamp] = timestamp
  headers[webhookHeaders.agent] = webhookUserAgent
  if (isSandbox) headers[webhookHeaders.sandbox] = '1'
  return headers
}
