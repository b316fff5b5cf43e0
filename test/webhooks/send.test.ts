/** Sends webhooks over real sockets to well-behaved and misbehaving receivers. */
import { afterEach, describe, expect, test } from 'vitest'
import { createSender, type Sender, type SenderOptions } from '../../src/runtime/node/send/send.js'
import { eventually } from '../support/eventually.js'
import { closedPort } from '../support/free-port.js'
import { answer, answers, floods } from '../support/hostile-answers.js'
import { type Behave, type HostileReceiver, startHostile } from '../support/hostile-receiver.js'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

/** Longer than any test: only a send that is to end by its limit gets a short one. */
const patient = { connectMs: 170_000, totalMs: 170_000 }

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = createSender({ guardPrivate: false, allowHosts: [], httpsOnly: false, timeouts: patient, ...options })
  cleanups.push(() => made.close())
  return made
}

async function receiver(onRequest: Behave): Promise<HostileReceiver> {
  const started = await startHostile({ onRequest })
  cleanups.push(() => started.close())
  return started
}

const request = (url: string) => ({ url, headers: { 'Content-Type': 'application/json' }, body: '{}' })
/** Waits two turns of the event loop, after which a used connection is free again. */
const freed = () => new Promise((done) => setImmediate(() => setImmediate(done)))
const ok: Behave = (socket) => socket.write(answer(200, 'ok'))

describe('a sent webhook', () => {
  test('has exactly the given headers and bytes', async () => {
    const target = await receiver(ok)
    const headers = {
      'Content-Type': 'application/json',
      'X-Webhook-Event': 'cashin.confirmed',
      'X-Webhook-Signature': 'ab'.repeat(32),
      'User-Agent': 'Service-Webhook/2.0',
      'X-Sandbox': '1',
    }
    const body = '{"name":"João 💸","pad":"  \\u0000"}'
    await sender().send({ url: `${target.url}/a%20b/ç?q=1&r=%2F#part`, headers, body })
    const [sent] = target.requests
    const [line, ...lines] = sent?.head.split('\r\n') ?? []
    expect(line).toBe('POST /a%20b/%C3%A7?q=1&r=%2F HTTP/1.1')
    for (const [name, value] of Object.entries(headers)) expect(lines).toContain(`${name}: ${value}`)
    expect(lines.map((text) => text.toLowerCase())).toContain(`content-length: ${Buffer.byteLength(body)}`)
    const names = lines.map((text) => text.split(':')[0]?.toLowerCase())
    expect(names.sort()).toEqual(
      [...Object.keys(headers).map((name) => name.toLowerCase()), 'connection', 'content-length', 'host'].sort(),
    )
    expect(sent?.body).toEqual(Buffer.from(body, 'utf8'))
  })

  test('may have its body in two parts, split anywhere, or end after the first', async () => {
    const target = await receiver(ok)
    const body = '{"name":"João 💸"}'
    const whole = { ...request(target.url), body, splitBody: { atByte: 16, pauseMs: 10, end: 'rest' } as const }
    expect(await sender().send(whole)).toMatchObject({ outcome: 'ok' })
    expect(target.requests[0]?.body).toEqual(Buffer.from(body))
    const broken = { ...whole, splitBody: { ...whole.splitBody, end: 'break' } as const }
    expect(await sender().send(broken)).toMatchObject({ outcome: 'reset' })
    await target.idle()
    expect(target.requests).toHaveLength(1)
  })

  test('follows the same rules for a GET, without a body', async () => {
    const target = await receiver(ok)
    const asked = { ...request(`${target.url}/effects?id=1`), headers: {}, body: '', method: 'GET' } as const
    expect(await sender().send(asked)).toMatchObject({ outcome: 'ok', responseBody: 'ok' })
    expect(target.requests[0]?.head.split('\r\n')[0]).toBe('GET /effects?id=1 HTTP/1.1')
  })

  test('does not follow a redirect, which is a failure', async () => {
    const elsewhere = await receiver(ok)
    const target = await receiver((socket) => socket.write(answer(301, 'moved', `Location: ${elsewhere.url}\r\n`)))
    const result = await sender().send(request(target.url))
    expect(result).toMatchObject({ outcome: 'http_error', status: 301, responseBody: 'moved' })
    expect([target.requests.length, elsewhere.connections]).toEqual([1, 0])
  })

  test('reuses connections', async () => {
    const target = await receiver(ok)
    const { send } = sender()
    for (let count = 0; count < 20; count += 1) await send(request(target.url))
    // At most two connections: a send in the turn in which the first becomes free opens a second.
    expect(target.requests).toHaveLength(20)
    expect(target.connections).toBeLessThanOrEqual(2)
  })

  test('is not lost when the receiver closes an idle connection', async () => {
    const target = await receiver((socket) => socket.end(answer(200, 'ok')))
    const { send } = sender()
    for (let count = 0; count < 20; count += 1) {
      expect(await send(request(target.url))).toMatchObject({ outcome: 'ok' })
      await target.idle()
    }
    expect(target.requests).toHaveLength(20)
  })

  test('uses one connection each for a receiver that closes them', async () => {
    const target = await receiver((socket) => socket.end(answer(200, 'ok')))
    const { send } = sender()
    await send(request(target.url))
    await target.idle()
    await freed()
    await send(request(target.url))
    const kept = target.requests.map(({ head }) => /^connection: (.*)$/im.exec(head)?.[1])
    expect(kept).toEqual(['keep-alive', 'close'])
  })

  test('is not repeated when a request was read and no response comes', async () => {
    const target = await receiver((socket, index) => (index === 0 ? ok(socket, index) : socket.end()))
    const { send } = sender()
    expect(await send(request(target.url))).toMatchObject({ outcome: 'ok' })
    await freed()
    expect(await send(request(target.url))).toMatchObject({ outcome: 'reset' })
    expect([target.requests.length, target.connections]).toEqual([2, 1])
  })
})

