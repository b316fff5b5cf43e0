/** A port for a program that cannot choose one itself. */
import { createServer } from 'node:net'

/** Free a moment ago, and none of those that are given out to whoever asks for any. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer()
    server.once('error', () => resolve(freePort()))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}
