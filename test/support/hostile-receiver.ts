/** Receivers on real sockets that misbehave: a function handles the socket of each request. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'

export interface HostileReceiver {
  /** `http://127.0.0.1:port` or, with a certificate, `https://localhost:port`. */
  url: string
  port: number
  /** Every request as received: head as text, body as bytes. */
  requests: { head: string; body: Buffer }[]
  /** Connections accepted so far. */
  connections: number
  /** Resolves when no connection is open. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type Behave = (socket: Socket, index: number) => void
export interface HostileOptions {
  onRequest?: Behave
  onConnection?: Behave
  certificate?: string
}

export async function startHostile({ onRequest, onConnection, certificate }: HostileOptions): Promise<HostileReceiver> {
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    const index = receiver.connections++
    onConnection?.(socket, index)
    readRequests(socket, (head, body) => onRequest?.(socket, receiver.requests.push({ head, body }) - 1))
  }
  const secure = certificate === undefined ? undefined : { key: pem('server.key'), cert: pem(`${certificate}.pem`) }
  const server: Server = secure ? createTlsServer(secure, serve) : createTcpServer(serve)
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: HostileReceiver = {
    url: secure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    port,
    requests: [],
    connections: 0,
    async idle() {
      await Promise.all([...sockets].map((socket) => new Promise((done) => socket.once('close', done))))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
  return receiver
}

/** Returns the path of a certificate, for `NODE_EXTRA_CA_CERTS`. */
export function certificatePath(name: string): string {
  return fileURLToPath(new URL(`./hostile-certs/${name}`, import.meta.url))
}

function pem(name: string): Buffer {
  return readFileSync(certificatePath(name))
}

function readRequests(socket: Socket, onRequest: (head: string, body: Buffer) => void): void {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const end = pending.indexOf('\r\n\r\n')
      const head = pending.toString('latin1', 0, Math.max(end, 0))
      const size = end + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      if (end < 0 || pending.length < size) return
      const body = pending.subarray(end + 4, size)
      pending = pending.subarray(size)
      onRequest(head, body)
    }
  })
}
