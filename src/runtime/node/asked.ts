/** Lets this process answer what a certification asks of a URL: what became of a transaction, and a restart. */
import { createServer, type ServerResponse } from 'node:http'
import { originOf } from './origin.js'

export interface AskedUrls {
  effects: string | undefined
  restart: string | undefined
  close(): void
}

/** `effects` tells JSON as text. URLs stay what they are, functions get one; what they throw is answered with 500. */
export async function openAsked(
  effects: string | ((transactionId: string) => Promise<string>) | undefined,
  restart: string | (() => Promise<void>) | undefined,
): Promise<AskedUrls> {
  if (typeof effects !== 'function' && typeof restart !== 'function')
    return { effects, restart, close: () => undefined }
  const answer = async (work: () => Promise<string>, response: ServerResponse) => {
    try {
      response.end(await work())
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error))
    }
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const id = searchParams.get('transaction_id') ?? ''
    if (pathname === '/effects' && typeof effects === 'function') void answer(() => effects(id), response)
    else if (pathname === '/restart' && typeof restart === 'function')
      void answer(() => restart().then(() => ''), response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const base = originOf(server)
  return {
    effects: typeof effects === 'function' ? `${base}/effects` : effects,
    restart: typeof restart === 'function' ? `${base}/restart` : restart,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
