/** The HTTP server with clients that break the rules: always an error body, never a crash, and the next client is served. */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Env } from '../../src/http/host.js'
import { errorBody } from '../../src/protocol/platform/errors.js'
import { type RunningServer, serve } from '../../src/runtime/node/server/serve.js'
import { noAddresses, noRequests } from '../support/bad-requests.js'
import { answersIn, type RawAnswer, talk } from '../support/raw-http.js'

const tenMegabytes = 10 * 1024 * 1024
let served: RunningServer
const faults: unknown[] = []
const escaped: unknown[] = []
const noteEscaped = (error: unknown) => escaped.push(error)

/** A small app that echoes, answers early, reads half of a body, fails, or drops the connection. */
async function app(request: Request, env: Env): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/early')
    return Response.json(errorBody({ status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'Too large.', details: {} }), {
      status: 413,
    })
  if (pathname === '/half') {
    await request.body?.getReader().read()
    return Response.json(errorBody({ status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'Too large.', details: {} }), {
      status: 413,
    })
  }
  if (pathname === '/throws') throw new Error('a bug')
  if (pathname === '/drop') env.disconnect()
  if (pathname === '/slow') await new Promise((resolve) => setTimeout(resolve, 50))
  const body = await request.text()
  const { ip, rawTarget } = env
  return Response.json({
    method: request.method,
    pathname,
    ip,
    rawTarget,
    host: request.headers.get('host'),
    bytes: body.length,
  })
}

beforeAll(async () => {
  process.on('unhandledRejection', noteEscaped)
  served = await serve({
    host: '127.0.0.1',
    port: 0,
    fetch: (request, env) => {
      if (request.url.endsWith('/throws-at-once')) throw new Error('a bug')
      return app(request, env)
    },
    renderError: (status, code, message, details) => ({
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': 'req_1' },
      body: JSON.stringify(errorBody({ status, code, message, details })),
    }),
    onFault: (error) => faults.push(error),
  })
})

afterAll(async () => {
  await served.close(0)
  process.off('unhandledRejection', noteEscaped)
})

afterEach(async () => {
  const answer = await fetch(`${served.url}/still-there`)
  expect(answer.status).toBe(200)
  expect(escaped).toEqual([])
})

async function answers(bytes: string | Buffer | readonly (string | Buffer)[]): Promise<RawAnswer[]> {
  return answersIn(await talk(served.port, bytes))
}

async function only(bytes: string | Buffer | readonly (string | Buffer)[]): Promise<RawAnswer> {
  const [answer, ...others] = await answers(bytes)
  if (answer === undefined) throw new Error('The server closed without an answer')
  expect(others).toEqual([])
  return answer
}

function expectError(answer: RawAnswer, status: number, code: string): void {
  expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code])
  expect(Object.keys(JSON.parse(answer.body).error)).toEqual(['code', 'message', 'group', 'retryable', 'details'])
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    connection: 'close',
  })
}

const host = 'Host: 127.0.0.1\r\n'
const last = `${host}Connection: close\r\n`

describe('bytes that are not a request get an error body', () => {
  test.each(noRequests)('%s', async (_name, bytes, status, code) => {
    const answer = await only(bytes)
    expectError(answer, status, code)
    if (status === 405) expect(answer.headers.allow).toContain('GET')
  })
})

describe('a request with an invalid target gets an error body', () => {
  test.each(noAddresses)('%s', async (_name, bytes, status, code) => {
    expectError(await only(bytes), status, code)
  })
})

describe('an unusual request reaches the app', () => {
  test.each([
    ['percent sign alone', `GET /% HTTP/1.1\r\n${last}\r\n`, '/%'],
    ['percent with no hex', `GET /%zz?%=% HTTP/1.1\r\n${last}\r\n`, '/%zz'],
    ['dots in disguise', `GET /v2/%2e%2e/_sandbox HTTP/1.1\r\n${last}\r\n`, '/_sandbox'],
    ['absolute form', `GET http://127.0.0.1/v2/x HTTP/1.1\r\n${last}\r\n`, '/v2/x'],
    ['two slashes', `GET //evil.example/x HTTP/1.1\r\n${last}\r\n`, '//evil.example/x'],
    ['an empty Host', 'GET /a HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', '/a'],
    ['Host in capitals', 'GET /a HTTP/1.1\r\nHost: LOCALHOST:4010\r\nConnection: close\r\n\r\n', '/a'],
    ['Host in IPv6', 'GET /a HTTP/1.1\r\nHost: [::1]:4010\r\nConnection: close\r\n\r\n', '/a'],
    ['HTTP/0.9', 'GET /a\r\n\r\n', '/a'],
    ['HTTP/1.0', 'GET /a HTTP/1.0\r\n\r\n', '/a'],
    [
      'a WebSocket handshake',
      `GET /a HTTP/1.1\r\n${host}Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      '/a',
    ],
    [
      'an upgrade to h2c',
      `GET /a HTTP/1.1\r\n${host}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      '/a',
    ],
    ['TRACE', `TRACE /a HTTP/1.1\r\n${last}\r\n`, '/a'],
  ])('%s', async (_name, bytes, pathname) => {
    const answer = await only(bytes)
    expect(answer.status).toBe(200)
    const [, rawTarget] = bytes.split(/[ \r]/)
    expect(JSON.parse(answer.body)).toMatchObject({ pathname, rawTarget, ip: '127.0.0.1' })
  })

  test('with a client that ended its side right after it', async () => {
    const socket = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.end(`GET /slow HTTP/1.1\r\n${host}\r\n`)
    const [answer] = answersIn((await socket.setEncoding('latin1').toArray()).join(''))
    expect(answer?.status).toBe(200)
  })
})

