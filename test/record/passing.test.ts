/** The recorder forwards requests, responses and webhooks unchanged, and rejects with a clear message what it cannot forward. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.js'
import { gate } from '../support/gate.js'
import { talk } from '../support/raw-http.js'
import { openEcho, openRaw, openSocketTarget, openTarget, openTestRecorder } from '../support/recorder.js'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const portOf = (url: string) => Number(new URL(url).port)

describe('a call', () => {
  test('a call and its response pass with their headers in the same order and case', async () => {
    let raw: string[] = []
    const target = await openTarget((incoming, outgoing) => {
      raw = incoming.rawHeaders
      outgoing.sendDate = false
      outgoing.writeHead(201, 'Made Up', [
        ...['x-ODD', 'a', 'Vary', 'x-ODD', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Content-Length', '2'],
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
    expect(text).toBe(
      'HTTP/1.1 201 Made Up\r\nx-ODD: a\r\nVary: x-ODD\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    )
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

  test('the trailers of a response reach the client', async () => {
    const target = await openTarget((_incoming, outgoing) => {
      outgoing.writeHead(200, { Trailer: 'X-End' }).addTrailers({ 'X-End': 'yes' })
      outgoing.end('{}')
    })
    const recorder = await openTestRecorder(target)
    const text = await talk(portOf(recorder.url), 'GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(text).toMatch(/\r\n\{\}\r\n0\r\nX-End: yes\r\n\r\n$/)
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
      const connections = new Set<unknown>()
      const target = await openTarget((incoming, outgoing) => {
        connections.add(incoming.socket)
        if (incoming.url === '/next') outgoing.writeHead(200, { 'Content-Length': '5' }).end('"abc"')
        else outgoing.writeHead(status, { 'Content-Length': '5', 'Content-Encoding': 'gzip' }).end()
      })
      const recorder = await openTestRecorder(target)
      const calls = `${method} /none HTTP/1.1\r\nHost: localhost\r\n\r\nGET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      const text = await talk(portOf(recorder.url), calls)
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200'])
      // The recorder itself sets no limit for an idle connection.
      expect([connections.size, text.match(/^keep-alive: .*/gim)]).toEqual([1, null])
      const { entries, _omitted } = await recorder.logWithEntry(2)
      expect(entries.map(({ response }) => response.status)).toEqual([status, 200])
      expect([entries.filter(({ request }) => request.postData !== undefined), _omitted]).toEqual([[], 0])
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
    const target = await openSocketTarget((socket) => {
      socket.on('data', (bytes) => {
        if (bytes.includes('/reset')) socket.resetAndDestroy()
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
      })
    })
    const recorder = await openTestRecorder(target)
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

  test('the idle connection to the target is closed when the client closes its own', async () => {
    const closed = gate()
    const target = await openSocketTarget((socket) => {
      socket.once('close', () => closed.open())
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
    })
    const recorder = await openTestRecorder(target)
    const socket = connect(portOf(recorder.url), '127.0.0.1')
    socket.write('GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    await expect(closed.opened).resolves.toBeUndefined()
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

  test.each([
    [65_000, 200],
    [65_530, 431],
  ])('a call with a header of %d bytes gets the status %d, because the limit is 64 KiB', async (bytes, status) => {
    const recorder = await openTestRecorder(await openRaw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
    const call = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(bytes)}\r\nConnection: close\r\n\r\n`
    expect(await talk(portOf(recorder.url), call)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  test('an offer of HTTP/2 is declined, and the call passes', async () => {
    let passed: string[] = []
    const target = await openTarget((incoming, outgoing) => {
      passed = Object.keys(incoming.headers)
      outgoing.end('{}')
    })
    const recorder = await openTestRecorder(target)
    const bytes =
      'POST /x HTTP/1.1\r\nHost: localhost\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 2\r\n\r\n{}'
    expect(await talk(portOf(recorder.url), bytes)).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(passed.sort()).toEqual(['connection', 'content-length', 'host'])
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
    const request = { url: `${receiver}/hooks?shop=1`, postData: { text: body } }
    expect(entry).toMatchObject({ _webhook: true, request, response: { status: 202 } })
  })

  test('a webhook to a receiver that is down is answered with 502 and recorded with this response', async () => {
    const recorder = await openTestRecorder(await openEcho(), 'http://127.0.0.1:9/hooks')
    const answer = await fetch(recorder.webhooksUrl ?? '', { method: 'POST', headers: hook, body: '{}' })
    const text = await answer.text()
    expect([answer.status, text]).toEqual([502, expect.stringContaining('check --forward-to')])
    const [entry] = (await recorder.logWithEntry()).entries
    expect(entry).toMatchObject({ _webhook: true, response: { status: 502, content: { size: text.length } } })
    expect(entry?.timings.wait).toBeGreaterThanOrEqual(0)
  })
})

test('a call whose headers cannot be forwarded is reported as one of the app', async () => {
  const faults: string[] = []
  const recorder = await openTestRecorder(await openEcho(), undefined, (message) => faults.push(message))
  const socket = connect(Number(new URL(recorder.url).port), '127.0.0.1')
  socket.end('POST /a HTTP/1.1\r\nHost: localhost\r\nTrailer: X-A\r\nContent-Length: 2\r\n\r\n{}')
  for await (const _ of socket);
  expect(faults).toEqual([expect.stringMatching(/^your app sent a call that cannot be forwarded/)])
})

test.each(['HTTP/1.1 200 a\\x01b', 'HTTP/1.1 099 Low'])(
  'an answer with the status line %j becomes a 502, and the recorder continues',
  async (line) => {
    const faults: string[] = []
    const target = await openRaw(`${line.replace('\\x01', '\x01')}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    const recorder = await openTestRecorder(target, target, (message) => faults.push(message))
    for (const url of [recorder.url, recorder.url, recorder.webhooksUrl ?? ''])
      expect((await fetch(url, { method: 'POST' })).status).toBe(502)
    expect(faults).toEqual(Array(3).fill(expect.stringContaining('sent a response that cannot be forwarded')))
    expect((await recorder.logWithEntry()).entries.map(({ response }) => response.status)).toEqual([502])
  },
)

test('a call with the host name of a foreign page is rejected, and one without a host name and a webhook with that of a tunnel pass', async () => {
  const echo = await openEcho()
  const recorder = await openTestRecorder(echo, echo)
  const get = 'GET /x HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
  expect(await talk(portOf(recorder.url), get)).toMatch(/^HTTP\/1\.1 403 [\s\S]*evil\.example/)
  expect(await talk(portOf(recorder.webhooksUrl ?? ''), get)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await talk(portOf(recorder.url), get.replace(/Host: .*\r\n/, ''))).toMatch(/^HTTP\/1\.1 200 /)
})
