/** Hostile bodies, many connections and large responses: unreadable exchanges are excluded and counted, and every call passes. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Exchange } from '../../src/features/record/file/entry.js'
import { Redaction } from '../../src/features/record/proxy/redaction.js'
import type { Ask } from '../../src/http/host.js'
import { eventually } from '../support/eventually.js'
import { gate } from '../support/gate.js'
import { talk } from '../support/raw-http.js'
import { openEcho, openRaw, openTarget, openTestRecorder, post, readLog } from '../support/recorder.js'
import { startRecorder } from '../support/recorder-program.js'

const hidden = 'xerxes@zardoz.example'
const megabyte = 1024 * 1024

test.each([
  ['truncated JSON', `{"email":"${hidden}"`, 'application/json'],
  ['a NUL in a string', `{"email":"\\u0000${hidden}"}`, 'application/json'],
  ['half of a surrogate pair', `{"email":"\\ud800${hidden}"}`, 'application/json'],
  ['JSON of 5,000 levels', `${'['.repeat(5000)}"${hidden}"${']'.repeat(5000)}`, 'application/json'],
  ['JSON with too many values', `[${`"${hidden}",`.repeat(20_000)}1]`, 'application/json'],
  ['two fields of one name', `{"a":"${hidden}","a":"b"}`, 'application/json'],
  ['a page of HTML', `<html>${hidden}</html>`, 'text/html'],
  [
    'a form without its last boundary',
    `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n${hidden}`,
    'multipart/form-data; boundary=b',
  ],
])('%s passes, is excluded from the recording and is counted', async (_what, body, type) => {
  const recorder = await openTestRecorder(await openEcho())
  expect(await post(`${recorder.url}/any`, body, { 'Content-Type': type })).toBe(body)
  const { entries, _omitted } = await recorder.logWithEntry()
  expect(await recorder.text()).not.toContain('zardoz')
  expect([entries[0]?.request.postData?._omitted, entries[0]?.response.content._omitted, _omitted]).toEqual([
    true,
    true,
    2,
  ])
})

test('bytes that are not text and invalid escapes are excluded from the recording', async () => {
  const recorder = await openTestRecorder(await openEcho())
  await fetch(`${recorder.url}/%ff/a?email=%zz${hidden}`, {
    method: 'POST',
    body: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
  })
  const {
    entries: [entry],
  } = await recorder.logWithEntry()
  expect(await recorder.text()).not.toContain('zardoz')
  expect(new URL(entry?.request.url ?? '').pathname).toBe('/***/a')
  expect([entry?.request.postData?._omitted, entry?.response.content._omitted]).toEqual([true, true])
})

test.each([
  ['decompresses to more than the size limit', 'gzip', () => gzipSync(Buffer.alloc(50_000_000, 0x20))],
  ['is compressed in an unknown way', 'x-unknown', () => '{}'],
])('a response that %s is excluded from the recording', async (_what, encoding, pack) => {
  const packed = pack()
  const recorder = await openTestRecorder(
    await openTarget((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding }).end(packed)
    }),
  )
  await (await fetch(`${recorder.url}/packed`)).arrayBuffer()
  expect((await recorder.logWithEntry()).entries[0]?.response.content._omitted).toBe(true)
})

test('a body of one megabyte is recorded, and one that is a byte longer is excluded', async () => {
  const recorder = await openTestRecorder(await openEcho())
  for (const bytes of [megabyte, megabyte + 1]) await post(`${recorder.url}/any`, '1'.padEnd(bytes))
  const { entries, _omitted } = await recorder.logWithEntry(2)
  const texts = entries.map(({ request, response }) => [request.postData?.text, response.content.text])
  const excluded = ['', undefined]
  expect([texts, _omitted]).toEqual([[['1', '1'], excluded], 2])
})