describe('the Expect header', () => {
  test('100-continue is answered before the body', async () => {
    const head = `POST /a HTTP/1.1\r\n${last}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`
    const [first, second] = await answers([head, 'abc'])
    expect([first?.status, second?.status]).toEqual([100, 200])
    expect(JSON.parse(second?.body ?? '')).toMatchObject({ bytes: 3 })
  })

  test('with an announced body over the limit of its type is rejected at once', async () => {
    const head = (type: string, bytes: number) =>
      `POST /a HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`
    expectError(await only(head('application/json', 256 * 1024 + 1)), 413, 'PAYLOAD_TOO_LARGE')
    expectError(await only(head('multipart/form-data; boundary=x', 50 * 1024 * 1024 + 1)), 413, 'PAYLOAD_TOO_LARGE')
    const [first] = await answers([
      `${head('multipart/form-data; boundary=x', 300_000)}`.replace(host, last),
      Buffer.alloc(300_000),
    ])
    expect(first?.status).toBe(100)
  })

  test('does not limit the files of the control API, whose routes have limits of their own', async () => {
    const head = `POST /_sandbox/certify/books HTTP/1.1\r\n${last}Expect: 100-continue\r\nContent-Type: text/csv\r\n`
    const [first] = await answers([`${head}Content-Length: 300000\r\n\r\n`, Buffer.alloc(300_000)])
    expect(first?.status).toBe(100)
  })

  test('with any other value is 417', async () => {
    expectError(await only(`GET /a HTTP/1.1\r\n${host}Expect: tea\r\n\r\n`), 417, 'INVALID_VALUE')
  })
})

describe('pipelining', () => {
  test('returns responses in order, and rejects garbage after them last', async () => {
    const all = await answers(`GET /slow HTTP/1.1\r\n${host}\r\nGET /b HTTP/1.1\r\n${host}\r\ngarbage\r\n\r\n`)
    expect(all.map(({ status }) => status)).toEqual([200, 200, 400])
    expect(all.slice(0, 2).map(({ body }) => JSON.parse(body).pathname)).toEqual(['/slow', '/b'])
  })

  test('answers an incomplete body once, even while the app still reads it', async () => {
    const bad = `POST /a HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`
    expectError(await only([bad, 'zz\r\n']), 400, 'INVALID_VALUE')
  })
})

describe('an unread body', () => {
  const body = Buffer.alloc(tenMegabytes, 'a')
  const inChunks = Buffer.concat([Buffer.from(`${tenMegabytes.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
  const cases = ['/early', '/half'].flatMap((path) => [
    { path, name: 'with its length', head: `Content-Length: ${tenMegabytes}\r\n`, bytes: body },
    { path, name: 'in chunks', head: 'Transfer-Encoding: chunked\r\n', bytes: inChunks },
  ])
  test.each(cases)('with $name on $path gives the client its 413', async ({ path, head, bytes }) => {
    const answer = await only([`POST ${path} HTTP/1.1\r\n${last}${head}\r\n`, bytes])
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test.each(['/early', '/half'])('with %s gives fetch its 413', async (path) => {
    const answer = await fetch(served.url + path, { method: 'POST', body })
    expect([answer.status, (await answer.json()).error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('is not read further when a client continues to send after its response', async () => {
    const socket = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true })
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', () => {})
    socket.write(`POST /early HTTP/1.1\r\n${last}Transfer-Encoding: chunked\r\n\r\n`)
    const sending = setInterval(() => socket.write('1\r\na\r\n'), 10)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(sending)
    expect(Buffer.concat(received).toString()).toContain(' 413 ')
  })
})

describe('faults of the app', () => {
  test.each(['/throws', '/throws-at-once'])('on %s are 500 with the error body, and are reported', async (path) => {
    const answer = await fetch(served.url + path, { method: 'POST', body: '{}' })
    expect([answer.status, (await answer.json()).error.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(faults.splice(0)).toEqual([new Error('a bug')])
  })

  test('drop the connection without a byte on disconnect', async () => {
    expect(await talk(served.port, `GET /drop HTTP/1.1\r\n${host}\r\n`)).toMatch(/^(<read ECONNRESET>)?$/)
  })

  test('do not occur when clients disconnect in the middle of a body or before the response', async () => {
    const leave = (bytes: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(served.port, '127.0.0.1')
        socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 5))
        socket.on('close', () => resolve())
      })
    const half = `HTTP/1.1\r\n${host}Content-Length: 1000\r\n\r\nabc`
    await Promise.all(
      ['/a', '/half', '/early', '/slow'].flatMap((path) => [
        leave(`POST ${path} ${half}`),
        leave(`GET ${path} ${half}`),
      ]),
    )
    expect(faults).toEqual([])
  })
})
