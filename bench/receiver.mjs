/** Webhook receivers in their own process: `node receiver.mjs COUNT` opens COUNT ports. `POST /plan` on the first sets status and expected count; `GET /done` reports when all have arrived. */
import { createServer } from 'node:net'

const count = Number(process.argv[2] ?? 1)
let plan = { status: 200, expected: 0 }
let got = 0
let firstMs = 0
let lastMs = 0
/** The highest age of an event at its arrival, by the timestamp in its body. */
let oldestMs = 0
let waiting

const answer = (status, body) =>
  `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

function recordArrival(body) {
  oldestMs = Math.max(
    oldestMs,
    Date.now() - Date.parse(body.slice(body.indexOf('"timestamp":"') + 13).split('"', 1)[0]),
  )
  lastMs = performance.now()
  if (got++ === 0) firstMs = lastMs
  if (got === plan.expected) waiting?.()
  return answer(plan.status, '{}')
}

function steer(head, body, reply) {
  if (head.startsWith('POST /plan ')) {
    plan = JSON.parse(body)
    got = oldestMs = 0
    return reply(answer(200, '{}'))
  }
  const report = () => reply(answer(200, JSON.stringify({ got, ms: lastMs - firstMs, oldestMs })))
  if (got >= plan.expected) report()
  else waiting = report
}

const server = () =>
  createServer((socket) => {
    let pending = ''
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      pending += chunk.latin1Slice()
      for (;;) {
        const end = pending.indexOf('\r\n\r\n')
        if (end < 0) return
        const head = pending.slice(0, end)
        const size = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (pending.length < size) return
        const body = pending.slice(end + 4, size)
        pending = pending.slice(size)
        if (head.startsWith('POST /hook')) socket.write(recordArrival(body))
        else steer(head, body, (text) => socket.write(text))
      }
    })
  })

const urls = await Promise.all(
  Array.from({ length: count }, () => {
    const listening = server()
    return new Promise((resolve) =>
      listening.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${listening.address().port}`)),
    )
  }),
)
console.log(JSON.stringify({ event: 'ready', base_url: urls[0], urls }))
