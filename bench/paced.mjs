/** Sends requests at an even pace without waiting for earlier responses. A request waits only if no connection is free. */
import { connect } from 'node:net'

export function openConnections(base, count) {
  const { hostname, port } = new URL(base)
  const idle = Array.from({ length: count }, () => connect(Number(port), hostname).setNoDelay(true))

  /** For each request, the milliseconds from the moment when it was due to the end of its response. */
  const pace = async (requests, perSecond) => {
    const startedMs = performance.now()
    const queue = []
    const ms = await Promise.all(
      requests.map(async (request, index) => {
        const dueMs = startedMs + (index * 1000) / perSecond
        await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()))
        const socket = idle.shift() ?? (await new Promise((resolve) => queue.push(resolve)))
        await exchange(socket, request)
        const next = queue.shift()
        if (next === undefined) idle.push(socket)
        else next(socket)
        return performance.now() - dueMs
      }),
    )
    for (const socket of idle) socket.destroy()
    return ms
  }
  return { pace }
}

function exchange(socket, request) {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (chunk) => {
      text += chunk.latin1Slice()
      const end = text.indexOf('\r\n\r\n')
      if (end < 0 || text.length < end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)) return
      socket.off('data', take).off('error', reject)
      if (text[9] === '2') resolve()
      else reject(new Error(text.slice(0, 600)))
    }
    socket.on('data', take).on('error', reject)
    socket.write(request)
  })
}
