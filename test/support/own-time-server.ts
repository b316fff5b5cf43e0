/** Calls a Node server in simulated time and without a socket. Requests and responses contain the same bytes as on a socket. */
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import type { Send, SendRequest, SendResult, SplitBody } from '../../src/core/unit/ports.js'
import { webhookTimeouts } from '../../src/protocol/platform/limits.js'
import type { OwnTime } from './own-time.js'

/** After this time the next call does not wait for a response. */
const slowMs = 100

type Reported = Pick<SendResult, 'outcome' | 'status' | 'responseBody' | 'detail'>
const silent = (outcome: Reported['outcome'], detail: string): Reported => ({
  outcome,
  status: null,
  responseBody: null,
  detail,
})

/** Returns a `send` that calls a server; each call may have another server. */
export const sendInto =
  (time: OwnTime, serverOf: (path: string) => Server): Send =>
  (request, progress) =>
    new Promise((resolve) => {
      const startedMs = time.now()
      const { pathname } = new URL(request.url)
      const calledOff: (() => void)[] = []
      const settle = (reported: Reported) => {
        for (const callOff of calledOff) callOff()
        resolve({ ...reported, durationMs: time.now() - startedMs })
      }
      const incoming = new Incoming(request, () =>
        settle(silent('reset', 'the connection was closed without an answer')),
      )
      calledOff.push(
        time.alarm(slowMs, () => progress?.slow()),
        time.alarm(webhookTimeouts.totalMs, () => settle(silent('timeout', 'no response in time'))),
      )
      serverOf(pathname).emit('request', incoming, new Outgoing(settle))
      incoming.arrive(time)
      progress?.sent()
    })

class Incoming extends Readable {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly socket: { destroy: () => void }
  readonly #request: SendRequest
  readonly #hangUp: () => void

  constructor(request: SendRequest, hangUp: () => void) {
    super({ read() {} })
    const { pathname, search } = new URL(request.url)
    this.method = request.method ?? 'POST'
    this.url = pathname + search
    this.headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    this.socket = { destroy: hangUp }
    this.#request = request
    this.#hangUp = hangUp
    // A server that does not read the body does not notice its errors.
    this.on('error', () => {})
  }

  arrive(time: OwnTime): void {
    const { body, splitBody: parting } = this.#request
    const bytes = Buffer.from(body)
    this.push(bytes.subarray(0, parting?.atByte))
    if (parting === undefined) this.push(null)
    else time.alarm(parting.pauseMs, () => this.#part(parting.end, bytes.subarray(parting.atByte)))
  }

  #part(end: SplitBody['end'], rest: Buffer): void {
    if (end === 'break') {
      this.destroy(new Error('aborted'))
      this.#hangUp()
    } else {
      this.push(rest)
      this.push(null)
    }
  }
}

class Outgoing extends EventEmitter {
  headersSent = false
  #status = 200
  readonly #settle: (reported: Reported) => void

  constructor(settle: (reported: Reported) => void) {
    super()
    this.#settle = settle
  }

  setHeader(): this {
    return this
  }

  writeHead(status: number): this {
    this.headersSent = true
    this.#status = status
    return this
  }

  end(text = ''): void {
    this.headersSent = true
    const isOk = this.#status >= 200 && this.#status < 300
    // The server finishes before the client has the response.
    setImmediate(() => {
      this.emit('finish')
      this.emit('close')
      this.#settle({ outcome: isOk ? 'ok' : 'http_error', status: this.#status, responseBody: text, detail: null })
    })
  }
}