describe('a receiver', () => {
  test.each(Object.entries(answers))('that %s', async (_name, { behave, outcome, status, body }) => {
    const target = await receiver(behave)
    const result = await sender().send(request(target.url))
    expect(result).toMatchObject({ outcome, status, responseBody: body })
    expect(result.durationMs).toBeGreaterThan(0)
    expect(target.requests).toHaveLength(1)
  })

  test.each(Object.entries(floods))('that %s is cut off and its socket ended', async (_name, flood) => {
    let written = () => 0
    const target = await receiver((socket) => {
      written = () => socket.bytesWritten
      flood.behave(socket)
    })
    const timeouts = flood.outcome === 'timeout' ? { ...patient, totalMs: 500 } : patient
    const result = await sender({ timeouts }).send(request(target.url))
    expect(result).toMatchObject({ outcome: flood.outcome, status: flood.status })
    expect(result.detail).not.toBeNull()
    expect(Buffer.byteLength(result.responseBody ?? '')).toBeLessThanOrEqual(64 * 1024)
    await target.idle()
    // Only the kernel's buffers of both sides were read from a receiver that never stops sending.
    expect(written()).toBeLessThan(64 * 1024 * 1024)
  })

  test('that compresses its response is recorded with the compressed bytes', async () => {
    const target = await receiver(floods['sends a gzip bomb']?.behave ?? ok)
    const result = await sender().send(request(target.url))
    expect(result.responseBody?.slice(0, 2)).toBe('\x1f\ufffd')
  })

  test('that does not exist is refused', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const result = await sender().send(request(`http://${host}:${closedPort}`))
      expect(result).toMatchObject({ outcome: 'refused', status: null, responseBody: null })
      expect(result.detail).toContain('ECONNREFUSED')
    }
  })

  test('that has an unknown name fails by dns', async () => {
    expect(await sender().send(request('https://nobody.invalid/hook'))).toMatchObject({ outcome: 'dns', status: null })
  })
})

