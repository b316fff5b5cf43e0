/** Properties of the executable alone: it needs nothing else on the machine. Runs if `TEST_PROGRAM` names an executable. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { pageFile } from '../../src/runtime/node/sandbox.js'
import { executable } from '../support/built.js'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { control, send } from '../support/http.js'
import { root } from '../support/packed.js'
import { ended, printed, type Ready, run, startForTest, withoutProgress } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'

/** Skips the test without an executable, because the built program always has its package beside it. */
function requireExecutable(context: Pick<TestContext, 'skip'>): string {
  if (executable === undefined) context.skip('about the executable alone: TEST_PROGRAM names one')
  return executable ?? ''
}

/** An unprivileged user, because root can write everywhere. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Runs the executable alone in a read-only folder, with an empty home, no variables and an empty PATH. */
function onBareMachine(file: string): (...args: string[]) => ChildProcess {
  const folder = temporaryFolder()
  const [own, home] = [join(folder, 'own'), join(folder, 'home')]
  for (const name of [own, home]) mkdirSync(name)
  copyFileSync(file, join(own, 'payments-sandbox'))
  for (const name of [folder, own, home]) chmodSync(name, 0o555)
  onTestFinished(() => chmodSync(own, 0o755))
  const env = { PATH: '', HOME: home }
  return (...args) => spawn(join(own, 'payments-sandbox'), args, { cwd: own, env, ...nobody })
}

test('the executable needs no Node, no home, no other file and no place to write', async (context) => {
  const onBare = onBareMachine(requireExecutable(context))
  const receiver = await openReceiver()
  const child = onBare('start', '--port', '0', '--json', '--webhook-url', receiver.url)
  onTestFinished(() => void child.kill('SIGKILL'))
  const { base_url, database_driver } = JSON.parse(await printed(child, /\n/)) as Ready & { database_driver: string }
  expect(database_driver).toBe('node')
  for (const [path, name] of Object.entries({
    '': 'index.html',
    'assets/app.js': 'app.js',
    'assets/editor.js': 'editor.js',
  }))
    expect(await (await fetch(`${base_url}/${path}`)).text()).toBe(pageFile(name)?.body)
  const notices = await (await fetch(`${base_url}/assets/notices.txt`)).text()
  expect(notices).toMatch(/^This executable contains node@[\d.]+, under this license\.\n+Node\.js is licensed for use/m)
  expect(notices).toContain(readFileSync(join(root, 'dist/dashboard/notices.txt'), 'utf8'))
  const { data } = (await control(base_url)('GET', '/scenarios')).body
  expect(data).toHaveLength(readdirSync(join(root, 'scenarios')).filter((name) => name.endsWith('.yaml')).length)
  const api = await openClient(base_url)
  await api.charge()
  const command = (...args: string[]) => ended(onBare(...args, '--url', base_url))
  expect(await command('trigger', 'cashin.pay')).toMatchObject({ code: 0, stderr: '' })
  await eventually(
    async () => receiver.names(),
    (names) => names.includes('cashin.confirmed'),
  )
  const ran = await command('scenario', 'run', 'pix-paid', '--fast-forward')
  expect([ran.code, withoutProgress(ran.stderr)]).toEqual([0, ''])
  const { stdout } = await ended(onBare('exec', '--', child.spawnfile, '--version'))
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\nPayments Service Interface, [^\n]+\n$/)
  child.kill('SIGTERM')
  expect((await ended(child)).code).toBe(0)
  const detached = await ended(onBare('start', '--detach', '--port', '0', '--json'))
  expect(detached.code, detached.stderr).toBe(0)
  const stopped = await ended(onBare('stop', '--url', JSON.parse(detached.stdout).base_url))
  expect([stopped.code, withoutProgress(stopped.stderr)]).toEqual([0, ''])
})

test('the executable opens large files in a thread', async (context) => {
  requireExecutable(context)
  const folder = temporaryFolder()
  const { url } = await startForTest(['--db', join(folder, 'sandbox.db')])
  await (await openClient(url)).charge()
  const file = join(folder, 'saved.json')
  for (const args of [
    ['save', 'first'],
    ['export', file, '--name', 'first'],
    ['import', file],
    ['restore', 'first'],
  ])
    expect(await run(['snapshot', ...args, '--url', url])).toMatchObject({ code: 0, stderr: '' })
  expect((await send('GET', `${url}/_sandbox/ledger`)).body.balanced).toBe(true)
})

test('the executable writes the schema of scenarios beside a new one', async (context) => {
  requireExecutable(context)
  const cwd = temporaryFolder()
  for (const name of ['first', 'second']) expect((await run(['scenario', 'new', name], { cwd })).code).toBe(0)
  const written = readFileSync(join(cwd, 'scenario.schema.json'), 'utf8')
  expect(written).toBe(readFileSync(join(root, 'scenarios/scenario.schema.json'), 'utf8'))
  expect(readFileSync(join(cwd, 'second.yaml'), 'utf8')).toContain('$schema=./scenario.schema.json')
})

test('the executable does not read options for Node, and refuses a driver that it lacks', async (context) => {
  requireExecutable(context)
  const { stdout } = await run(['--version'], { env: { NODE_OPTIONS: '--require ./nowhere.cjs' } })
  expect(stdout).toMatch(/^\d/)
  expect(await run(['start', '--port', '0', '--database-driver', 'better-sqlite3'])).toMatchObject({
    code: 1,
    stderr: 'payments-sandbox: the executable does not contain better-sqlite3: remove --database-driver\n',
  })
})
