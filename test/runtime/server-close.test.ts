/** The HTTP server over time: streams, slow clients, and a close that loses no response. */
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { errorBody } from '../../src/protocol/platform/errors.js'
import { type RunningServer, type ServeOptions, serve } from '../../src/runtime/node/server/serve.js'
import { gate } from '../support/gate.js'
import { answersIn, talk } from '../support/raw-http.js'

const open: RunningServer[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((served) => served.close(0)))
})

async function start(fetch: ServeOptions['fetch'], more: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const served = await serve({
    host: '127.0.0.1',
    port: 0,
    fetch,
    renderError: (status, code, message, details) => ({
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(errorBody({ status, code, message, details })),
    }),
    ...more,
  })
  open.push(served)
  return served
}

/** A stream of events that the test controls. */
function eventStream() {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const canceled = gate()
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
    cancel: () => canceled.open(),
  })
  return {
    answer: () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }),
    send: (text: string) => controller?.enqueue(encoder.encode(text)),
    canceled: canceled.opened,
  }
}

/** Returns the head of the response to a GET of `path`. */
async function getOver(served: RunningServer, path: string, agent?: Agent): Promise<IncomingMessage> {
  const request = get(served.url + path, { agent })
  const [answer] = await once(request, 'response')
  return answer
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return (await answer.setEncoding('utf8').toArray()).join('')
}

async function closeOf(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
}

describe("the server's listen", () => {
  test('reports a port in use', async () => {
    const { port } = await start(() => new Response())
    await expect(start(() => new Response(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test('gives a URL that can be called for a wildcard address', async () => {
    const { url, port } = await start(() => new Response('here'), { host: '0.0.0.0' })
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect(await (await fetch(url)).text()).toBe('here')
  })
})

describe('event streams', () => {
  test('send head and events at once', async () => {
    const events = eventStream()
    const served = await start(async () => events.answer())
    const answer = await getOver(served, '/')
    events.send('data: 1\n\n')
    expect(String((await once(answer, 'data'))[0])).toBe('data: 1\n\n')
    events.send('data: 2\n\n')
    expect(String((await once(answer, 'data'))[0])).toBe('data: 2\n\n')
  })

  test.each([
    ['leaves', (socket: Socket) => socket.destroy()],
    ['ends its side', (socket: Socket) => socket.end()],
  ])('notify their source when the client %s', async (_name, leave) => {
    const events = eventStream()
    const served = await start(async () => events.answer())
    const answer = await getOver(served, '/')
    answer.on('error', () => {})
    leave(answer.socket)
    await events.canceled
  })
})

describe('clients that are too slow', () => {
  const timeouts = { headersMs: 100, requestMs: 200, checkEveryMs: 20 }
  test.each([
    ['with its headers', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    ['with its body', 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nabc'],
  ])('get 408 with the error body: %s', async (_name, bytes) => {
    const served = await start(async (request) => new Response(await request.text()), { timeouts })
    const [answer, ...others] = answersIn(await talk(served.port, bytes))
    expect(others).toEqual([])
    expect([answer?.status, JSON.parse(answer?.body ?? '').error.code]).toEqual([408, 'WAIT_TIMEOUT'])
  })

  test('get no second response after a first one', async () => {
    // Long enough for the first bytes on any machine, even if this process stands still.
    const longer = { headersMs: 5000, requestMs: 5000, checkEveryMs: 20 }
    const served = await start(async () => new Response('early'), { timeouts: longer })
    const bytes = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nabc'
    expect(answersIn(await talk(served.port, bytes)).map(({ body }) => body)).toEqual(['early'])
  })
})

describe("the server's close", () => {
  test('lets a running call finish, and tells its client to close the connection', async () => {
    const [arrived, worked] = [gate(), gate()]
    const served = await start(async () => {
      arrived.open()
      await worked.opened
      return new Response('done')
    })
    const answering = getOver(served, '/', new Agent({ keepAlive: true }))
    await arrived.opened
    const closing = served.close(60_000)
    await expect(fetch(served.url)).rejects.toThrow()
    worked.open()
    const answer = await answering
    expect(answer.headers.connection).toBe('close')
    expect(await textOf(answer)).toBe('done')
    await closing
  })

  test('ends streams cleanly and at once', async () => {
    const events = eventStream()
    const served = await start(async () => events.answer())
    const answer = await getOver(served, '/', new Agent({ keepAlive: true }))
    events.send('data: 1\n\n')
    await Promise.all([served.close(60_000), events.canceled])
    expect(await textOf(answer)).toBe('data: 1\n\n')
    expect(answer.complete).toBe(true)
  })

  test('does not wait for idle or unused sockets', async () => {
    const served = await start(() => new Response('ok'))
    const unused = connect(served.port, '127.0.0.1')
    await once(unused, 'connect')
    const answer = await getOver(served, '/', new Agent({ keepAlive: true }))
    const { socket } = answer
    expect(await textOf(answer)).toBe('ok')
    await served.close(60_000)
    await Promise.all([closeOf(unused), closeOf(socket)])
  })

  test('ends the remaining calls after the given time, and may be called twice', async () => {
    const arrived = gate()
    const served = await start(() => {
      arrived.open()
      return new Promise<Response>(() => {})
    })
    const answering = getOver(served, '/')
    await arrived.opened
    const dropped = expect(answering).rejects.toMatchObject({ code: 'ECONNRESET' })
    await Promise.all([served.close(20), served.close(20), dropped])
  })
})
