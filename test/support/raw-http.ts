/** Sends raw bytes to a server, for requests that no HTTP client would send. */
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Sends the chunks with `pauseMs` between them and returns the response when the server closes the connection. Fails after half a minute. */
export function talk(
  port: number,
  chunks: string | Buffer | readonly (string | Buffer)[],
  pauseMs = 5,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const received: Buffer[] = []
    const text = () => Buffer.concat(received).toString('latin1')
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The server did not close the connection. It sent: ${text()}`))
    }, 30_000)
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', (error) => received.push(Buffer.from(`<${error.message}>`)))
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text())
    })
    void send(socket, isOne(chunks) ? [chunks] : chunks, pauseMs)
  })
}

/** Sends the bytes, ends the sending side and returns the response. */
export async function sayAll(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(bytes)
  return Buffer.concat(await socket.toArray()).toString('latin1')
}

function isOne(chunks: string | Buffer | readonly (string | Buffer)[]): chunks is string | Buffer {
  return typeof chunks === 'string' || Buffer.isBuffer(chunks)
}

async function send(socket: Socket, chunks: readonly (string | Buffer)[], pauseMs: number): Promise<void> {
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (!socket.writable) return
    socket.write(chunk)
  }
}

/** Splits received text into responses, by Content-Length, chunks or the end of the text. Responses 1xx have no body. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const split = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.slice(0, split).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (split === -1 || Number.isNaN(status)) throw new Error(`No HTTP answer: ${JSON.stringify(rest.slice(0, 200))}`)
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    )
    const after = rest.slice(split + 4)
    const { body, length } = status < 200 ? { body: '', length: 0 } : bodyOf(headers, after)
    answers.push({ status, headers, body })
    rest = after.slice(length)
  }
  return answers
}

function bodyOf(headers: Record<string, string>, text: string): { body: string; length: number } {
  if (headers['transfer-encoding'] === 'chunked') {
    const end = text.indexOf('0\r\n\r\n')
    if (end === -1) throw new Error('The chunked response is incomplete')
    const body = text.slice(0, end).replace(/[0-9a-f]+\r\n([\s\S]*?)\r\n/g, '$1')
    return { body, length: end + 5 }
  }
  const length = Number(headers['content-length'] ?? text.length)
  return { body: text.slice(0, length), length }
}
