/** Hostile bodies, many connections and large responses: unreadable exchanges are excluded and counted, and every call passes. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.js'
import { openEcho, openTarget, openTestRecorder, post, readLog } from '../support/recorder.js'
import { startRecorder } from '../support/recorder-program.js'

const hidden = 'xerxes@zardoz.example'

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
})

test('a response that decompresses to more than the size limit is excluded from the recording', async () => {
  const packed = gzipSync(Buffer.alloc(50_000_000, 0x20))
  const recorder = await openTestRecorder(
    await openTarget((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(packed)
    }),
  )
  await (await fetch(`${recorder.url}/bomb`)).arrayBuffer()
  expect((await recorder.logWithEntry()).entries[0]?.response.content._omitted).toBe(true)
})

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

test('the file can be read after every exchange', async () => {
  const recorder = await openTestRecorder(await openEcho())
  expect(recorder.log()).toMatchObject({ version: '1.2', entries: [], _omitted: 0 })
  for (let count = 1; count <= 12; count++) {
    await post(`${recorder.url}/any`, count % 3 === 0 ? '{' : '{"a":1}')
    await eventually(
      async () => recorder.log(),
      (log) => log.entries.length === count && log._omitted === 2 * Math.floor(count / 3),
    )
  }
})
