/** Drives an HTTP/1.1 server with prepared requests over raw sockets, so that the driver is faster than the server. */
import { connect } from 'node:net'

/** One request as bytes; `base` may be the address of a workspace. */
export function rawRequest(base, method, path, headers, body = '') {
  const { host, pathname } = new URL(base)
  const lines = Object.entries({
    Host: host,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  return Buffer.from(
    `${method} ${pathname.replace(/\/$/, '')}${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`,
  )
}

/**
 * Sends all requests over `connections` kept connections, one at a time on each. Throws if a response has another status than `wanted`.
 * @returns requests per second.
 */
export async function drive(base, requests, { connections = 50, wanted = 200 } = {}) {
  const { hostname, port } = new URL(base)
  let next = 0
  let wrong = 0
  let firstWrong = ''
  const worker = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      socket.setNoDelay(true)
      let pending = ''
      const send = () => {
        if (next >= requests.length) return socket.end()
        socket.write(requests[next++])
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', resolve)
      socket.on('data', (chunk) => {
        pending += chunk.latin1Slice()
        const end = pending.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = Number(/content-length: (\d+)/i.exec(pending.slice(0, end))?.[1] ?? 0)
        if (pending.length < end + 4 + length) return
        if (Number(pending.slice(9, 12)) !== wanted && wrong++ === 0) firstWrong = pending.slice(0, 600)
        pending = pending.slice(end + 4 + length)
        send()
      })
    })
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - startedMs) / 1000
  if (wrong > 0)
    throw new Error(`${wrong} of ${requests.length} responses were not ${wanted}; the first:\n${firstWrong}`)
  return requests.length / seconds
}
