/** Every example of every help text, run as it stands there against a real sandbox. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../src/cli/commands.js'
import { type Example, examples } from '../src/cli/examples.js'
import { type ControlClient, connectControl } from '../src/client/control.js'
import { signRequest } from '../src/client/sign-request.js'
import { exportState } from '../src/client/snapshots.js'
import { built } from './support/built.js'
import { openTried, type TriedReceiver } from './support/certify.js'
import {
  collect,
  ended,
  launchShell,
  type Running,
  run,
  startProgram,
  temporaryFolder,
  withoutProgress,
} from './support/program.js'

let sandbox: Running
let control: ControlClient
/** For those that have one at port 3000. */
let receiver: TriedReceiver
beforeAll(async () => {
  await built()
  sandbox = await startProgram(['--no-rate-limits', '--clock', 'manual'])
  control = connectControl(sandbox.url)
  receiver = await openTried()
})
/** What examples start in the background is known here only. */
const background = { PAYMENTS_SANDBOX_STATE_FOLDER: mkdtempSync(join(tmpdir(), 'payments-sandbox-state-')) }
afterAll(async () => {
  await run(['stop', '--all'], { env: background })
  rmSync(background.PAYMENTS_SANDBOX_STATE_FOLDER, { recursive: true })
  await sandbox.stop()
  await receiver.close()
})

async function call(path: string, body: Record<string, unknown>): Promise<{ transaction_id: string }> {
  const credential = sandbox.ready.accounts[0]?.credentials[0]
  if (credential === undefined) throw new Error('no credential')
  const headers = { 'Content-Type': 'application/json' }
  const token = await fetch(`${sandbox.url}/v2/oauth/token`, {
    method: 'POST',
    headers: { ...headers, Authorization: `Basic ${btoa(`${credential.client_id}:${credential.client_secret}`)}` },
    body: '{"grant_type":"client_credentials"}',
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const text = JSON.stringify(body)
  const answer = await fetch(sandbox.url + path, {
    method: 'POST',
    headers: {
      ...headers,
      ...signRequest({ signingKey: credential.signing_key, body: text }),
      Authorization: `Bearer ${access_token}`,
    },
    body: text,
  })
  return ((await answer.json()) as { data: { transaction_id: string } }).data
}

const charge = (more = {}) => call('/v2/transactions/cashin', { amount: 25, currency: 'BRL', ...more })

const scenario = `name: my-scenario
on: { operation: cashin }
params: { delay: 1s }
steps:
  - create: { cashin: { amount: 25, currency: BRL } }
  - wait: \${delay}
  - cashin.pay
  - expect: { event: cashin.confirmed }
`

/** What the examples speak of: charges to pay, one paid, a withdrawal on its way, events, calls, files, a snapshot. */
async function prepare(folder: string): Promise<(line: string) => string> {
  await control.call('POST', '/reset')
  await control.call('PATCH', '/credentials/client_sandbox_merchant', {
    postback_url: `${sandbox.url}/_sandbox/inbox/examples`,
  })
  const paid = await charge()
  const { events } = await control.call<{ events: { id: string }[] }>('POST', '/trigger', {
    action: 'cashin.pay',
    id: paid.transaction_id,
  })
  await charge({ external_id: 'order-17' })
  await charge()
  await call('/v2/transactions/cashout', { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'w' })
  await control.call('POST', '/trigger', {
    action: 'cashin.pay',
    id: (await charge({ external_id: 'order-18' })).transaction_id,
  })
  await control.call('POST', '/snapshots', { name: 'before' })
  for (const name of ['team-a', 'team-b']) await control.call('DELETE', `/workspaces/${name}`).catch(() => undefined)
  await control.call('POST', '/workspaces', { name: 'team-a' })
  const { data } = await control.call<{ data: { request_id: string }[] }>('GET', '/requests')
  writeFileSync(join(folder, 'sandbox.yaml'), 'port: 0\nclock: manual\n')
  writeFileSync(join(folder, 'golden.json'), await exportState(control))
  writeFileSync(join(folder, 'charge.json'), '{"amount":25,"currency":"BRL"}')
  writeFileSync(join(folder, 'my-scenario.yaml'), scenario)
  cpSync(join(import.meta.dirname, 'certify/client.mjs'), join(folder, 'client.mjs'))
  writeFileSync(join(folder, 'tell-effects.sh'), `curl -s "${receiver.effects}?transaction_id=$1"`)
  return (line) =>
    line
      .replaceAll(/(http:\/\/)?localhost:3000/g, new URL(receiver.url).origin)
      .replace(/\btx_\w+/, paid.transaction_id)
      .replace(/\bevt_\w+/, events[0]?.id ?? '')
      .replace(/\breq_\w+/, data[0]?.request_id ?? '')
}

/** Time runs where an example waits for it. */
const waits = (line: string) => /^payments-sandbox scenario run (?!.*--fast-forward)/.test(line)

async function launchExample({ run: line }: Example) {
  const folder = temporaryFolder()
  const real = await prepare(folder)
  if (waits(line)) await control.call('PUT', '/clock', { mode: 'realtime' })
  // Only `start` listens for itself: the variable keeps its default port free.
  const env = { PAYMENTS_SANDBOX_URL: sandbox.url, PAYMENTS_SANDBOX_PORT: '0', ...background }
  if (/^payments-sandbox (status|stop)\b/.test(line))
    await run(['start', '--detach', '--port', '0'], { env: background })
  return launchShell(real(line).replace('delay=5s', 'delay=100ms'), { cwd: folder, env })
}

const all = Object.values(examples).flat()

for (const example of all.filter(({ stays }) => stays !== true))
  test(`${example.run} (${example.says}) does what the help says`, async () => {
    const { code, stderr } = await ended(await launchExample(example))
    expect(withoutProgress(stderr).replace(/^20\d [A-Z]\w+ req_\w+\n$/, '')).toBe('')
    expect(code).toBe(0)
  })

for (const example of all.filter(({ stays }) => stays === true))
  test(`${example.run} (${example.says}) goes on until it is told to stop`, async () => {
    const child = await launchExample(example)
    const said = collect(child, 'stdout')
    const over = ended(child)
    await expect
      .poll(
        async () => {
          if (/--follow|sandbox logs/.test(example.run))
            await control.call('POST', '/trigger', { action: 'cashin.pay', id: (await charge()).transaction_id })
          return said()
        },
        { timeout: 8000, interval: 100 },
      )
      .not.toBe('')
    child.kill('SIGTERM')
    const { code, stderr } = await over
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

test('every command has examples, and its help shows them', async () => {
  const paths = Object.keys(examples)
  for (const name of Object.keys(commands))
    expect(paths.some((path) => path === name || path.startsWith(`${name} `))).toBe(true)
  for (const path of paths) {
    const { code, stdout } = await run([...path.split(' '), '--help'])
    expect(code).toBe(0)
    for (const { run: line } of examples[path] ?? []) expect(stdout).toContain(`  ${line}\n`)
  }
})
