/** A local server that gives functions a URL for a certification: the state of a transaction, and a restart. */
import { createServer, type ServerResponse } from 'node:http'
import { UsageError } from '../../inside/client.js'
import { originOf } from '../../inside/node.js'
import { stateErrorField } from './receiver/state-reader.js'

interface CallbackUrls {
  stateUrl: string | undefined
  restart: string | undefined
  close(): void
}

interface StateOptions {
  stateUrl?: string | undefined
  getState?: ((transactionId: string) => unknown) | undefined
}

/** The options of the library as the source of states. */
export function stateOf(what: string, { stateUrl, getState }: StateOptions) {
  if (getState === undefined) return stateUrl
  if (stateUrl !== undefined) throw new UsageError(`${what}: stateUrl and getState do the same; give one of them`)
  return async (id: string) => JSON.stringify(await getState(id))
}

/** Returns a URL unchanged; a function gets a URL. `state` resolves to JSON text. An exception becomes a 500 with its message. */
export async function openCallbacks(
  state: string | ((transactionId: string) => Promise<string>) | undefined,
  restart: string | (() => Promise<void>) | undefined,
): Promise<CallbackUrls> {
  if (typeof state !== 'function' && typeof restart !== 'function')
    return { stateUrl: state, restart, close: () => undefined }
  const answer = async (work: () => Promise<string>, response: ServerResponse) => {
    try {
      response.end(await work())
    } catch (error) {
      response
        .writeHead(500)
        .end(JSON.stringify({ [stateErrorField]: error instanceof Error ? error.message : String(error) }))
    }
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const id = searchParams.get('transaction_id') ?? ''
    if (pathname === '/state' && typeof state === 'function') void answer(() => state(id), response)
    else if (pathname === '/restart' && typeof restart === 'function')
      void answer(() => restart().then(() => ''), response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const base = originOf(server)
  return {
    stateUrl: typeof state === 'function' ? `${base}/state` : state,
    restart: typeof restart === 'function' ? `${base}/restart` : restart,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
