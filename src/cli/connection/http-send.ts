/** Sends one HTTP call with node:http. A command makes few calls, and loading `fetch` would take longer than all of them. */
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { SecureContext } from 'node:tls'
import type { Send, StreamedAnswer } from '../../client/exchange.js'

/** Sends texts and streams, and does not follow redirects. Rejects with the error of the network. */
export const httpSend: Send<StreamedAnswer> = async (url, { method = 'GET', headers, body, signal }) => {
  const { protocol } = new URL(url)
  const isTls = protocol === 'https:'
  // A dynamic import of a built-in module fails in a program that was loaded from V8's cache.
  const open = isTls ? process.getBuiltinModule('node:https').request : request
  const trust = isTls ? await ownTrust() : {}
  const text = typeof body === 'string' ? body : ''
  return new Promise((resolve, reject) => {
    const headerFields = Object.fromEntries(new Headers(headers))
    const length =
      body instanceof ReadableStream || (text === '' && method === 'GET')
        ? {}
        : { 'Content-Length': String(Buffer.byteLength(text)) }
    const outgoing = open(
      url,
      { method, headers: { ...headerFields, ...length }, ...trust, ...(signal ? { signal } : {}) },
      (incoming) => resolve(answerOf(url, incoming)),
    )
    outgoing.once('error', reject)
    if (!(body instanceof ReadableStream)) return void outgoing.end(text)
    // The types of Node's web streams differ from those of the browser.
    const source = Readable.fromWeb(body as NodeReadableStream)
    source.once('error', (error) => outgoing.destroy(error)).pipe(outgoing)
  })
}

/** Returns a TLS context that also trusts the authority of the sandbox, if the authority exists. */
async function ownTrust(): Promise<{ secureContext?: SecureContext }> {
  const { authorityCertificate } = await import('../tls/authority.js')
  const authority = authorityCertificate()
  if (authority === undefined) return {}
  return { secureContext: (await import('../../runtime/node/send/connect.js')).contextTrusting(authority) }
}

function answerOf(url: string, incoming: IncomingMessage): StreamedAnswer {
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
    get body() {
      // As above.
      return Readable.toWeb(incoming) as ReadableStream<Uint8Array>
    },
    async text() {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}
