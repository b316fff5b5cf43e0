/** Every error of the library: its class, a name that survives bundling, a code, and a message that says what to do. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type * as Library from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'

const entry = join(import.meta.dirname, '../../dist/index.cjs')
let library: typeof Library
beforeAll(async () => {
  await built()
  // The published form: bundled and minified.
  library = createRequire(import.meta.url)('../../dist/index.cjs')
})

test('an uncaught error prints its message and stack, and no minified code', async () => {
  const lines = {
    'a rejected call': `startSandbox().then((sandbox) => sandbox.trigger('cashin.pay'))`,
    'a thrown error': `signRequest({})`,
    'no sandbox': `connectSandbox('http://127.0.0.1:9').then((sandbox) => sandbox.clock.now())`,
  }
  for (const [what, line] of Object.entries(lines)) {
    const imported = `const { startSandbox, connectSandbox, signRequest } = require(${JSON.stringify(entry)})`
    const { status, stderr } = spawnSync(process.execPath, ['-e', `${imported}\n${line}`], { encoding: 'utf8' })
    expect(status, what).toBe(1)
    expect(stderr, what).toMatch(/Error: /)
    for (const text of stderr.split('\n')) expect(text.length, `${what}: ${text}`).toBeLessThan(300)
    expect(stderr.length, `${what}: ${stderr}`).toBeLessThan(2000)
  }
})

/** Calls as callers without types make them. */
const untyped = <Value>(value: unknown) => value as Value

async function errorOf(work: () => unknown) {
  try {
    await work()
  } catch (error) {
    const { constructor: errorClass, name, code, message, stack } = error as Error & { code: string }
    expect([errorClass.name, String(stack).split(':')[0]]).toEqual([name, name])
    expect([library.SandboxError, library.StartError, library.UnreachableError, library.UsageError]).toContain(
      errorClass,
    )
    return { name, code, message }
  }
  throw new Error('nothing was thrown')
}

async function busyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a sandbox that cannot start gives the reason in the words of the command line', async () => {
  const { startSandbox } = library
  const port = await busyPort()
  const missing = join(temporaryFolder(), 'no.json')
  const cases = [
    [{ port }, 'PORT_UNUSABLE', `port ${port} on 127.0.0.1 is in use`],
    [{ snapshot: missing }, 'SNAPSHOT_UNUSABLE', `the snapshot ${missing} cannot be read: there is no such file`],
    [{ db: join(missing, 'x.db') }, 'DATABASE_UNUSABLE', 'does not exist'],
    [{ scenarios: missing }, 'SCENARIOS_UNUSABLE', 'does not exist'],
    [{ arm: ['nope'] }, 'SCENARIOS_UNUSABLE', 'nope'],
  ] as const
  for (const [options, code, message] of cases)
    expect(await errorOf(() => startSandbox(untyped(options)))).toEqual({
      name: 'StartError',
      code,
      message: expect.stringContaining(message),
    })
})

test('an invalid option or argument is a UsageError', async () => {
  const { startSandbox, signRequest, connectSandbox } = library
  const cases: [() => unknown, string][] = [
    [() => startSandbox(untyped({ rates: { EUR: '1' } })), 'rates.EUR is not a supported currency; use one of BRL'],
    [() => startSandbox(untyped({ clok: 'manual' })), 'clok is not an option'],
    [() => startSandbox(untyped({ port: 'x' })), 'port must be a whole number'],
    [() => startSandbox(untyped({ adminToken: 5 })), 'adminToken must be a string'],
    [() => startSandbox(untyped(null)), 'must be called with an options object'],
    [() => connectSandbox(untyped(undefined)), 'connectSandbox requires'],
    [() => library.createApiClient(untyped(undefined)), 'createApiClient requires baseUrl'],
    [() => signRequest(untyped({ body: '{}' })), 'signRequest requires signingKey'],
    [() => signRequest(untyped({ signingKey: 'k', body: {} })), 'signRequest requires body'],
    [() => signRequest(untyped(undefined)), 'signRequest requires signingKey'],
  ]
  for (const [work, message] of cases)
    expect(await errorOf(work)).toEqual({
      name: 'UsageError',
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    })
})

test('verifyWebhook returns a result for any input and never throws', () => {
  const { verifyWebhook } = library
  const headers = { 'x-webhook-signature': 'a'.repeat(64) }
  const cases = [
    [{ secret: 's', body: { event: 'x' }, headers }, 'unusable_body'],
    [{ secret: 's', body: null, headers }, 'unusable_body'],
    [{ body: '{}', headers }, 'missing_secret'],
    [{ secret: '', body: '{}', headers }, 'missing_secret'],
    [{ secret: 's', body: '{}' }, 'missing_signature'],
    [
      { secret: 's', body: '{}', headers: { get: () => Promise.reject(new Error('x')).catch(() => null) } },
      'malformed_signature',
    ],
    [undefined, 'missing_secret'],
    [null, 'missing_secret'],
  ] as const
  for (const [options, reason] of cases) expect(verifyWebhook(untyped(options))).toEqual({ ok: false, reason })
})

test('a wait that times out reports the last response of the receiver, the next attempt, and that a manual clock must be advanced', async () => {
  const sandbox = await library.startSandbox({ clock: 'manual' })
  onTestFinished(() => sandbox.close())
  const receiver = await sandbox.receiver()
  receiver.respond(401)
  await sandbox.trigger('cashin.pay', { create: true })
  await receiver.waitFor('cashin.confirmed')
  await sandbox.clock.advance(0)
  const { name, code, message } = await errorOf(() =>
    sandbox.webhooks.waitFor('cashin.confirmed', {}, { timeout: '50ms' }),
  )
  expect([name, code]).toEqual(['SandboxError', 'WAIT_TIMEOUT'])
  for (const words of [
    `was answered with HTTP 401 by ${receiver.url}`,
    'the next attempt is at',
    'the clock is manual',
  ])
    expect(message).toContain(words)
  expect(await errorOf(() => receiver.waitFor('cashin.expired', {}, { timeout: '10ms' }))).toMatchObject({
    name: 'SandboxError',
    code: 'WAIT_TIMEOUT',
  })
})

test('a call after close is an UnreachableError', async () => {
  const sandbox = await library.startSandbox()
  const vain = errorOf(() => sandbox.webhooks.waitFor('cashin.confirmed', {}, { timeout: '2m' }))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await sandbox.close()
  expect(await vain).toMatchObject({ name: 'UnreachableError', code: 'SANDBOX_CLOSED' })
  expect(await errorOf(() => library.connectSandbox('http://127.0.0.1:1'))).toMatchObject({ code: 'UNREACHABLE' })
})