describe('a slow send', () => {
  test('is a connect timeout when a TLS handshake is never answered', async () => {
    const target = await startHostile({})
    cleanups.push(() => target.close())
    const result = await sender({ timeouts: { ...patient, connectMs: 100 } }).send(
      request(`https://127.0.0.1:${target.port}`),
    )
    expect(result).toMatchObject({ outcome: 'connect_timeout', detail: 'no connection within 100 ms' })
    await target.idle()
  })

  test('is a connect timeout when a name lookup is never answered', async () => {
    const { send } = sender({ timeouts: { ...patient, connectMs: 100 }, resolve: () => new Promise(() => {}) })
    expect(await send(request('http://receiver.test'))).toMatchObject({ outcome: 'connect_timeout' })
  })

  test('that timed out while connecting is not sent later', async () => {
    const target = await receiver(ok)
    let found = () => {}
    const resolve = () =>
      new Promise<[{ address: string; family: number }]>((done) => {
        found = () => done([{ address: '127.0.0.1', family: 4 }])
      })
    const { send } = sender({ timeouts: { ...patient, totalMs: 100 }, resolve })
    expect(await send(request(`http://receiver.test:${target.port}`))).toMatchObject({ outcome: 'timeout' })
    found()
    await eventually(
      () => target.connections,
      (count) => count === 1,
    )
    expect(await sender().send(request(target.url))).toMatchObject({ outcome: 'ok' })
    expect(target.requests).toHaveLength(1)
  })

  test('is reported once to the caller for a slow receiver, and never for a fast one', async () => {
    const slow = await receiver(() => {})
    const quick = await receiver(ok)
    const heard = { quick: [] as string[], slow: [] as string[] }
    const hear = (who: keyof typeof heard) => ({
      sent: () => heard[who].push('sent'),
      slow: () => heard[who].push('slow'),
    })
    const { durationMs } = await sender().send(request(quick.url), hear('quick'))
    await sender({ timeouts: { ...patient, totalMs: 1000 } }).send(request(slow.url), hear('slow'))
    // On a very busy machine even the fast receiver may be slow.
    const allowed = durationMs < 100 ? [['sent']] : [['sent'], ['slow', 'sent']]
    expect(allowed).toContainEqual(heard.quick)
    expect(heard.slow).toEqual(['slow'])
  })

  test.each(['each with its own address', 'all at one address'])(
    'does not delay a healthy receiver beside 200 hanging ones, %s',
    async (where) => {
      const hang: Behave = (socket, index) => index >= 200 && socket.write(answer(200, 'ok'))
      const shared = await receiver(hang)
      const targets = where.startsWith('all')
        ? Array<HostileReceiver>(200).fill(shared)
        : await Promise.all(Array.from({ length: 200 }, () => receiver(() => {})))
      const healthy = where.startsWith('all') ? shared : await receiver(ok)
      const { send, close } = sender()
      let ended = 0
      const hanging = targets.map(async ({ url }) => {
        const { outcome } = await send(request(url))
        ended += 1
        return outcome
      })
      await eventually(
        () => targets.reduce((sum, { requests }) => sum + Math.min(requests.length, 1), 0),
        (count) => count === 200,
      )
      await eventually(
        () => shared.requests.length,
        (count) => count === (where.startsWith('all') ? 200 : 0),
      )
      expect(await send(request(healthy.url))).toMatchObject({ outcome: 'ok' })
      expect(ended).toBe(0)
      await close()
      expect(new Set(await Promise.all(hanging))).toEqual(new Set(['reset']))
    },
  )

  test('among many leaves a receiver usable, and reports a closed sender', async () => {
    const target = await receiver(ok)
    const { send, close } = sender()
    const crowd = await Promise.all(Array.from({ length: 300 }, () => send(request(target.url))))
    expect(crowd.every(({ outcome }) => outcome === 'ok')).toBe(true)
    expect(await send(request(target.url))).toMatchObject({ outcome: 'ok' })
    await close()
    expect(await send(request(target.url))).toMatchObject({ outcome: 'refused', detail: 'the sender is closed' })
    expect(target.requests).toHaveLength(301)
  })
})
