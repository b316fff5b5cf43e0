/** `payments-sandbox record`: its output, its summary, the files that it replaces, and wrong usage. */
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { RecordingFile, requireFile } from '../../src/features/record/file/recording-file.js'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { closeAfter } from '../support/hooks.js'
import { certificatePath } from '../support/hostile-receiver.js'
import { collect, ended, launch, printed, run } from '../support/program.js'
import { talk } from '../support/raw-http.js'
import { openEcho, openTarget, openTestRecorder, post, readLog } from '../support/recorder.js'
import { startRecorder } from '../support/recorder-program.js'

beforeAll(async () => void (await built()))

/** Returns the file for each time that a process has it open, also after it was deleted or replaced. */
const openedBy = (pid: number | undefined, file: string): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const opened = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return opened.startsWith(file) ? [opened] : []
    } catch {
      // Closed meanwhile.
      return []
    }
  })

test('record --json prints a line when it is ready and a summary when it is interrupted', async () => {
  const receiver = await openTarget((_incoming, outgoing) => outgoing.writeHead(200).end())
  const recorder = await startRecorder(await openEcho(), '--webhooks-port', '0', '--forward-to', `${receiver}/hooks`)
  expect(recorder.webhooksUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  // So many over one connection that Node would warn of a leak.
  const calls = 20
  for (let call = 0; call < calls; call++) await post(`${recorder.url}/v2/any`, '{"status":"pending"}')
  await post(recorder.webhooksUrl ?? '', '{"event":"cashin.expired"}')
  const over = ended(recorder.child)
  recorder.child.kill('SIGINT')
  const { code, stderr } = await over
  expect([code, stderr]).toEqual([0, ''])
  const [, summary = ''] = recorder.output().trim().split('\n')
  expect(JSON.parse(summary)).toEqual({
    event: 'stopped',
    file: recorder.file,
    exchanges: calls,
    webhooks: 1,
    omitted: 0,
    masked: 0,
  })
  const { entries } = readLog(recorder.file)
  expect(entries.map((entry) => entry._webhook ?? false)).toEqual([...Array(calls).fill(false), true])
})

test('record tells people where to send calls, and how many it recorded', async () => {
  const file = join(temporaryFolder(), 'calls.har')
  const child = launch(['record', '--target', await openEcho(), '--out', file])
  const over = ended(child)
  const [, url = ''] = /recording (\S+)/.exec(await printed(child, /Ctrl-C/)) ?? []
  await post(`${url}/v2/any`, '{')
  child.kill('SIGINT')
  const { code, stdout } = await over
  expect(code).toBe(0)
  expect(stdout).toContain(`${file}: 1 calls, 0 webhooks; 2 exchanges or parts of them are left out`)
})

test('record replaces a recording and no other file', async () => {
  const folder = temporaryFolder()
  const target = await openEcho()
  const first = await startRecorder(target)
  await post(`${first.url}/v2/any`, '{}')
  first.child.kill('SIGKILL')
  const again = launch(['record', '--target', target, '--out', first.file, '--json'])
  await printed(again, /\n/)
  expect(openedBy(again.pid, first.file)).toEqual([first.file])
  again.kill('SIGKILL')
  expect(readLog(first.file).entries).toEqual([])
  const [other, browser] = [join(folder, 'notes.txt'), join(folder, 'browser.har')]
  writeFileSync(other, 'notes')
  writeFileSync(browser, '{"log":{"version":"1.2","creator":{"name":"Browser"},"entries":[]}}')
  for (const file of [other, browser]) {
    const before = readFileSync(file, 'utf8')
    const { code, stderr } = await run(['record', '--target', target, '--out', file])
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not a recording of payments-sandbox')])
    expect(readFileSync(file, 'utf8')).toBe(before)
  }
  for (const file of ['/dev/stdout', '/dev/null', join(folder, 'no', 'such.har')]) {
    const { code, stdout, stderr } = await run(['record', '--target', target, '--out', file])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/cannot be written: .*--out\n$/)])
  }
})

