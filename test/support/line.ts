/** A proxy to a server that can be disconnected and connected again, so that clients must reconnect. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Line {
  /** The proxy's URL. */
  url: string
  /** Drops every open and new connection until `join`. */
  cut(): void
  join(): void
  close(): Promise<void>
}

export async function openLine(to: string): Promise<Line> {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let whole = true
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    keep(near)
    if (!whole) return void near.destroy()
    const far = connect(Number(port), hostname)
    keep(far)
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      whole = false
      drop()
    },
    join() {
      whole = true
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        drop()
      }),
  }
}