test('what exceeds 64 MiB of bodies in transit is excluded, and bodies are recorded again after others have ended', async () => {
  const held: ServerResponse[] = []
  const target = await openTarget((incoming, outgoing) => {
    incoming.pipe(outgoing, { end: incoming.url !== '/held' })
    if (incoming.url === '/held') held.push(outgoing)
  })
  const recorder = await openTestRecorder(target)
  /** Each body is in transit twice: in its request and in its response. */
  const hold = async (calls: number) => {
    const stop = new AbortController()
    let got = 0
    const body = '1'.padEnd(megabyte)
    const answers = Array.from({ length: calls }, async () => {
      const answer = await fetch(`${recorder.url}/held`, { method: 'POST', body, signal: stop.signal })
      for await (const chunk of answer.body ?? []) got += chunk.length
    })
    const over = Promise.allSettled(answers)
    await eventually(
      () => got,
      (bytes) => bytes === calls * megabyte,
    )
    return { stop, over }
  }
  const first = await hold(32)
  await post(`${recorder.url}/any`, '{}')
  first.stop.abort()
  await eventually(
    () => recorder.log()._omitted,
    (omitted) => omitted >= 32,
  )
  const second = await hold(17)
  for (const outgoing of held) outgoing.end()
  await second.over
  const { entries, _omitted } = await recorder.logWithEntry(18)
  const excluded = entries.filter(({ response }) => response.content._omitted)
  expect([excluded.map(({ request }) => new URL(request.url).pathname), _omitted]).toEqual([['/any'], 34])
})

test('a call whose response comes before its end reaches the target as a whole', async () => {
  let got = ''
  const target = await openTarget((incoming, outgoing) => {
    incoming.on('data', (chunk: Buffer) => {
      got += chunk.toString()
    })
    outgoing.end('{}')
  })
  const recorder = await openTestRecorder(target)
  const call = request(`${recorder.url}/early`, { method: 'POST' })
  call.write('{"a":')
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  expect(await text(answer)).toBe('{}')
  await recorder.logWithEntry()
  call.end('1}')
  await eventually(
    () => got,
    (all) => all === '{"a":1}',
  )
})

test('after a call that the target ends early, the next call on the connection passes', async () => {
  const target = await openRaw('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}')
  const recorder = await openTestRecorder(target)
  const answers = await talk(
    Number(new URL(recorder.url).port),
    [
      `POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${megabyte}\r\n\r\n`,
      Buffer.alloc(megabyte),
      'GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    ],
    50,
  )
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 413'])
})

test('a call that waits behind another one when the recording ends is counted as lost, and is not sent', async () => {
  const arrived = gate()
  const received: unknown[] = []
  const target = await openTarget(({ url }) => {
    received.push(url)
    arrived.open()
  })
  const faults: string[] = []
  const recorder = await openTestRecorder(target, undefined, (message) => void faults.push(message))
  const socket = connect(Number(new URL(recorder.url).port), '127.0.0.1').on('error', () => {})
  socket.write(['first', 'second'].map((path) => `GET /${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  await arrived.opened
  expect(await recorder.end()).toMatchObject({ exchanges: 0, omitted: 2 })
  await pause(100)
  expect([received, faults]).toEqual([['/first'], []])
})

test.each([
  ['Content-Length: 2', '{}'],
  ['Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
])(
  'the body of a call with %j passes, even if the call names this header as one of its connection',
  async (header, body) => {
    const recorder = await openTestRecorder(await openEcho())
    const head = `DELETE /x HTTP/1.1\r\nHost: localhost\r\nConnection: close, ${header.split(':')[0]}\r\n${header}`
    const answer = await talk(Number(new URL(recorder.url).port), `${head}\r\n\r\n${body}`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{\}/)
  },
)

test('a response of 100 MB passes without staying in memory', async () => {
  const bytes = 100_000_000
  const part = Buffer.alloc(65_536, 0x61)
  const target = await openTarget((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'application/json' })
    let sent = 0
    const more = () => {
      while (sent < bytes) {
        sent += part.length
        if (!outgoing.write(part)) return void outgoing.once('drain', more)
      }
      outgoing.end()
    }
    more()
  })
  const recorder = await startRecorder(target)
  const memoryMb = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${recorder.child.pid}/status`, 'utf8'))?.[1]) / 1024
  const beforeMb = memoryMb()
  let got = 0
  for await (const chunk of (await fetch(`${recorder.url}/large`)).body ?? []) got += chunk.length
  expect(got).toBeGreaterThanOrEqual(bytes)
  expect(memoryMb() - beforeMb).toBeLessThan(80)
})

