/** Where better-sqlite3 is missing the sandbox runs on Node's own SQLite, and its files go from one to the other. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, type TestContext, test } from 'vitest'
import { bin, built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { figure } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { newerNode, runTests } from '../support/newer-node.mjs'
import { install, pack } from '../support/packed.js'
import { ended, printed, run, startProgram } from '../support/program.js'

beforeAll(async () => void (await built()))

/** Without one this cannot be tried, and the report says so. */
function nodeOr(context: TestContext): string {
  try {
    return newerNode()
  } catch (error) {
    const why = `NOT TRIED, no Node with node:sqlite: ${error instanceof Error ? error.message : String(error)}`
    console.warn(why)
    return context.skip(why)
  }
}

async function startBy(node: string, script: string, args: readonly string[], cwd: string) {
  const child: ChildProcess = spawn(node, [script, 'start', '--port', '0', '--json', ...args], { cwd })
  const stderr: string[] = []
  child.stderr?.on('data', (chunk) => stderr.push(String(chunk)))
  const ready = JSON.parse(await printed(child, /\n/))
  const stop = async () => {
    child.kill()
    const { code } = await ended(child)
    expect([code, stderr.join('')]).toEqual([0, ''])
  }
  return { ready, url: ready.base_url as string, stop }
}

/** Those that reach furthest into the driver; all tests of behaviour run there in `npm run torture -- --only drivers`. */
const onBoth = ['control/snapshots-damaged', 'platform/idempotency', ...figure([], ['platform/races'])]

test('the tests of damage and idempotency pass on the newest Node with node:sqlite', (context) => {
  const files = onBoth.map((name) => `test/${name}.test.ts`)
  // They are few: a second worker would take longer to load than it would save.
  const { status, stdout, stderr } = runTests(nodeOr(context), [...files, '--maxWorkers=1'], 'pipe')
  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toContain(`${onBoth.length} passed`)
}, 300_000)

test('a package without install scripts and without better-sqlite3 starts at once on the newest Node', async (context) => {
  const node = nodeOr(context)
  const project = temporaryFolder()
  const { tarball } = await pack(project)
  writeFileSync(join(project, 'package.json'), '{"private":true}')
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` }
  execFileSync('npm', ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', tarball], {
    cwd: project,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('npm_'))),
    stdio: 'pipe',
  })
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'payments-sandbox',
  ])
  const { ready, url, stop } = await startBy(node, 'node_modules/.bin/payments-sandbox', [], project)
  expect(ready.database_driver).toBe('node')
  expect((await control(url)('GET', '/health')).body.database_driver).toBe('node')
  const doctor = spawn(node, [bin, 'doctor', '--url', url])
  expect((await ended(doctor)).stdout).toContain('driver: node')
  await stop()
})

test('a database file and its snapshots can be used by either driver in turn', async (context) => {
  const node = nodeOr(context)
  const db = join(temporaryFolder(), 'sandbox.db')
  const first = await startProgram(['--db', db])
  expect(first.ready).toMatchObject({ database_driver: expect.any(String) })
  const charge = await (await openClient(first.url)).charge({ external_id: 'one' })
  await control(first.url)('POST', '/snapshots', { name: 'base' })
  await first.stop('SIGKILL')

  const second = await startBy(node, bin, ['--db', db, '--database-driver', 'node'], process.cwd())
  const call = control(second.url)
  expect((await call('GET', '/transactions')).body.data).toMatchObject([{ transaction_id: charge }])
  await (await openClient(second.url)).charge({ external_id: 'two' })
  await call('POST', '/snapshots', { name: 'more' })
  expect((await call('POST', '/snapshots/base/restore')).status).toBe(200)
  expect((await call('GET', '/transactions')).body.data).toHaveLength(1)
  await second.stop()

  const third = await startProgram(['--db', db])
  expect((await control(third.url)('POST', '/snapshots/more/restore')).status).toBe(200)
  expect((await control(third.url)('GET', '/transactions')).body.data).toHaveLength(2)
  expect(await third.stop()).toBe(0)
})

test('a missing driver that was requested is reported in one line with the fix', async () => {
  const project = temporaryFolder()
  const { tarball } = await pack(project)
  install(tarball, project, {})
  rmSync(join(project, 'node_modules/better-sqlite3'), { recursive: true })
  const program = join(project, 'node_modules/payments-sandbox/bin/payments-sandbox.js')
  const refused = await ended(
    spawn(process.execPath, [program, 'start', '--port', '0', '--database-driver', 'better-sqlite3'], { cwd: project }),
  )
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(
    /^payments-sandbox: better-sqlite3 is not installed: [^\n]*npm install better-sqlite3[^\n]*\n$/,
  )
  const unknown = await run(['start', '--database-driver', 'oracle'])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('better-sqlite3')])
})
