/** Start and stop of the program: how it ends, what it logs, and how fast it is. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { bin, built, executable, programCommand } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { collect, printed, run, startForTest, withinTwoSeconds } from '../support/program.js'

beforeAll(async () => {
  await built()
})
test('SIGTERM and SIGINT stop the sandbox with exit code 0, and its database file contains all changes', async () => {
  const db = join(temporaryFolder(), 'sandbox.sqlite')
  const first = await startForTest(['--db', db])
  await run([
    'request',
    'POST',
    '/v2/transactions/cashin',
    '--data',
    '{"amount":5,"currency":"BRL","external_id":"kept"}',
    '--url',
    first.url,
  ])
  expect(await first.stop('SIGINT')).toBe(0)
  const second = await startForTest(['--db', db])
  const listed = await run(['transactions', '--json', '--url', second.url])
  expect(JSON.parse(listed.stdout).data[0].external_id).toBe('kept')
  expect(await second.stop('SIGTERM')).toBe(0)
})

test.for(['SIGTERM', 'SIGKILL'] as const)('%s to npm start ends the sandbox', async (signal, context) => {
  // npm starts the script in a shell, which does not pass SIGTERM on, and outlives a killed npm.
  if (executable !== undefined || process.platform === 'win32') context.skip('npm start runs the clone, with sh')
  const npm = spawn('npm', ['start', '--silent', '--', '--port', '0', '--json'], { cwd: dirname(dirname(bin)) })
  const [, url = ''] = /"base_url":"([^"]+)"/.exec(await printed(npm, /"base_url":"[^"]+"/)) ?? []
  npm.kill(signal)
  const isRefused = () =>
    fetch(url).then(
      () => false,
      () => true,
    )
  expect(await eventually(isRefused, (seen) => seen)).toBe(true)
})

test('a second SIGINT stops the sandbox without waiting for calls in flight', async () => {
  const { child, url } = await startForTest()
  const address = new URL(url)
  const { connect } = await import('node:net')
  const socket = connect(Number(address.port), address.hostname)
  socket.on('error', () => {})
  // The announced body never arrives, so this call keeps running.
  socket.write(
    `POST /v2/oauth/token HTTP/1.1\r\nHost: ${address.host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  )
  await new Promise((resolve) => socket.once('connect', resolve))
  await fetch(`${url}/_sandbox/health`)
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.kill('SIGINT')
  const refused = async () =>
    fetch(`${url}/_sandbox/health`).then(
      () => false,
      () => true,
    )
  await eventually(refused, (isRefused) => isRefused)
  child.kill('SIGINT')
  expect(await closed).toBe(130)
  socket.destroy()
})

test('--log-level info prints a line for each call, without token, secret, key or signature', async () => {
  const { child, url, ready } = await startForTest(['--log-level', 'info'])
  const log = collect(child, 'stderr')
  const body = '{"amount":10,"currency":"BRL","key":"ana@example.com","external_id":"w"}'
  await run(['request', 'POST', '/v2/transactions/cashout', '--data', body, '--url', url])
  await eventually(log, (text) => text.includes('/v2/transactions/cashout'))
  expect(log()).toContain('/v2/oauth/token')
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${url}/_sandbox/workspaces`, { method: 'POST', headers, body: '{"name":"other"}' })
  await fetch(`${url}/w/other/v2/account/balance`)
  await eventually(log, (text) => / other 401 GET /.test(text))
  for (const credential of ready.accounts.flatMap((account) => account.credentials))
    for (const secret of [credential.client_secret, credential.signing_key, credential.webhook_secret])
      expect(log()).not.toContain(secret)
  expect(log()).not.toMatch(/bearer|signature|token=/i)
})

test('nothing is logged without a terminal', async () => {
  const { child, url, stop } = await startForTest()
  const log = collect(child, 'stderr')
  await run(['request', 'GET', '/v2/account/balance', '--url', url])
  await stop()
  expect(log()).toBe('')
})

test('--version prints the version of the package and of the emulated API, and does not load the server for it', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const { stdout, code } = await run(['--version'])
  expect([stdout, code]).toEqual([
    `${manifest.version}\nPayments Service Interface, version 2, documentation of 2026-11-21\n`,
    0,
  ])
  if (executable === undefined) expect(scriptsOf('--version')).toEqual([pathToFileURL(bin).href])
  else expectQuick('--version')
})

/** The scripts that the program loads beside those of Node, by their addresses. */
function scriptsOf(...args: string[]): string[] {
  const folder = temporaryFolder()
  spawnSync(process.execPath, [bin, ...args], { env: { ...process.env, NODE_V8_COVERAGE: folder } })
  const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const urls = reports.flatMap(({ result }: { result: { url: string }[] }) => result.map(({ url }) => url))
  return urls.filter((url) => !url.startsWith('node:'))
}

/** The executable is one script. The quickest start counts: what else the machine does only ever adds. */
function expectQuick(...args: string[]): void {
  const timeOf = (file: string, ...args: string[]) => {
    const startedMs = performance.now()
    spawnSync(file, args)
    return performance.now() - startedMs
  }
  let [askedMs, bareMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // The server would make it five times as much.
  for (let turn = 0; turn < 3 || (turn < 20 && askedMs >= 2.5 * bareMs); turn++) {
    askedMs = Math.min(askedMs, timeOf(...programCommand, ...args))
    bareMs = Math.min(bareMs, timeOf(process.execPath, '-e', '0'))
  }
  expect(askedMs).toBeLessThan(2.5 * bareMs)
}

test('a port in use is reported in one line before the database is opened', async () => {
  const other = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const db = join(temporaryFolder(), 'never.sqlite')
  const { code, stderr } = await withinTwoSeconds(() => run(['start', '--port', String(port), '--db', db]))
  other.close()
  expect(code).toBe(1)
  expect(stderr).toBe(
    `payments-sandbox: port ${port} on 127.0.0.1 is in use: stop what runs there, or choose another with --port (0 chooses any free port)\n`,
  )
  expect(existsSync(db)).toBe(false)
})
