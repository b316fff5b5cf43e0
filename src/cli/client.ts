/** Stand-in until src/client is there. */
import { createHmac, randomUUID } from 'node:crypto'
import type { Change } from './shapes.js'

export class SandboxError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown>,
  ) {
    super(message)
  }
}
export class UnreachableError extends Error {}

export interface ControlClient {
  call<T>(method: string, path: string, body?: unknown, options?: { query?: Record<string, string> }): Promise<T>
  stream(onChange: (change: Change) => void, signal: AbortSignal): Promise<void>
}

export function connectControl(
  url: string,
  { adminToken, workspace }: { adminToken?: string; workspace?: string } = {},
): ControlClient {
  const base = workspace === undefined || workspace === 'default' ? url : `${url}/w/${workspace}`
  return {
    async call<T>(method: string, path: string, body?: unknown, options?: { query?: Record<string, string> }) {
      const query = options?.query === undefined ? '' : `?${new URLSearchParams(options.query)}`
      let answer: Response
      try {
        answer = await fetch(`${base}${path}${query}`, {
          method,
          headers: {
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...(adminToken === undefined ? {} : { 'X-Sandbox-Admin-Token': adminToken }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      } catch (error) {
        throw new UnreachableError(`nothing answers at ${url} (${String((error as Error).cause)})`)
      }
      const text = await answer.text()
      if (answer.status === 204) return null as T
      let value: { error?: { code: string; message: string; details: Record<string, unknown> } }
      try {
        value = JSON.parse(text)
      } catch {
        throw new UnreachableError(`what answers at ${url} is no sandbox`)
      }
      if (answer.ok) return value as T
      if (value.error?.code === undefined) throw new UnreachableError(`what answers at ${url} is no sandbox`)
      throw new SandboxError(answer.status, value.error.code, value.error.message, value.error.details)
    },
    async stream(_onChange, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  }
}

export function signRequest({ signingKey, body }: { signingKey: string; body: string }): Record<string, string> {
  const at = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  return {
    'X-Timestamp': at,
    'X-Nonce': nonce,
    'X-Signature': createHmac('sha256', signingKey).update(`${at}.${nonce}.${body}`).digest('hex'),
  }
}

export function verifyWebhook({
  headers,
  body,
  webhookSecret,
}: {
  headers: Record<string, string | string[] | undefined>
  body: string
  webhookSecret: string
}): { valid: boolean; reason?: string } {
  const valid = createHmac('sha256', webhookSecret).update(body).digest('hex') === headers['x-webhook-signature']
  return valid ? { valid } : { valid, reason: 'signature' }
}
