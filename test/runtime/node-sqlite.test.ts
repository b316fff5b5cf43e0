/** Without better-sqlite3 the sandbox runs on Node's own SQLite, and both can use the same files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { bin, built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { rejectsDamaged } from '../support/damaged-snapshots.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { npm, pack, unpack } from '../support/packed.js'
import { ended, printed, run, startProgram } from '../support/program.js'
import { requireNewerNode } from '../support/tools.js'

beforeAll(async () => void (await built()))

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

test('a package without install scripts and without better-sqlite3 starts at once on the newest Node, which loads no better-sqlite3 if there is one', async (context) => {
  const node = requireNewerNode(context)
  const project = temporaryFolder()
  const { tarball } = await pack()
  writeFileSync(join(project, 'package.json'), '{"private":true}')
  npm(['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', tarball], project)
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'payments-sandbox',
  ])
  mkdirSync(join(project, 'node_modules/better-sqlite3'))
  writeFileSync(join(project, 'node_modules/better-sqlite3/index.js'), 'process.exit(7)')
  const { ready, url, stop } = await startBy(node, 'node_modules/.bin/payments-sandbox', [], project)
  expect(ready.database_driver).toBe('node')
  expect((await control(url)('GET', '/health')).body.database_driver).toBe('node')
  const doctor = spawn(node, [bin, 'doctor', '--url', url])
  expect((await ended(doctor)).stdout).toContain('driver: node')
  await stop()
})

/** A repeated call returns the first response and moves no money; with other content it is a conflict. */
async function isIdempotent(url: string): Promise<void> {
  const api = await openClient(url)
  const payout = { external_id: 'payout', amount: 1, currency: 'BRL', key: '52998224725', key_type: 'cpf' }
  const first = await api.cashout(payout)
  const balance = await api.balance('BRL')
  expect((await api.cashout(payout)).data).toEqual(first.data)
  expect(await api.balance('BRL')).toEqual(balance)
  const other = await api.cashout({ ...payout, amount: 2 })
  expect([other.status, other.code]).toEqual([409, 'DUPLICATE_EXTERNAL_ID'])
}

// `npm run torture -- --only drivers` runs all behavior tests on node:sqlite.
test('a database file and its snapshots can be used by either driver in turn, and either rejects damage and repeated calls', async (context) => {
  const node = requireNewerNode(context)
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
  await rejectsDamaged(second.url, db, readFileSync(`${db}.s-base`))
  expect((await call('GET', '/transactions')).body.data).toHaveLength(1)
  await call('POST', '/snapshots/more/restore')
  await isIdempotent(second.url)
  await second.stop()

  const third = await startProgram(['--db', db])
  expect((await control(third.url)('POST', '/snapshots/more/restore')).status).toBe(200)
  expect((await control(third.url)('GET', '/transactions')).body.data).toHaveLength(2)
  expect(await third.stop()).toBe(0)
})

test('a missing driver that was requested is reported in one line with the fix', async () => {
  const project = temporaryFolder()
  unpack((await pack()).tarball, project, {})
  const program = join(project, 'node_modules/payments-sandbox/bin/payments-sandbox.js')
  const start = () =>
    ended(
      spawn(process.execPath, [program, 'start', '--port', '0', '--database-driver', 'better-sqlite3'], {
        cwd: project,
      }),
    )
  const refused = await start()
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(
    /^payments-sandbox: better-sqlite3 is not installed: [^\n]*npm install better-sqlite3[^\n]*\n$/,
  )
  mkdirSync(join(project, 'node_modules/better-sqlite3'))
  writeFileSync(join(project, 'node_modules/better-sqlite3/index.js'), 'throw new Error("no bindings file")')
  expect((await start()).stderr).toMatch(
    /^payments-sandbox: better-sqlite3 does not load on Node [\d.]+: [^\n]*npm rebuild better-sqlite3[^\n]*\n$/,
  )
  const unknown = await run(['start', '--database-driver', 'oracle'])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('better-sqlite3')])
})
