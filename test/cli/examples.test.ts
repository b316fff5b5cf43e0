/** Runs every example of every help text unchanged against a real sandbox. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addExamples, type CommandRow } from '../../src/cli/command.js'
import { type ControlClient, connectControl } from '../../src/client/control.js'
import { signRequest } from '../../src/client/signatures.js'
import { exportState } from '../../src/client/snapshots.js'
import { commands } from '../support/all-commands.js'
import { built } from '../support/built.js'
import { openTried, type TriedReceiver } from '../support/certify.js'
import { everyWord } from '../support/commands.js'
import { eventually } from '../support/eventually.js'
import { someOf } from '../support/figures.js'
import {
  collect,
  ended,
  launchShell,
  run,
  runShell,
  type Started,
  startHere,
  withoutProgress,
} from '../support/program.js'
import { openRecorder } from '../support/recording.js'
import { requireTools } from '../support/tools.js'

/** The sandbox of one example, with its background processes. */
interface Place {
  sandbox: Started
  control: ControlClient
  there: There
  background: { PAYMENTS_SANDBOX_STATE_FOLDER: string }
}

/** Replaces ids in the examples by ids of this sandbox. */
interface There {
  charge: string
  event: string
  call: string
  state: string
}

const files = mkdtempSync(join(tmpdir(), 'payments-sandbox-examples-'))
const ownFolder = () => mkdtempSync(join(files, 'test-'))

const places: Place[] = []
const free: Place[] = []
const waiting: ((place: Place) => void)[] = []
/** A receiver for the examples that need one at port 3000. */
let receiver: TriedReceiver
/** A recording of one charge, made by the first example that prepares its files. */
let recording: Promise<string> | undefined

async function openPlace(): Promise<Place> {
  const sandbox = await startHere(['--no-rate-limits', '--clock', 'manual'])
  const background = { PAYMENTS_SANDBOX_STATE_FOLDER: ownFolder() }
  const control = connectControl(sandbox.url)
  return { sandbox, control, background, there: await furnish(sandbox, control) }
}

beforeAll(async () => {
  await built()
  receiver = await openTried()
  places.push(...(await Promise.all([openPlace(), openPlace(), openPlace()])))
  free.push(...places)
})
afterAll(async () => {
  for (const { sandbox, background } of places) {
    await run(['stop', '--all'], { env: background })
    await sandbox.stop()
  }
  rmSync(files, { recursive: true, force: true })
  await receiver.close()
})

/** Limits how many examples run at a time. */
async function atPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const place = free.pop() ?? (await new Promise<Place>((resolve) => waiting.push(resolve)))
  try {
    await work(place)
  } finally {
    const next = waiting.shift()
    if (next === undefined) free.push(place)
    else next(place)
  }
}