test('calls over many connections at once are all answered and all recorded, each once', async () => {
  const recorder = await openTestRecorder(await openEcho())
  const ids = Array.from({ length: 600 }, (_, at) => `order-${at}`)
  const answers = await Promise.all(
    ids.map((id) => post(`${recorder.url}/any`, JSON.stringify({ external_id: id, payer: { name: `Ana ${id}` } }))),
  )
  expect(answers.map((text) => JSON.parse(text).external_id)).toEqual(ids)
  expect(await recorder.end()).toEqual({ exchanges: ids.length, webhooks: 0, omitted: 0, masked: 0 })
  const recorded = recorder.log().entries.map(({ response }) => JSON.parse(response.content.text ?? '').external_id)
  expect(recorded.sort()).toEqual(ids.toSorted())
})

test('calls pass while a body of a megabyte is redacted, and the file has every exchange in its order', async () => {
  const form = Array.from({ length: 40_000 }, (_, at) => `f${at}=v${at * 999_983}`).join('&')
  const target = await openTarget((incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'application/x-www-form-urlencoded' })
    outgoing.end(incoming.url === '/large' ? form : 'a=1')
  })
  const recorder = await openTestRecorder(target)
  await (await fetch(`${recorder.url}/large`)).text()
  let passed = 0
  while (recorder.log().entries.length === 0) {
    await (await fetch(`${recorder.url}/small`)).text()
    passed++
  }
  // Without a thread, the first of them waits until the large one is written.
  expect(passed).toBeGreaterThan(5)
  expect(await recorder.end()).toEqual({ exchanges: passed + 1, webhooks: 0, omitted: 0, masked: 0 })
  const paths = recorder.log().entries.map(({ request }) => new URL(request.url).pathname)
  expect([paths[0], new Set(paths.slice(1))]).toEqual(['/large', new Set(['/small'])])
})

test('a recorder that is killed leaves a file that lacks at most the last exchange', async () => {
  const target = await openEcho()
  for (const killAfter of [1, 17, 60]) {
    const recorder = await startRecorder(target)
    let answered = 0
    const caller = async (name: number) => {
      for (let at = 0; ; at++) {
        await post(`${recorder.url}/any`, JSON.stringify({ external_id: `${name}-${at}`, text: 'x'.repeat(at * 50) }))
        answered++
        if (answered === killAfter) recorder.child.kill('SIGKILL')
      }
    }
    await Promise.allSettled([caller(1)])
    const { entries } = readLog(recorder.file)
    expect(entries.length).toBeGreaterThanOrEqual(killAfter - 1)
    expect(entries.map(({ request }) => JSON.parse(request.postData?.text ?? '').external_id)).toEqual(
      entries.map((_, at) => `1-${at}`),
    )
  }
})

test('a response leaves after the exchange before it is written', async () => {
  // The test is the thread that redacts.
  let ask: Ask = async () => null
  const redaction = new Redaction(
    (_job, _input, _taken, answer = ask) => {
      ask = answer
      return new Promise(() => {})
    },
    () => {},
  )
  let taken = ask(null)
  const passTwo = async () => {
    const seen: string[] = []
    const added = redaction.add({} as Exchange, () => void seen.push('written'))
    await taken
    const left = new Promise<void>((resolve) => {
      redaction.whenWritten(() => resolve(void seen.push('left')))
    })
    taken = ask({ text: '', omitted: 0, masked: 0 })
    await Promise.all([added, left])
    return seen
  }
  // If the 20 ms for which it waits pass in between, it leaves before.
  const order = await eventually(passTwo, ([first]) => first === 'written', 5, 5000)
  expect(order).toEqual(['written', 'left'])
})

test('the file can be read after every exchange, and names its process until the end', async () => {
  const recorder = await openTestRecorder(await openEcho())
  const empty = { version: '1.2', entries: [], _omitted: 0, _masked: 0, _process: process.pid }
  expect(recorder.log()).toMatchObject(empty)
  for (let count = 1; count <= 12; count++) {
    await post(`${recorder.url}/any`, count % 3 === 0 ? '{' : '{"a":1}')
    await eventually(
      async () => recorder.log(),
      (log) => log.entries.length === count && log._omitted === 2 * Math.floor(count / 3),
    )
  }
  await recorder.end()
  expect(recorder.log()._process).toBeNull()
})
