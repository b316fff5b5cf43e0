/** Where receivers listen: on an address of their own if one is asked for, else all of this process on one server. */

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { StartError } from '../client/errors.js'
import { portOf } from '../runtime/node/origin.js'
import { explainStartError } from '../runtime/node/start-errors.js'
import type { ListenOptions } from './options.js'

type Take = (request: IncomingMessage, response: ServerResponse) => void

interface ReceiverPlace {
  url: string
  /** Drops what is not answered yet; nothing answers at `url` from here on. */
  close(): Promise<void>
}

export function openPlace({ host, port, url }: ListenOptions, take: Take): Promise<ReceiverPlace> {
  if (host === undefined && port === undefined && url === undefined) return openPath(take)
  return openServer({ host: host ?? '127.0.0.1', port: port ?? 0, url }, take)
}

async function openServer(
  { host, port, url }: { host: string; port: number; url: string | undefined },
  take: Take,
): Promise<ReceiverPlace> {
  const server = createServer(take)
  await listen(server, host, port)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: url ?? `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`, close }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const { code, message } = explainStartError(cause, { host, port, db: ':memory:' })
      reject(new StartError(code, message, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

/** By path. A server and a connection for each receiver would be a quarter of a test's CPU. */
const receivers = new Map<string, Take>()
let shared: Promise<Server> | null = null

async function openPath(take: Take): Promise<ReceiverPlace> {
  shared ??= openShared()
  const port = portOf(await shared)
  const path = `/${randomUUID()}`
  const open = new Set<ServerResponse>()
  receivers.set(path, (request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    take(request, response)
  })
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async close() {
      receivers.delete(path)
      for (const response of open) response.destroy()
    },
  }
}

/** It stays until the process ends, and does not keep it from ending. */
async function openShared(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    const take = receivers.get(path)
    // Like a port that nobody listens on any more.
    if (take === undefined) request.socket.destroy()
    else take(request, response)
  })
  server.on('connection', (socket) => socket.unref())
  await listen(server, '127.0.0.1', 0)
  server.unref()
  return server
}
