/** Sends one HTTP call with node:http. A command makes few calls, and loading `fetch` would take longer than all of them. */
import { type IncomingMessage, request } from 'node:http'
import type { SecureContext } from 'node:tls'
import type { Answer, Send } from '../../client/exchange.js'

/** Sends text bodies only and does not follow redirects. Rejects with the error of the network. */
export const httpSend: Send = async (url, { method = 'GET', headers, body, signal }) => {
  const { protocol } = new URL(url)
  const isTls = protocol === 'https:'
  // A dynamic import of a built-in module fails in a program that was loaded from V8's cache.
  const open = isTls ? process.getBuiltinModule('node:https').request : request
  const trust = isTls ? await ownTrust() : {}
  const text = typeof body === 'string' ? body : ''
  return new Promise((resolve, reject) => {
    const headerFields = Object.fromEntries(new Headers(headers))
    const length = text === '' && method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(text)) }
    const outgoing = open(
      url,
      { method, headers: { ...headerFields, ...length }, ...trust, ...(signal ? { signal } : {}) },
      (incoming) => resolve(answerOf(url, incoming)),
    )
    outgoing.once('error', reject)
    outgoing.end(text)
  })
}

/** Returns a TLS context that also trusts the authority of the sandbox, if the authority exists. */
async function ownTrust(): Promise<{ secureContext?: SecureContext }> {
  const { authorityCertificate } = await import('../tls/authority.js')
  const authority = authorityCertificate()
  if (authority === undefined) return {}
  return { secureContext: (await import('../../runtime/node/tls/trust.js')).contextTrusting(authority) }
}

function answerOf(url: string, incoming: IncomingMessage): Answer {
  const status = incoming.statusCode ?? 0
  return {
    ok: status >= 200 && status < 300,
    status,
    url,
    headers: {
      get(name) {
        const value = incoming.headers[name.toLowerCase()]
        return value === undefined ? null : String(value)
      },
    },
    async text() {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}
