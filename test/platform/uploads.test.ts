/** Large, slow and broken bodies: the caller is checked before the body is read, memory is bounded over all calls, and a body may arrive in any pieces. */
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { bodyLimits } from '../../src/protocol/platform/limits.js'
import type { Api } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

const path = '/v2/account/infractions/reply'
let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

async function openDispute(): Promise<string> {
  const { data: charge } = await api.cashin({ amount: 100, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', charge.transaction_id)
  return (await sandbox.trigger('dispute.open', charge.transaction_id)).body.object.infraction_id
}

const head = (target: string, bearer: string, length: number, type = 'multipart/form-data; boundary=xyz') =>
  `POST ${target} HTTP/1.1\r\nHost: ${new URL(sandbox.url).host}\r\nAuthorization: ${bearer}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`

const part = (disposition: string, content: string) =>
  `--xyz\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`

function open(): { socket: Socket; answer: Promise<string> } {
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1')
  socket.setNoDelay(true)
  let text = ''
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.includes('"request_id"') || text.includes('"success":false')) resolve(text)
    })
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
  })
  return { socket, answer }
}

const written = (socket: Socket, bytes: string | Uint8Array) =>
  new Promise<void>((resolve) => socket.write(bytes, () => resolve()))

describe('a long body', () => {
  test('is not read when its token or its type is wrong, or its announced size is too large', async () => {
    const refusals: [string, string, number, string][] = [
      ['Bearer nonsense', 'multipart/form-data; boundary=xyz', 40_000_000, 'UNAUTHORIZED'],
      ['Bearer nonsense', 'application/json', 200_000, 'UNAUTHORIZED'],
      [api.bearer.Authorization ?? '', 'text/plain', 40_000_000, 'UNSUPPORTED_CONTENT_TYPE'],
      [api.bearer.Authorization ?? '', 'multipart/form-data', 40_000_000, 'INVALID_JSON'],
      [api.bearer.Authorization ?? '', 'multipart/form-data; boundary=xyz', 60_000_000, 'PAYLOAD_TOO_LARGE'],
    ]
    for (const [bearer, type, length, code] of refusals) {
      const { socket, answer } = open()
      await written(socket, `${head(path, bearer, length, type)}the first bytes of many`)
      expect(await answer).toContain(`"code":"${code}"`)
      socket.destroy()
    }
  })

  test('is not read for a token request with wrong credentials', async () => {
    for (const basic of ['Basic nonsense', `Basic ${btoa('client:wrong')}`]) {
      const { socket, answer } = open()
      await written(socket, `${head('/v2/oauth/token', basic, 200_000, 'application/json')}{"grant_type":`)
      expect(await answer).toContain('"code":"INVALID_CREDENTIALS"')
      socket.destroy()
    }
  })

  test('may arrive in pieces of any size, its files measured and hashed as they pass', async () => {
    const content = `%PDF-1.7\r\n--xy\r\n--xy-z is no boundary${'\r\n\r--'.repeat(200)}`
    const sha256 = createHash('sha256').update(content).digest('hex')
    for (const size of [1, 3, 61, 100_000]) {
      const id = await openDispute()
      const body = Buffer.from(
        `a preamble\r\n${part('name="id"', id)}${part('name=message', 'olá \u{1f600}')}` +
          `${part('filename="a\\"b.pdf"; name="files[]"', content)}` +
          '--xyz--\r\nan epilogue',
      )
      const { socket, answer } = open()
      await written(socket, head(path, api.bearer.Authorization ?? '', body.length))
      for (let at = 0; at < body.length; at += size) await written(socket, body.subarray(at, at + size))
      const text = await answer
      socket.destroy()
      expect(text).toContain('HTTP/1.1 200')
      expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).data.files).toEqual([
        { name: 'a"b.pdf', size: content.length, type: 'application/pdf', sha256 },
      ])
      const { data } = await api.get(`/v2/account/infractions/detail?id=${id}`)
      expect(data.replies[0].message).toBe('olá \u{1f600}')
    }
  })

  test('is rejected if it is not a form: 400, whatever is wrong with it', async () => {
    const field = part('name="id"', 'a')
    const broken = [
      '',
      'nonsense',
      '--xyz',
      '--xyz--',
      field,
      `${field}--xyzz--\r\n`,
      `--xyz${' '.repeat(100)}\r\n`,
      `--xyz\r\n\r\nno headers\r\n--xyz--`,
      `--xyz\r\nContent-Disposition: attachment; name="id"\r\n\r\na\r\n--xyz--`,
      `--xyz\r\nContent-Disposition: form-data\r\n\r\na\r\n--xyz--`,
      `--xyz\r\n${'X: y\r\n'.repeat(3000)}\r\na\r\n--xyz--`,
      `${part('name="id"', 'a').repeat(101)}--xyz--`,
      Buffer.concat([
        Buffer.from('--xyz\r\nContent-Disposition: form-data; name="id"\r\n\r\n'),
        Buffer.from([0xff]),
        Buffer.from('\r\n--xyz--'),
      ]),
    ]
    for (const body of broken) {
      const answer = await fetch(`${sandbox.url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : new Uint8Array(body),
        headers: { ...api.bearer, 'Content-Type': 'multipart/form-data; boundary=xyz' },
      })
      const reported = `${answer.status} ${String(body).slice(0, 80)}`
      const code = (await answer.json()).error.code
      expect([code, reported], reported).toEqual([
        body === '--xyz--' ? 'MISSING_REQUIRED_FIELD' : 'INVALID_JSON',
        reported,
      ])
    }
    const long = await fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      body: `${part('name="message"', 'x'.repeat(300 * 1024))}--xyz--`,
      headers: { ...api.bearer, 'Content-Type': 'multipart/form-data; boundary=xyz' },
    })
    expect(long.status).toBe(413)
  })

  test.each([
    [
      "filename*=UTF-8''receipt.pdf",
      'The body is not readable multipart/form-data: a part has `filename*`; use `filename`.',
    ],
    ['size=8', 'files[] must be a file: give the part a `filename`.'],
  ])(
    'with a file that has %s instead of a filename is rejected, and the message says what to send',
    async (parameter, message) => {
      const fields = part('name="id"', await openDispute()) + part('name="message"', 'Delivered.')
      const answer = await fetch(`${sandbox.url}${path}`, {
        method: 'POST',
        body: `${fields}${part(`name="files[]"; ${parameter}`, '%PDF-1.4')}--xyz--`,
        headers: { ...api.bearer, 'Content-Type': 'multipart/form-data; boundary=xyz' },
      })
      expect([answer.ok, (await answer.json()).error.message]).toEqual([false, message])
    },
  )

  test('is rejected with 415 if it is compressed', async () => {
    const answer = await api.post('/v2/transactions/cashin', '{}', { 'Content-Encoding': 'gzip' })
    expect([answer.status, answer.code, answer.body.error.details.content_encoding]).toEqual([
      415,
      'UNSUPPORTED_CONTENT_TYPE',
      'gzip',
    ])
    const plain = await api.post('/v2/transactions/cashin', '{"amount":10,"currency":"BRL"}', {
      'Content-Encoding': 'Identity',
    })
    expect(plain.status).toBe(200)
  })
})

describe('many concurrent bodies', () => {
  test('with files take no more memory than a few', async () => {
    const id = await openDispute()
    const piece = Buffer.alloc(64 * 1024, 65)
    const pieces = 24 * 16
    const opening = `${part('name="id"', id)}--xyz\r\nContent-Disposition: form-data; name="files[]"; filename="a"\r\n\r\n`
    const closing = '\r\n--xyz--'
    let highest = 0
    const before = process.memoryUsage().arrayBuffers
    const upload = async () => {
      const { socket, answer } = open()
      const length = opening.length + pieces * piece.length + closing.length
      await written(socket, head(path, api.bearer.Authorization ?? '', length) + opening)
      for (let sent = 0; sent < pieces; sent++) {
        await written(socket, piece)
        highest = Math.max(highest, process.memoryUsage().arrayBuffers - before)
      }
      await written(socket, closing)
      const text = await answer
      socket.destroy()
      return text.split('\r\n')[0]
    }
    const answers = await Promise.all(Array.from({ length: 12 }, upload))
    expect(answers).toEqual(Array(12).fill('HTTP/1.1 400 Bad Request'))
    // 12 bodies of 24 MB each. Memory above the budget waits only for the garbage collector.
    expect(highest).toBeLessThan((12 * 24 * 1024 * 1024) / 2)
  })

  test('share a bounded memory if they are JSON; calls over it can be retried, small calls continue, and the sandbox recovers', async () => {
    const length = bodyLimits.jsonBytes - 1000
    const text = Buffer.from(`{"a":"${'x'.repeat(length - 10)}`)
    const sockets: Socket[] = []
    const answers: Promise<string>[] = []
    for (let bytes = 0; bytes <= bodyLimits.togetherBytes; bytes += text.length) {
      const { socket, answer } = open()
      sockets.push(socket)
      answers.push(answer)
      await written(socket, head('/v2/transactions/cashin', api.bearer.Authorization ?? '', length, 'application/json'))
      await written(socket, text)
    }
    const refused = await Promise.race(answers)
    expect(refused).toContain('HTTP/1.1 503')
    expect(refused.toLowerCase()).toContain('retry-after: 1')
    expect(refused).toContain('"retryable":true')
    expect((await api.cashin({ amount: 10, currency: 'BRL' })).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    const long = { amount: 10, currency: 'BRL', external_id: 'x'.repeat(100_000) }
    await eventually(
      async () => (await api.cashin(long)).status,
      (status) => status === 422,
    )
  })
})

describe('a client that disconnects in the middle of its body', () => {
  test.each([
    ['JSON', '/v2/transactions/cashin', 'application/json', '{"amount":'],
    ['long JSON', '/v2/transactions/cashin', 'application/json', `{"a":"${'x'.repeat(100_000)}`],
    ['a form', path, 'multipart/form-data; boundary=xyz', part('name="id"', 'a')],
    ['the control API', '/_sandbox/trigger', 'application/json', '{"action":'],
    ['an inbox', '/_sandbox/inbox/box', 'text/plain', 'hello'],
    ['a scenario', '/_sandbox/scenarios', 'application/yaml', 'name: '],
  ])('(%s) causes no effect and no output', async (_name, target, type, body) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { socket } = open()
    await written(socket, head(target, api.bearer.Authorization ?? '', body.length + 1000, type))
    await written(socket, body)
    await sandbox.control('GET', '/health')
    socket.resetAndDestroy()
    for (let turn = 0; turn < 5; turn++) expect((await sandbox.control('GET', '/health')).status).toBe(200)
    expect(printed.mock.calls).toEqual([])
    expect((await sandbox.control('GET', '/transactions')).body.data).toEqual([])
    printed.mockRestore()
  })
})
