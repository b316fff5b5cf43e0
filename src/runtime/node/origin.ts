/** Address of a server of this process. */
import type { Server } from 'node:net'

/** Port of a server that listens on one. */
export function portOf(server: Pick<Server, 'address'>): number {
  return addressOf(server).port
}

export function originOf(server: Pick<Server, 'address'>): string {
  const { address, family, port } = addressOf(server)
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function addressOf(server: Pick<Server, 'address'>) {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server is not listening on a port')
  return address
}
