/** `start --tls`: clients and receivers verify certificates with the sandbox's own authority, without exceptions. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { closeAfter } from '../support/hooks.js'
import { certificatePath } from '../support/hostile-receiver.js'
import { launch, printed, type Running, run, runProcess, startForTest } from '../support/program.js'
import { requireTools } from '../support/tools.js'

beforeAll(async () => {
  await built()
})

const stateIn = (folder: string) => ({ PAYMENTS_SANDBOX_STATE_FOLDER: folder })

async function startTls(folder: string, ...args: string[]): Promise<Running & { env: Record<string, string> }> {
  const sandbox = await startForTest(['--tls', ...args], { env: stateIn(folder) })
  const { stdout } = await runProcess(['env', '--json', '--url', sandbox.url], { env: stateIn(folder) })
  return { ...sandbox, env: JSON.parse(stdout) }
}

const node = (code: string, env: Record<string, string>) =>
  promisify(execFile)(process.execPath, ['-e', code], { env: { ...process.env, ...env } })

test('a sandbox serves https, and Node, curl and the command line verify it with the variables that env prints', async () => {
  const folder = temporaryFolder()
  const { url, env } = await startTls(folder)
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  const health = `fetch('${url.replace('127.0.0.1', 'localhost')}/_sandbox/health').then(async (a) => console.log(await a.text()), (e) => console.log(e.cause.code))`
  expect((await node(health, env)).stdout).toContain('"status":"ok"')
  expect((await node(health, {})).stdout).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE\n')
  const clock = await runProcess(['clock', '--url', url], { env: stateIn(folder) })
  expect([clock.code, clock.stderr]).toEqual([0, ''])
  const stranger = await runProcess(['clock', '--url', url], { env: stateIn(temporaryFolder()) })
  expect(stranger.code).toBe(3)
  expect(stranger.stderr).toContain(`the certificate of ${url} is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`)
})

test('streams of the command line trust the authority too: files, statements, forms and changes', async () => {
  const folder = temporaryFolder()
  const { url } = await startTls(folder)
  const cli = (...args: string[]) => runProcess([...args, '--url', url], { env: stateIn(folder) })
  const file = join(folder, 'state.json')
  for (const args of [
    ['snapshot', 'export', file],
    ['snapshot', 'import', file],
    ['account', 'statement', 'merchant'],
  ]) {
    const { code, stderr } = await cli(...args)
    expect([code, stderr], args.join(' ')).toEqual([0, ''])
  }
  const data = '{"id":"none","message":"It was delivered."}'
  const reply = await cli('request', 'POST', '/v2/account/infractions/reply', '--data', data, '--file', file)
  expect(reply.stderr).toMatch(/^422 /)
  const child = launch(['logs', '--url', url], { env: stateIn(folder) })
  const line = printed(child, /\/v2\/account\/balance/)
  await eventually(
    () => cli('request', 'GET', '/v2/account/balance').then(() => Promise.race([line, ''])),
    (text) => text !== '',
  )
  child.kill()
})

test('curl verifies the sandbox with the bundle that env prints', async (context) => {
  requireTools(context, 'curl')
  const { url, env } = await startTls(temporaryFolder())
  const curl = await promisify(execFile)('curl', ['-sS', `${url}/_sandbox/health`], { env: { ...process.env, ...env } })
  expect(curl.stdout).toContain('"status":"ok"')
})

test('the authority is created once, and its keys can be read by their owner alone', async () => {
  const folder = temporaryFolder()
  const first = await startTls(folder)
  const authority = readFileSync(join(folder, 'tls/ca.pem'), 'utf8')
  const second = await startTls(folder, '--allow-host', 'pay.test')
  expect(readFileSync(join(folder, 'tls/ca.pem'), 'utf8')).toBe(authority)
  expect(first.env.NODE_EXTRA_CA_CERTS).toBe(second.env.NODE_EXTRA_CA_CERTS)
  for (const name of ['ca-key.pem', 'localhost-key.pem'])
    expect(statSync(join(folder, 'tls', name)).mode & 0o777, name).toBe(0o600)
  const names = `require('tls').connect({ port: ${new URL(second.url).port}, servername: 'pay.test' }, function () { console.log(this.getPeerCertificate().subjectaltname); this.end() })`
  const { stdout } = await node(names, { NODE_EXTRA_CA_CERTS: join(folder, 'tls/ca.pem') })
  expect(stdout).toContain('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:pay.test')
})

test('webhooks reach an https receiver that uses the certificate for localhost', async () => {
  const folder = temporaryFolder()
  await startTls(folder)
  const file = (name: string) => readFileSync(join(folder, 'tls', name))
  const bodies: string[] = []
  const receiver = createServer(
    { cert: file('localhost.pem'), key: file('localhost-key.pem') },
    async (request, answer) => {
      for await (const chunk of request) bodies.push(String(chunk))
      answer.end()
    },
  )
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  closeAfter(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const { url } = await startTls(folder, '--webhook-url', `https://localhost:${port}/hooks`)
  const cli = (...args: string[]) => runProcess([...args, '--url', url], { env: stateIn(folder) })
  expect((await cli('trigger', 'cashin.pay', '--create')).code).toBe(0)
  expect((await cli('webhooks', 'wait', 'cashin.confirmed', '--timeout', '60s')).code).toBe(0)
  expect(bodies.join()).toContain('"event":"cashin.confirmed"')
})

test('a sandbox serves the given certificate, and one without its key is a usage error', async () => {
  const [cert, key] = [certificatePath('valid.pem'), certificatePath('server.key')]
  const { url } = await startForTest(['--tls-cert', cert, '--tls-key', key])
  const { stdout } = await node(`fetch('${url}/_sandbox/health').then((a) => console.log(a.status))`, {
    NODE_EXTRA_CA_CERTS: certificatePath('ca.pem'),
  })
  expect(stdout).toBe('200\n')
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'other.key'), 'no key')
  const wrong: [string[], string][] = [
    [['--tls-cert', cert], '--tls-cert requires --tls-key'],
    [['--tls-key', key], '--tls-key requires --tls-cert'],
    [['--tls', '--tls-cert', cert, '--tls-key', key], '--tls creates its own certificate'],
    [['--tls-cert', cert, '--tls-key', join(folder, 'other.key')], 'is not a private key in PEM'],
    [['--tls-cert', key, '--tls-key', key], 'is not a certificate in PEM'],
  ]
  for (const [args, message] of wrong) {
    const { code, stderr } = await run(['start', '--port', '0', ...args])
    expect([code, stderr], args.join(' ')).toEqual([2, expect.stringContaining(message)])
  }
})

test('env writes a trust store that Java reads', async (context) => {
  requireTools(context, 'keytool')
  const folder = temporaryFolder()
  const file = join(folder, 'sandbox.jks')
  const none = await runProcess(['env', '--truststore', file], { env: stateIn(folder) })
  expect(none.code).not.toBe(0)
  const { url } = await startTls(folder)
  const made = await runProcess(['env', '--truststore', file, '--url', url], { env: stateIn(folder) })
  expect([made.code, made.stderr]).toEqual([0, ''])
  const listed = execFileSync('keytool', ['-list', '-keystore', file, '-storepass', 'changeit'], { encoding: 'utf8' })
  expect(listed).toContain('payments-sandbox, ')
  expect(listed).toContain('trustedCertEntry')
})