test.each([
  ['--target', ['--target', 'api.example.com', '--out', 'x.har'], '--target must be an http:// or https:// URL'],
  [
    'a password',
    ['--target', 'https://me:hunter2@api.example.com', '--out', 'x.har'],
    '--target must not contain a user',
  ],
  ['a query', ['--target', 'https://api.example.com?a=1', '--out', 'x.har'], '--target must not have a query'],
  ['--port', ['--target', 'https://api.example.com', '--out', 'x.har', '--port', '70000'], '--port must be a whole'],
  [
    'one of two',
    ['--target', 'https://api.example.com', '--out', 'x.har', '--webhooks-port', '0'],
    'must be given together',
  ],
  ['no --out', ['--target', 'https://api.example.com'], '--out'],
])('record with wrong usage (%s) exits with code 2 and reports the mistake', async (_what, flags, says) => {
  const { code, stderr } = await run(['record', ...flags], { cwd: temporaryFolder() })
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  expect(stderr).not.toContain('hunter2')
})

test('record reports a port that is in use and leaves no file', async () => {
  const first = await startRecorder(await openEcho())
  const file = join(temporaryFolder(), 'calls.har')
  const flags = ['--target', 'https://api.example.com', '--out', file, '--port', new URL(first.url).port]
  const { code, stderr } = await run(['record', ...flags])
  expect([code, stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')])
  expect(() => readFileSync(file)).toThrow('ENOENT')
})

test('record is refused on the file of another recorder that runs, with the number of its process', async () => {
  const first = await startRecorder(await openEcho())
  await post(`${first.url}/v2/any`, '{"n":1}')
  const { code, stderr } = await run(['record', '--target', 'https://api.example.com', '--out', first.file])
  expect([code, stderr]).toEqual([1, expect.stringContaining(`process ${first.child.pid} records into it`)])
  await post(`${first.url}/v2/any`, '{"n":2}')
  const over = ended(first.child)
  first.child.kill('SIGINT')
  await over
  expect(readLog(first.file).entries).toHaveLength(2)
  const again = launch(['record', '--target', 'https://api.example.com', '--out', first.file, '--json'])
  await printed(again, /\n/)
  again.kill('SIGKILL')
  expect(readLog(first.file).entries).toEqual([])
})

test('record replaces the recording of a process that was killed, even if another program has its number now', async () => {
  const target = await openEcho()
  const { child, file } = await startRecorder(target)
  child.kill('SIGKILL')
  const other = spawn('sleep', ['600'])
  closeAfter(() => void other.kill())
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"_process": *\d+/, `"_process":${other.pid}`))
  const again = launch(['record', '--target', target, '--out', file, '--json'])
  closeAfter(() => void again.kill('SIGKILL'))
  expect(JSON.parse(await printed(again, /\n/))).toMatchObject({ event: 'ready' })
})

test('a recording of a killed recorder is replaced by one with the same number, as in a container', async () => {
  const file = join(temporaryFolder(), 'calls.har')
  // The first one is not closed.
  await RecordingFile.create(file, () => {})
  requireFile(file)
  const recording = await RecordingFile.create(file, () => {})
  recording.close()
  expect(readLog(file).entries).toEqual([])
})

test('a recording that is deleted is written anew with all exchanges, and reported', async () => {
  const recorder = await startRecorder(await openEcho())
  const faults = printed(recorder.child, /was deleted/, 'stderr')
  await post(`${recorder.url}/v2/any`, '{"n":1}')
  await eventually(
    async () => readLog(recorder.file).entries,
    (entries) => entries.length === 1,
  )
  rmSync(recorder.file)
  await post(`${recorder.url}/v2/any`, '{"n":2}')
  expect(await faults).toContain(recorder.file)
  // The deleted file would otherwise still take up space.
  expect(openedBy(recorder.child.pid, recorder.file)).toEqual([recorder.file])
  const over = ended(recorder.child)
  recorder.child.kill('SIGINT')
  await over
  expect(readLog(recorder.file).entries).toHaveLength(2)
})

function logIfWhole(file: string) {
  try {
    return readLog(file)
  } catch {
    return null
  }
}

