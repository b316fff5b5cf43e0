/** Ports for programs that cannot choose one themselves. */
import { createServer } from 'node:net'

/** A port that nothing opens: a port that was free a moment ago may belong to another test by now. */
export const closedPort = 2

/** Returns a port that was free a moment ago, outside the range of automatically assigned ports. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer()
    server.once('error', () => resolve(freePort()))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}
