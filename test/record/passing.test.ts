/** The recorder forwards requests, responses and webhooks unchanged, and rejects with a clear message what it cannot forward. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, createServer, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.js'
import { gate } from '../support/gate.js'
import { closeAfter } from '../support/hooks.js'
import { talk } from '../support/raw-http.js'
import { openEcho, openTarget, openTestRecorder } from '../support/recorder.js'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
/** A target that answers everything with these bytes. */
async function openRaw(bytes: string): Promise<string> {
  return openServer(
    createServer((socket) => socket.once('data', () => socket.end(bytes, 'latin1')).on('error', () => {})),
  )
}

async function openServer(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfter(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const portOf = (url: string) => Number(new URL(url).port)

describe('a call', () => {
  test('a call and its response pass with their headers in the same order and case', async () => {
    let raw: string[] = []
    const target = await openTarget((incoming, outgoing) => {
      raw = incoming.rawHeaders
      outgoing.sendDate = false
      outgoing.writeHead(201, 'Made Up', [
        'x-ODD',
        'a',
        'Set-Cookie',
        'a=1',
        'Set-Cookie',
        'b=2',
        'Content-Length',
        '2',
      ])
      outgoing.end('{}')
    })
    const recorder = await openTestRecorder(`${target}/base`)
    const text = await talk(
      portOf(recorder.url),
      'POST /v2/x?a=1 HTTP/1.1\r\nHost: localhost\r\nX-Odd-Case: 1\r\nx-odd-case: 2\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnull',
    )
    expect(raw.slice(0, 8)).toEqual([
      ...['Host', new URL(target).host, 'X-Odd-Case', '1'],
      ...['x-odd-case', '2', 'Content-Length', '4'],
    ])
    expect(text).toMatch(/^HTTP\/1\.1 201 Made Up\r\nx-ODD: a\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/)
    expect(text.endsWith('\r\n\r\n{}')).toBe(true)
    const {
      entries: [entry],
    } = await recorder.logWithEntry()
    expect(entry?.request.url).toBe(`${target}/base/v2/x?a=1`)
    expect(entry?.response.headers.filter(({ name }) => name === 'Set-Cookie').map(({ value }) => value)).toEqual([
      '***',
      '***',
    ])
  })

  test('a call of several megabytes passes byte for byte in both directions, and its bodies are excluded from the recording', async () => {
    const target = await openEcho()
    const recorder = await openTestRecorder(target)
    const body = new Uint8Array(randomBytes(5_000_000))
    const answer = await fetch(`${recorder.url}/large`, { method: 'POST', body })
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(body))
    const { entries, _omitted } = await recorder.logWithEntry()
    expect(entries[0]?.request).toMatchObject({ bodySize: body.length, postData: { _omitted: true } })
    expect(entries[0]?.response.content).toMatchObject({ size: body.length, _omitted: true })
    expect(_omitted).toBe(2)
  })

  test('a response is streamed: each part arrives before the next one is sent', async () => {
    const parts: (() => void)[] = []
    const target = await openTarget((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'application/json', Trailer: 'X-End' })
      outgoing.flushHeaders()
      parts.push(
        () => outgoing.write('{"a":'),
        () => {
          outgoing.addTrailers({ 'X-End': 'yes' })
          outgoing.end('1}')
        },
      )
    })
    const recorder = await openTestRecorder(target)
    const answer = await fetch(`${recorder.url}/slow`)
    const reader = answer.body?.getReader()
    const next = async () => Buffer.from((await reader?.read())?.value ?? '').toString()
    expect(recorder.log().entries).toEqual([])
    for (const expected of ['{"a":', '1}', '']) {
      parts.shift()?.()
      expect(await next()).toBe(expected)
    }
    expect((await recorder.logWithEntry()).entries[0]?.response.content.text).toBe('{"a":1}')
  })

  test('a request is forwarded while it arrives: the target has the first part before the second is sent', async () => {
    const seen: string[] = []
    const target = await openTarget((incoming, outgoing) => {
      incoming.on('data', (chunk: Buffer) => seen.push(chunk.toString()))
      incoming.on('end', () => outgoing.end('{}'))
    })
    const recorder = await openTestRecorder(target)
    const call = request(`${recorder.url}/up`, { method: 'POST' })
    const status = new Promise((resolve) => call.on('response', (answer) => resolve(answer.resume().statusCode)))
    call.write('{"a":')
    await eventually(
      async () => seen.join(''),
      (text) => text === '{"a":',
    )
    call.end('1}')
    expect([await status, seen.join('')]).toEqual([200, '{"a":1}'])
    expect((await recorder.logWithEntry()).entries[0]?.request.postData?.text).toBe('{"a":1}')
  })

  test('the target gets the headers of a call before the body begins', async () => {
    let arrives = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrives = resolve
    })
    const target = await openTarget((incoming, outgoing) => {
      arrives()
      incoming.pipe(outgoing)
    })
    const recorder = await openTestRecorder(target)
    const call = request(`${recorder.url}/v2/any`, { method: 'POST', headers: { 'Content-Length': 2 } })
    call.flushHeaders()
    await arrived
    call.end('{}')
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    expect(await text(answer)).toBe('{}')
  })

  test('a client gets the compressed bytes of a response, and the recording has the text', async () => {
    const packed = gzipSync('{"status":"pending"}')
    const target = await openTarget((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(packed)
    })
    const recorder = await openTestRecorder(target)
    const raw = await new Promise<Buffer>((resolve) =>
      request(`${recorder.url}/gzip`, async (answer) => resolve(Buffer.concat(await answer.toArray()))).end(),
    )
    expect(raw).toEqual(packed)
    expect((await recorder.logWithEntry()).entries[0]?.response.content.text).toBe('{"status":"pending"}')
  })

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])(
    'a call %s with the response %d has no body, and the next call on the connection works',
    async (method, status) => {
      const target = await openTarget((incoming, outgoing) => {
        outgoing.writeHead(incoming.url === '/next' ? 200 : status, { 'Content-Length': '5' })
        outgoing.end(incoming.url === '/next' ? '"abc"' : undefined)
      })
      const recorder = await openTestRecorder(target)
      const calls = `${method} /none HTTP/1.1\r\nHost: localhost\r\n\r\nGET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      const text = await talk(portOf(recorder.url), calls)
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200'])
      const { entries } = await recorder.logWithEntry(2)
      expect(entries.map(({ response }) => response.status)).toEqual([status, 200])
    },
  )

  test('a slow call has no time limit and delays no other call', async () => {
    let release = () => {}
    const target = await openTarget((incoming, outgoing) => {
      if (incoming.url === '/slow') release = () => outgoing.end('{}')
      else outgoing.end('{}')
    })
    const recorder = await openTestRecorder(target)
    const slow = fetch(`${recorder.url}/slow`)
    for (let call = 0; call < 20; call++) expect((await fetch(`${recorder.url}/quick`)).status).toBe(200)
    release()
    expect((await slow).status).toBe(200)
    expect((await recorder.logWithEntry(21)).entries).toHaveLength(21)
  })
})

describe('an exchange that breaks off', () => {
  test('a call ends at the target when the client disconnects, and is excluded from the recording', async () => {
    let isGone = false
    const arrived = gate()
    const target = await openTarget((incoming) => {
      incoming.socket.once('close', () => {
        isGone = true
      })
      arrived.open()
    })
    const recorder = await openTestRecorder(target)
    const socket = connect(portOf(recorder.url), '127.0.0.1')
    socket.write('GET /v2/account/balance HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await arrived.opened
    socket.destroy()
    await eventually(
      async () => recorder.log()._omitted,
      (omitted) => omitted === 1 && isGone,
    )
    expect(recorder.log().entries).toEqual([])
  })

  test('a response ends at the client when the target disconnects in the middle of it', async () => {
    const begun = gate()
    const target = await openTarget((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Length': '100' }).write('{"half":')
      void begun.opened.then(() => outgoing.destroy())
    })
    const recorder = await openTestRecorder(target)
    const answer = await fetch(`${recorder.url}/half`)
    begun.open()
    await expect(answer.text()).rejects.toThrow()
    await recorder.end()
    expect(recorder.log()).toMatchObject({ entries: [], _omitted: 1 })
  })

  test('a target that does not answer causes a 502 with the reason, which is not recorded as a response of the platform', async () => {
    const target = await openEcho()
    const recorder = await openTestRecorder(target)
    const down = await openTestRecorder('http://127.0.0.1:9')
    const answer = await fetch(`${down.url}/v2/account/balance`)
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { error: 'http://127.0.0.1:9 did not respond (ECONNREFUSED); check --target of payments-sandbox record' },
    ])
    expect(down.log()).toMatchObject({ entries: [], _omitted: 1 })
    expect(recorder.log()).toMatchObject({ entries: [], _omitted: 0 })
  })

  test('an answer with an invalid trailer ends at the client, and the recorder continues', async () => {
    const target = await openRaw(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: \x01\r\n\r\n',
    )
    const recorder = await openTestRecorder(target)
    for (let count = 0; count < 2; count++)
      await expect(fetch(`${recorder.url}/half`).then((answer) => answer.text())).rejects.toThrow()
    await recorder.end()
    expect(recorder.log()).toMatchObject({ entries: [], _omitted: 2 })
  })

  test('a target that resets a new connection causes a 502, and one that resets a used one closes that of the client', async () => {
    const target = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          if (bytes.includes('/reset')) socket.resetAndDestroy()
          else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
        })
    })
    const recorder = await openTestRecorder(await openServer(target))
    const answer = await fetch(`${recorder.url}/reset`)
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('(ECONNRESET)')])
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const socket = connect(portOf(recorder.url), '127.0.0.1').on('error', () => {})
    socket.write(get('/x'))
    const [first] = await once(socket, 'data')
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK/)
    const more: Buffer[] = []
    socket.on('data', (bytes) => more.push(bytes)).write(get('/reset'))
    await once(socket, 'close')
    expect(Buffer.concat(more).toString()).not.toContain('HTTP/1.1')
  })

  test('the connection of the client is closed when the target closes its idle one', async () => {
    const target = await openTarget((incoming, outgoing) => {
      // Without `Connection: close`, so that the close is a surprise.
      outgoing.end('{}', () => setTimeout(() => incoming.socket.destroy(), 20))
    })
    const recorder = await openTestRecorder(target)
    const text = await talk(portOf(recorder.url), 'GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/)
  })
})

describe('what cannot pass', () => {
  test.each([
    ['a web socket', 'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', 501],
    ['CONNECT', 'CONNECT api.example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405],
    ['a call to a forward proxy', 'GET http://api.example.com/v2 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ])('%s is rejected with a sentence', async (_what, bytes, status) => {
    const recorder = await openTestRecorder(await openEcho())
    const text = await talk(portOf(recorder.url), bytes)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(text).toMatch(/"error":"payments-sandbox record [^"]+"/)
    expect(recorder.log().entries).toEqual([])
  })

  test('a call with a trailer that its framing does not allow is rejected with the reason', async () => {
    const faults: string[] = []
    const recorder = await openTestRecorder(await openEcho(), undefined, (message) => faults.push(message))
    const bytes = 'POST /x HTTP/1.1\r\nHost: localhost\r\nTrailer: X-End\r\nContent-Length: 2\r\n\r\n{}'
    expect(await talk(portOf(recorder.url), bytes)).toMatch(/^HTTP\/1\.1 502 [\s\S]*ERR_HTTP_TRAILER_INVALID/)
    await recorder.end()
    expect(recorder.log()).toMatchObject({ entries: [], _omitted: 1 })
  })

  test('an offer of HTTP/2 is declined, and the call passes', async () => {
    const recorder = await openTestRecorder(await openEcho())
    const bytes =
      'POST /x HTTP/1.1\r\nHost: localhost\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 2\r\n\r\n{}'
    expect(await talk(portOf(recorder.url), bytes)).toMatch(/^HTTP\/1\.1 200 OK/)
  })
})

describe('a webhook', () => {
  const hook = { 'Content-Type': 'application/json', 'X-Webhook-Event': 'cashin.expired', 'X-Webhook-Signature': 'ab' }

  test('a webhook is forwarded to the exact URL, answered as the receiver answers, and recorded', async () => {
    const got: (string | undefined)[] = []
    const receiver = await openTarget((incoming, outgoing) => {
      got.push(incoming.url, String(incoming.headers['x-webhook-signature']))
      outgoing.writeHead(202, { 'content-type': 'text/plain' }).end('ok')
    })
    const recorder = await openTestRecorder(await openEcho(), `${receiver}/hooks?shop=1`)
    const body = '{"event":"cashin.expired","data":{"status":"expired","amount":"25.50"}}'
    const answer = await fetch(`${recorder.webhooksUrl}/any/path`, { method: 'POST', headers: hook, body })
    expect([answer.status, got]).toEqual([202, ['/hooks?shop=1', 'ab']])
    expect(await recorder.end()).toEqual({ exchanges: 0, webhooks: 1, omitted: 0, masked: 0 })
    const {
      entries: [entry],
    } = await recorder.logWithEntry()
    expect(entry).toMatchObject({ _webhook: true, request: { postData: { text: body } }, response: { status: 202 } })
  })

  test('a webhook to a receiver that is down is answered with 502 and recorded with this response', async () => {
    const recorder = await openTestRecorder(await openEcho(), 'http://127.0.0.1:9/hooks')
    const answer = await fetch(recorder.webhooksUrl ?? '', { method: 'POST', headers: hook, body: '{}' })
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('check --forward-to')])
    expect((await recorder.logWithEntry()).entries[0]).toMatchObject({ _webhook: true, response: { status: 502 } })
  })
})

test.each(['HTTP/1.1 200 a\\x01b', 'HTTP/1.1 099 Low'])(
  'an answer with the status line %j becomes a 502, and the recorder continues',
  async (line) => {
    const faults: string[] = []
    const target = await openRaw(`${line.replace('\\x01', '\x01')}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    const recorder = await openTestRecorder(target, target, (message) => faults.push(message))
    for (const url of [recorder.url, recorder.url, recorder.webhooksUrl ?? ''])
      expect((await fetch(url, { method: 'POST' })).status).toBe(502)
    expect(faults).toEqual(faults.map(() => expect.stringContaining('sent a response that cannot be forwarded')))
    expect((await recorder.logWithEntry()).entries.map(({ response }) => response.status)).toEqual([502])
  },
)

test('a call with the host name of a foreign page is rejected, and a webhook with the host name of a tunnel passes', async () => {
  const echo = await openEcho()
  const recorder = await openTestRecorder(echo, echo)
  const get = 'GET /x HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
  expect(await talk(portOf(recorder.url), get)).toMatch(/^HTTP\/1\.1 403 [\s\S]*evil\.example/)
  expect(await talk(portOf(recorder.webhooksUrl ?? ''), get)).toMatch(/^HTTP\/1\.1 200 /)
})
