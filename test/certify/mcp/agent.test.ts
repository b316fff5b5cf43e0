/** An agent certifies a receiver from the start: it starts a sandbox, certifies a wrong receiver, reads the fix, changes the file, and certifies again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, expect, test } from 'vitest'
import { connectAgent } from '../../support/agent.js'
import { bin, built } from '../../support/built.js'
import { eventually } from '../../support/eventually.js'
import { temporaryFolder } from '../../support/folder.js'
import { freePort } from '../../support/free-port.js'
import { closeAfter } from '../../support/hooks.js'

beforeAll(async () => void (await built()))

const openAgent = (url: string) =>
  connectAgent(
    new StdioClientTransport({ command: process.execPath, args: [bin, 'mcp', '--url', url], stderr: 'ignore' }),
  )

const answersAt = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

const right = "const id = headers['x-webhook-id']"
const wrong = 'const id = JSON.parse(body).transaction_id'

/** The reference with one fault: it deduplicates by transaction, so it ignores the refund of a charge. */
function writeWrongReceiver(): string {
  const source = readFileSync(join(import.meta.dirname, '../../../examples/receiver.mjs'), 'utf8')
  expect(source).toContain(right)
  const file = join(temporaryFolder(), 'receiver.mjs')
  writeFileSync(file, source.replace(right, wrong))
  return file
}

async function runReceiver(file: string, port: number, secret: string): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret, EVENTS_FILE: `${file}.${Date.now()}` }
  const child = spawn(process.execPath, [file], { env, stdio: 'ignore' })
  closeAfter(() => child.kill())
  await eventually(() => answersAt(`http://127.0.0.1:${port}/state`), Boolean)
  return child
}

test('an agent starts a sandbox, certifies a wrong receiver, changes its file after the fix, and the receiver passes', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { client, use } = await openAgent(url)
  const { value: started } = await use('start_sandbox', { clock: 'realtime' })
  expect(started).toMatchObject({ started: true, base_url: url, dashboard_url: `${url}/` })
  const { webhook_secret: secret } = started.accounts.data[0].credentials[0]

  const file = writeWrongReceiver()
  const port = await freePort()
  const place = `http://127.0.0.1:${port}`
  const given = { url: `${place}/webhooks`, state_url: `${place}/state` }
  const first = await runReceiver(file, port, secret)
  const { value: before } = await use('certify_receiver', given)
  expect(before.verdict).toBe('failed')
  const failed = before.rules.filter(({ result }: { result: string }) => result === 'failed')
  expect(failed.map(({ id }: { id: string }) => id)).toContain('different.event')
  const { fix } = failed.find(({ id }: { id: string }) => id === 'different.event')
  expect(fix).toContain('X-Webhook-Id')

  // The fix names the header by which the file must deduplicate.
  const [, header = ''] = /(X-[A-Za-z-]+)/.exec(fix) ?? []
  writeFileSync(file, readFileSync(file, 'utf8').replace(wrong, `const id = headers['${header.toLowerCase()}']`))
  first.kill()
  await once(first, 'close')
  await runReceiver(file, port, secret)
  const { value: after } = await use('certify_receiver', given)
  expect([after.verdict, after.rules.filter(({ result }: { result: string }) => result === 'failed')]).toEqual([
    'passed',
    [],
  ])

  await client.close()
  await eventually(
    () => answersAt(url),
    (isRunning) => !isRunning,
  )
})

test('a running sandbox is used and keeps running, and a wrong setting or an address of another machine is rejected', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { use } = await openAgent(url)
  expect(await use('read_clock')).toMatchObject({ refused: true, value: expect.stringContaining(url) })
  expect(await use('start_sandbox', { clock: 'maybe' })).toMatchObject({
    refused: true,
    value: expect.stringContaining('manual'),
  })
  expect((await use('start_sandbox', { clock: 'manual' })).value.started).toBe(true)
  expect((await use('read_clock')).value.mode).toBe('manual')
  const other = await openAgent(url)
  expect((await other.use('start_sandbox', { clock: 'realtime' })).value.started).toBe(false)
  await other.client.close()
  expect((await use('read_clock')).value.mode).toBe('manual')

  const far = await openAgent('https://127.0.0.1:1')
  expect(await far.use('start_sandbox')).toMatchObject({
    refused: true,
    value: expect.stringContaining('this machine only'),
  })
})