async function call(
  sandbox: Started,
  path: string,
  body: Record<string, unknown>,
): Promise<{ transaction_id: string }> {
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

const charge = (sandbox: Started, more = {}) =>
  call(sandbox, '/v2/transactions/cashin', { amount: 25, currency: 'BRL', ...more })

async function recordCharge(): Promise<string> {
  const sandbox = await startHere(['--clock', 'manual'])
  const recorder = await openRecorder(sandbox.url)
  await charge({ ...sandbox, url: recorder.url })
  await sandbox.stop()
  return recorder.har()
}

const scenario = `name: my-scenario
on: { operation: cashin }
params: { delay: 1s }
steps:
  - create: { cashin: { amount: 25, currency: BRL } }
  - wait: \${delay}
  - cashin.pay
  - expect: { event: cashin.confirmed }
`

/** Creates open charges, a paid one, a pending withdrawal, events and calls. */
async function furnish(sandbox: Started, control: ControlClient): Promise<There> {
  await control.call('PATCH', '/credentials/client_sandbox_merchant', {
    postback_url: `${sandbox.url}/_sandbox/inbox/examples`,
  })
  const paid = await charge(sandbox)
  const { events } = await control.call<{ events: { id: string }[] }>('POST', '/trigger', {
    action: 'cashin.pay',
    id: paid.transaction_id,
  })
  await charge(sandbox, { external_id: 'order-17' })
  await charge(sandbox)
  await call(sandbox, '/v2/transactions/cashout', {
    amount: 10,
    currency: 'BRL',
    key: 'ana@example.com',
    external_id: 'w',
  })
  await control.call('POST', '/trigger', {
    action: 'cashin.pay',
    id: (await charge(sandbox, { external_id: 'order-18' })).transaction_id,
  })
  const { data } = await control.call<{ data: { request_id: string }[] }>('GET', '/requests')
  await control.call('POST', '/snapshots', { name: 'furnished' })
  return {
    charge: paid.transaction_id,
    event: events[0]?.id ?? '',
    call: data[0]?.request_id ?? '',
    state: await exportState(control),
  }
}

/** Prepares a sandbox with the files, the snapshot and the workspace that examples name. */
async function prepare({ control, there }: Place, folder: string): Promise<(line: string) => string> {
  await control.call('POST', '/snapshots/furnished/restore')
  await control.call('POST', '/snapshots', { name: 'before' })
  for (const name of ['team-a', 'team-b']) await control.call('DELETE', `/workspaces/${name}`).catch(() => undefined)
  await control.call('POST', '/workspaces', { name: 'team-a' })
  writeFileSync(join(folder, 'sandbox.yaml'), 'port: 0\nclock: manual\n')
  writeFileSync(join(folder, 'golden.json'), there.state)
  writeFileSync(join(folder, 'charge.json'), '{"amount":25,"currency":"BRL"}')
  writeFileSync(join(folder, 'my-scenario.yaml'), scenario)
  writeFileSync(join(folder, 'ledger.csv'), await ledgerOf(control))
  recording ??= recordCharge()
  writeFileSync(join(folder, 'recording.har'), await recording)
  writeFileSync(join(folder, 'accepted.yaml'), '[]')
  cpSync(join(import.meta.dirname, '../../examples/client.mjs'), join(folder, 'client.mjs'))
  writeFileSync(
    join(folder, 'state.sh'),
    `node -e "fetch('${receiver.stateUrl}?transaction_id=$1').then(async (answer) => console.log(await answer.text()))"`,
  )
  return (line) =>
    line
      .replaceAll(/(http:\/\/)?localhost:3000/g, new URL(receiver.url).origin)
      .replace(/\btx_\w+/, there.charge)
      .replace(/\bevt_\w+/, there.event)
      .replace(/\breq_\w+/, there.call)
}

/** A correct ledger that has its amounts in two columns. */
async function ledgerOf(control: ControlClient): Promise<string> {
  const { entries } = await control.call('GET /accounts/{username}/statement', { params: { username: 'merchant' } })
  const rows = entries.filter(({ transaction_id: id }) => id !== null)
  return [
    'id,type,currency,amount,paid',
    ...rows.map((row) => [row.transaction_id, row.type, row.currency, row.amount, row.amount].join()),
  ].join('\n')
}

/** The clock runs in examples that wait for time. */
const waits = (line: string) => /^payments-sandbox scenario run (?!.*--fast-forward)/.test(line)

/** Returns the command line and its folder. */
async function typed({ line }: Example, place: Place): Promise<[line: string, how: object]> {
  const { sandbox, control, background } = place
  const folder = ownFolder()
  const real = await prepare(place, folder)
  if (waits(line)) await control.call('PUT', '/clock', { mode: 'realtime' })
  // Only `start` opens a port, and the variable keeps the default port free.
  const env = { PAYMENTS_SANDBOX_URL: sandbox.url, PAYMENTS_SANDBOX_PORT: '0', ...background }
  if (/^payments-sandbox (status|stop)\b/.test(line))
    await run(['start', '--detach', '--port', '0'], { env: background })
  return [real(line).replace('delay=5s', 'delay=100ms'), { cwd: folder, env }]
}

interface Example {
  line: string
  effect: string
}

/** Examples that take long and have their own tests: certifications and a month of sample data. */
const takesLong = ({ line }: Example) => /^payments-sandbox (certify|seed) /.test(line)

/** Examples that run until they are interrupted. */
const isEndless = ({ line }: Example) =>
  /^payments-sandbox (start(?! --detach)|listen|logs|record)\b|--follow/.test(line)

const all: readonly Example[] = Object.values(everyWord).flatMap((usage) => {
  const examples = Object.entries(usage.examples).map(([line, effect]) => ({ line, effect }))
  return someOf(examples, examples.some(takesLong) ? 1 : 2)
})

describe.concurrent('an example of the help', () => {
  for (const example of all.filter((one) => !isEndless(one)))
    test(`${example.line} (${example.effect}) works as described`, (context) => {
      if (example.line.includes('curl -')) requireTools(context, 'curl')
      return atPlace(async (place) => {
        const { code, stderr } = await runShell(...(await typed(example, place)))
        expect(withoutProgress(stderr).replace(/^20\d [A-Z]\w+ req_\w+\n$/, '')).toBe('')
        expect(code).toBe(0)
      })
    })

  for (const example of all.filter(isEndless))
    test(`${example.line} (${example.effect}) runs until it is stopped`, () =>
      atPlace(async (place) => {
        const { sandbox, control } = place
        const child = launchShell(...(await typed(example, place)))
        const said = collect(child, 'stdout')
        const over = ended(child)
        const happens = /--follow|sandbox logs/.test(example.line)
        await eventually(
          async () => {
            const action = 'cashin.pay'
            if (happens) await control.call('POST', '/trigger', { action, id: (await charge(sandbox)).transaction_id })
            return said()
          },
          (text) => text !== '',
        )
        child.kill('SIGTERM')
        const { code, stderr } = await over
        expect(withoutProgress(stderr)).toBe('')
        expect(code).toBe(0)
      }))
})

/** All commands and subcommands that can run, by name. */
function runnable(command: Command, path: string): [path: string, command: Command][] {
  // Commander has no public property for the handler and the arguments of a command.
  const acts = Reflect.get(command, '_actionHandler') != null
  const hidden = Reflect.get(command, '_hidden') === true
  const inner = command.commands.flatMap((one) => runnable(one, `${path} ${one.name()}`))
  return acts && !hidden ? [[path, command], ...inner] : inner
}

async function defined([name, row]: [string, CommandRow]): Promise<[path: string, command: Command][]> {
  const command = new Command(name).enablePositionalOptions()
  const { define, usages } = await row.load()
  define(command, { routes: [] })
  addExamples(command, usages)
  return runnable(command, name)
}

/** Returns the output of `payments-sandbox … --help`. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (more) => {
      text += more
    },
  })
  command.outputHelp()
  return text
}

const names = Object.entries(commands)

test('the help of every command shows its examples', async () => {
  for (const [path, command] of (await Promise.all(names.map(defined))).flat()) {
    const { examples = {}, hidesExamples = false } = everyWord[path] ?? {}
    expect([path, Object.keys(examples)]).not.toEqual([path, []])
    const help = hidesExamples ? (await run([path, '--help-config'])).stdout : helpOf(command)
    for (const line of Object.keys(examples)) expect(help).toContain(`  ${line}\n`)
  }
  const { code, stdout } = await run(['webhooks', 'wait', '--help'])
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(Object.keys(everyWord['webhooks wait']?.examples ?? {})[0] ?? 'none'),
  ])
})

test('every command and subcommand describes its output and has examples', async () => {
  const paths = (await Promise.all(names.map(defined))).flat().map(([path]) => path)
  expect(paths.sort()).toEqual(Object.keys(everyWord).sort())
})