test('calls pass while the disk is full, which is reported once each time, and the recording stays readable and counts what it lacks', async () => {
  const recorder = await startRecorder(await openEcho())
  const reported = collect(recorder.child, 'stderr')
  const limitFiles = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(recorder.child.pid), `--fsize=${bytes}:unlimited`])
  const send = (n: number) => post(`${recorder.url}/v2/any`, `{"n":${n}}`)
  const recorded = (entries: number, omitted: number) =>
    eventually(
      // In the moment between a write that fails and its repair, the file cannot be read.
      async () => logIfWhole(recorder.file),
      (log) => log?.entries.length === entries && log._omitted === omitted,
    )
  for (const time of [1, 2]) {
    await send(1)
    await recorded(time, 2 * time - 2)
    limitFiles(statSync(recorder.file).size + 20)
    for (const n of [2, 3]) expect(await send(n)).toBe(`{"n":${n}}`)
    await recorded(time, 2 * time)
    limitFiles('unlimited')
  }
  await send(4)
  await recorded(3, 4)
  const over = ended(recorder.child)
  recorder.child.kill('SIGINT')
  await over
  expect(JSON.parse(recorder.output().trim().split('\n')[1] ?? '')).toMatchObject({ exchanges: 3, omitted: 4 })
  expect(reported().match(/the recording cannot be written/g)).toHaveLength(2)
})

test('a call whose headers and body arrive slowly is not cut off', async () => {
  // Node looks for slow calls twice a minute, and here all the time.
  const hasty = join(temporaryFolder(), 'hasty.cjs')
  const create = '(options, ...rest) => createServer({ ...options, connectionsCheckingInterval: 10 }, ...rest)'
  writeFileSync(
    hasty,
    `const http = require('node:http')\nconst { createServer } = http\nhttp.createServer = ${create}\n`,
  )
  const flags = ['--target', await openEcho(), '--out', join(temporaryFolder(), 'calls.har'), '--json']
  const child = launch(['record', ...flags], { env: { NODE_OPTIONS: `--require ${hasty}` } })
  closeAfter(() => void child.kill('SIGKILL'))
  const { url } = JSON.parse(await printed(child, /\n/))
  const parts = ['POST /x HTTP/1.1\r\nHost: local', 'host\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{', '}']
  expect(await talk(Number(new URL(url).port), parts, 100)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{[\s\S]*\}/)
})

test('a recorder without calls in progress ends at once, whatever time it would give them', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const recorder = await openTestRecorder(await openEcho())
  const before = timers()
  await recorder.end(600_000)
  await eventually(timers, (left) => left <= before)
})

test('a platform and a receiver behind TLS are recorded', async () => {
  const secure = createServer({
    cert: readFileSync(certificatePath('valid.pem')),
    key: readFileSync(certificatePath('server.key')),
  })
  secure.on('request', (incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'application/json' })
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
  closeAfter(() => void secure.close())
  const target = `https://localhost:${(secure.address() as AddressInfo).port}`
  const file = join(temporaryFolder(), 'calls.har')
  const flags = ['--target', target, '--webhooks-port', '0', '--forward-to', `${target}/hooks`, '--out', file, '--json']
  const child = launch(['record', ...flags], { env: { NODE_EXTRA_CA_CERTS: certificatePath('ca.pem') } })
  closeAfter(() => void child.kill('SIGKILL'))
  const { url, webhooks_url } = JSON.parse(await printed(child, /\n/))
  // The second call uses the connection of the first one.
  for (const n of [1, 2]) expect(await post(`${url}/v2/any`, `{"n":${n}}`)).toBe(`{"n":${n}}`)
  expect(await post(webhooks_url, '{"event":"cashin.expired"}')).toBe('{"event":"cashin.expired"}')
  const { entries } = await eventually(
    async () => readLog(file),
    (log) => log.entries.length === 3,
  )
  expect(entries.map(({ request }) => new URL(request.url).origin)).toEqual([target, target, target])
})

test('a recording whose file was replaced leaves the other file alone, and reports it once with a call and when it ends', async () => {
  const faults: string[] = []
  const recorder = await openTestRecorder(await openEcho(), undefined, (message) => void faults.push(message))
  rmSync(recorder.file)
  writeFileSync(recorder.file, 'notes')
  for (const body of ['{"n":1}', '{"n":2}']) expect(await post(`${recorder.url}/v2/any`, body)).toBe(body)
  expect(await recorder.end()).toMatchObject({ exchanges: 0, omitted: 2 })
  const why = 'another file has taken its place'
  expect(faults).toEqual([
    `the recording cannot be written: ${why}; calls are forwarded without being recorded`,
    `the recording cannot be completed: ${why}`,
  ])
  expect([readFileSync(recorder.file, 'utf8'), openedBy(process.pid, recorder.file)]).toEqual(['notes', []])
})
