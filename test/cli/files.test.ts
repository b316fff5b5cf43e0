/** Files that users name: a file is written completely or not at all, never over a file of another kind, and only regular files up to a limit are read. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { outputKinds, writeOutput } from '../../src/runtime/node/files/output.js'
import { startSandbox } from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { openClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import {
  ended,
  launchShell,
  printed,
  run,
  startForTest,
  startHereForTest,
  withoutProgress,
} from '../support/program.js'
import { isRefused } from '../support/refused.js'

beforeAll(async () => void (await built()))

const leftIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.payments-sandbox'))

describe('a file to be written', () => {
  test('adds no listener for each file', async () => {
    const folder = temporaryFolder()
    const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name))
    const before = listeners()
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    async function* slowly() {
      yield '<testsuites/>'
      await over
    }
    const work = Array.from({ length: 12 }, (_, at) =>
      writeOutput({ file: join(folder, `${at}.xml`), kind: 'junit' }, slowly()),
    )
    const added = async () => listeners().map((count, at) => count - (before[at] ?? 0))
    await eventually(added, (counts) => counts.every((count) => count > 0))
    expect(await added()).toEqual([1, 1, 1, 1])
    end()
    await Promise.all(work)
    expect(listeners()).toEqual(before)
  })

  test('is never the database of a running sandbox or a part of it, by whatever name', async () => {
    const folder = temporaryFolder()
    const db = join(folder, 'live.db')
    const first = await startForTest(['--db', db])
    await (await openClient(first.url)).charge({ external_id: 'kept' })
    await first.stop()
    const { url, stop } = await startForTest(['--db', db])
    await control(url)('POST', '/snapshots', { name: 'before' })
    symlinkSync('live.db', join(folder, 'link.json'))
    linkSync(db, join(folder, 'hard.json'))
    const names = ['live.db', 'link.json', 'hard.json', 'live.db-wal', 'live.db-shm', 'live.db-journal']
    for (const name of [...names, 'live.db.s-before', 'live.db.s-new', 'live.db.w-team.db', 'live.db.new']) {
      const there = existsSync(join(folder, name))
      const command = () => run(['snapshot', 'export', join(folder, name)], { env: { PAYMENTS_SANDBOX_URL: url } })
      await isRefused(command, /it is a SQLite database|it belongs to the database/)
      expect(existsSync(join(folder, name))).toBe(there)
    }
    expect(await stop()).toBe(0)
    const again = await startForTest(['--db', db])
    const { body } = await control(again.url)('GET', '/transactions?external_id=kept')
    expect(body.data).toHaveLength(1)
  })

  test('is never an open database that is empty or deleted, because its log lies beside it', async () => {
    const folder = temporaryFolder()
    const db = join(folder, 'live.db')
    const { url } = await startForTest(['--db', db])
    await (await openClient(url)).charge({ external_id: 'kept' })
    const env = { PAYMENTS_SANDBOX_URL: url }
    renameSync(db, join(folder, 'away'))
    await isRefused(() => run(['snapshot', 'export', db], { env }), 'it is a SQLite database')
    writeFileSync(db, '')
    await isRefused(() => run(['snapshot', 'export', db], { env }), 'it is a SQLite database')
    renameSync(join(folder, 'away'), db)
  })

  test('is never the database of the same start', async () => {
    const folder = temporaryFolder()
    const db = join(folder, 'new.db')
    const start = (file: string) => run(['start', '--port', '0', '--db', db, '--config-out', file])
    await isRefused(() => start(db), /it is a SQLite database.*--config-out/)
    await isRefused(() => start(`${db}-wal`), /it belongs to the database.*--config-out/)
    expect(readFileSync(db).subarray(0, 15).toString()).toBe('SQLite format 3')
  })

  const outputs: Record<string, { args: (file: string) => string[]; code?: number }> = {
    'snapshot export': { args: (file) => ['snapshot', 'export', file] },
    'start --config-out': { args: (file) => ['start', '--port', '0', '--config-out', file] },
    'exec --config-out': { args: (file) => ['exec', '--config-out', file, '--', 'true'] },
    'scenario run --junit': { args: (file) => ['scenario', 'run', 'pix-paid', '--junit', file] },
  }

  for (const [what, { args, code }] of Object.entries(outputs))
    test(`is never a file of another kind: ${what} rejects such a file at once and leaves it unchanged`, async () => {
      const folder = temporaryFolder()
      const file = join(folder, 'notes.txt')
      const others = { 'notes.txt': 'my notes\n', 'other.json': '{"format":"something else"}\n', 'other.xml': otherXml }
      for (const [name, text] of Object.entries(others)) writeFileSync(join(folder, name), text)
      mkdirSync(join(folder, 'folder'))
      symlinkSync('nowhere', join(folder, 'dangling'))
      execFileSync('mkfifo', [join(folder, 'pipe')])
      const refuse = (name: string, says: RegExp) => isRefused(() => run(args(join(folder, name))), says, code)
      await refuse('notes.txt', /it exists and is not .*, so it is not replaced; name another file/)
      if (what !== 'snapshot export') return
      await refuse('other.json', /is not an exported snapshot/)
      await refuse('other.xml', /is not an exported snapshot/)
      await refuse('folder', /it is a folder, not a regular file/)
      await refuse('dangling', /a symbolic link to a file that does not exist/)
      await refuse('pipe', /it is a pipe, not a regular file/)
      await refuse('nowhere/file', /there is no folder/)
      await refuse('notes.txt/file', /is not a folder/)
      for (const [name, text] of Object.entries(others)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
      expect([lstatSync(join(folder, 'pipe')).isFIFO(), existsSync(join(folder, 'nowhere'))]).toEqual([true, false])
      expect(readFileSync(file, 'utf8')).toBe('my notes\n')
    })

  test('is never an existing file for scenario new, not even an empty one', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'mine.yaml'), '')
    await isRefused(() => run(['scenario', 'new', 'mine'], { cwd }), 'the file exists')
    expect(readFileSync(join(cwd, 'mine.yaml'), 'utf8')).toBe('')
  })

  test('replaces an empty file or one that the same command wrote, and keeps its permissions and links', async () => {
    const folder = temporaryFolder()
    const sandbox = await startHereForTest()
    const env = { PAYMENTS_SANDBOX_URL: sandbox.url }
    const file = join(folder, 'golden.json')
    writeFileSync(file, '')
    chmodSync(file, 0o640)
    symlinkSync('golden.json', join(folder, 'link.json'))
    for (const name of ['golden.json', 'golden.json', 'link.json'])
      expect((await run(['snapshot', 'export', join(folder, name)], { env })).stderr).toBe('')
    expect(JSON.parse(readFileSync(file, 'utf8')).format).toBe('payments-sandbox snapshot')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true)
    const junit = ['scenario', 'run', 'pix-paid', '--fast-forward', '--junit', join(folder, 'out.xml')]
    for (let round = 0; round < 2; round++) expect(withoutProgress((await run(junit, { env })).stderr)).toBe('')
    const ready = join(folder, 'ready.json')
    for (let round = 0; round < 2; round++) {
      expect((await run(['exec', '--config-out', ready, '--', 'true'])).stderr).toBe('')
      expect(statSync(ready).mode & 0o777).toBe(0o600)
      chmodSync(ready, 0o644)
    }
    expect(leftIn(folder)).toEqual([])
  })

  test('stays unchanged when the disk is full, and no temporary file is left', async () => {
    const folder = temporaryFolder()
    const { url } = await startHereForTest()
    const env = { PAYMENTS_SANDBOX_URL: url }
    const file = join(folder, 'golden.json')
    expect((await run(['snapshot', 'export', file], { env })).code).toBe(0)
    const before = readFileSync(file, 'utf8')
    // Only root can mount a small disk. A limit on file sizes fails at the same place.
    const limited = await ended(
      launchShell(`ulimit -f 4; payments-sandbox snapshot export ${file}; exit $?`, { env, cwd: folder }),
    )
    expect([limited.code, limited.stderr]).toEqual([
      1,
      expect.stringContaining('cannot be written: it would be larger'),
    ])
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(readdirSync(folder)).toEqual(['golden.json'])
  })

  test('stays unchanged when the input breaks off or another file appears meanwhile', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'golden.json')
    async function* brokenOff() {
      yield '{"format": "payments-sandbox snapshot", '
      throw new Error('the sandbox has gone')
    }
    await expect(writeOutput({ file, kind: 'snapshot' }, brokenOff())).rejects.toThrow('the sandbox has gone')
    expect(readdirSync(folder)).toEqual([])
    const before = '{"format": "payments-sandbox snapshot", "version": 1}'
    writeFileSync(file, before)
    await expect(writeOutput({ file, kind: 'snapshot' }, brokenOff())).rejects.toThrow('the sandbox has gone')
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(readdirSync(folder)).toEqual(['golden.json'])
    // A file that another program creates meanwhile is not replaced either.
    async function* overtaken() {
      yield '{'
      writeFileSync(join(folder, 'new.json'), 'mine')
      yield '}'
    }
    await expect(writeOutput({ file: join(folder, 'new.json'), kind: 'snapshot' }, overtaken())).rejects.toThrow(
      'is not an exported snapshot',
    )
    expect(readFileSync(join(folder, 'new.json'), 'utf8')).toBe('mine')
    expect(leftIn(folder)).toEqual([])
  })

  test('can be a stream: standard output, a descriptor of the shell, nothing', async () => {
    const folder = temporaryFolder()
    const { url } = await startHereForTest()
    const env = { PAYMENTS_SANDBOX_URL: url }
    const piped = await run(['snapshot', 'export', '/dev/stdout'], { env })
    expect([piped.code, JSON.parse(piped.stdout).format]).toEqual([0, 'payments-sandbox snapshot'])
    const shell = launchShell(`payments-sandbox snapshot export /dev/fd/7 7> out.json`, { env, cwd: folder })
    expect((await ended(shell)).code).toBe(0)
    expect(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')).format).toBe('payments-sandbox snapshot')
    expect((await run(['snapshot', 'export', '/dev/null'], { env })).code).toBe(0)
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  test('has a kind that recognizes its own beginning and no other', () => {
    const beginning = Object.values(outputKinds).flatMap((kind) => kind.beginning ?? [])
    for (const text of ['', 'SQLite format 3\0', '{}', '<svg xmlns="http://www.w3.org/2000/svg">', '# Certification'])
      expect(beginning.filter((pattern) => pattern.test(text))).toEqual([])
  })
})

const otherXml = '<?xml version="1.0"?><testsuites name="mine"/>\n'

describe('a file to be read', () => {
  const inputs: Record<string, { args: (file: string) => string[]; code?: number }> = {
    'snapshot import': { args: (file) => ['snapshot', 'import', file] },
    'start --snapshot': { args: (file) => ['start', '--port', '0', '--snapshot', file] },
    'start --config': { args: (file) => ['start', '--port', '0', '--config', file] },
    'start --db': { args: (file) => ['start', '--port', '0', '--db', file] },
    'scenario validate': { args: (file) => ['scenario', 'validate', file] },
    'scenario run': { args: (file) => ['scenario', 'run', file], code: 2 },
    'scenario arm': { args: (file) => ['scenario', 'arm', file], code: 2 },
    'request --data': { args: (file) => ['request', 'POST', '/v2/transactions/cashin', '--data', `@${file}`] },
    'request --file': {
      args: (file) => ['request', 'POST', '/v2/account/infractions/reply', '--data', '{}', '--file', file],
    },
  }

  for (const [what, { args, code }] of Object.entries(inputs))
    test(`is never a device, a pipe or a folder: ${what} rejects them at once`, async () => {
      const folder = temporaryFolder()
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      await isRefused(() => run(args(pipe)), /not a regular file/, code)
      await isRefused(() => run(args(folder)), /it is a folder|is a folder: name a file/, code)
      // A device is not tested with SQLite, which would create its log beside it.
      await isRefused(() => run(args('/dev/zero')), /not a regular file/, code)
      expect(existsSync('/dev/zero-journal')).toBe(false)
    })

  test('has a size limit that the error names', async () => {
    const folder = temporaryFolder()
    const large = join(folder, 'large.yaml')
    writeFileSync(large, '')
    truncateSync(large, 3 * 1024 ** 3)
    for (const [args, says] of [
      [['start', '--port', '0', '--config', large], 'it has more than 1 MiB'],
      [['scenario', 'validate', large], 'it has more than 64 KiB'],
      [['start', '--port', '0', '--snapshot', large], 'it has more than 511 MiB'],
      [['request', 'POST', '/v2/x', '--data', `@${large}`], 'it has more than 64 MiB'],
    ] as const)
      await isRefused(() => run(args), says)
  })

  test('has the same limit on standard input', async () => {
    const endless = await ended(launchShell('yes | payments-sandbox request POST /v2/x --data -'))
    expect([endless.code, endless.stderr]).toEqual([1, expect.stringContaining('it has more than 64 MiB')])
  })

  test('has the same errors in the library', async () => {
    await expect(startSandbox({ snapshot: '/dev/zero' })).rejects.toThrow(
      'the snapshot /dev/zero cannot be read: it is a device, not a regular file',
    )
    await expect(startSandbox({ snapshot: 'nowhere.json' })).rejects.toThrow('there is no such file')
  })

  test('must also be a regular file in a folder of scenarios', async () => {
    const folder = temporaryFolder()
    symlinkSync('/dev/zero', join(folder, 'endless.yaml'))
    await isRefused(
      () => run(['start', '--port', '0', '--scenarios', folder]),
      /endless\.yaml cannot be read: it is a device/,
    )
    await isRefused(
      () => run(['start', '--port', '0', '--scenarios', '/dev/zero']),
      /the scenario folder \/dev\/zero is a file/,
    )
  })
})

test('an export that is interrupted leaves nothing beside the file', async () => {
  const folder = temporaryFolder()
  const script = `
    import { writeOutput } from '${join(import.meta.dirname, '../../src/runtime/node/files/output.ts')}'
    async function* slowly() { yield '{'; console.log('writing'); await new Promise((resolve) => setTimeout(resolve, 60000)) }
    await writeOutput({ file: 'golden.json', kind: 'snapshot' }, slowly())`
  const file = join(folder, 'write.mjs')
  await bundled(script, file)
  const child = launchShell(`exec '${process.execPath}' '${file}'`, { cwd: folder })
  await printed(child, /writing/)
  expect(leftIn(folder)).toHaveLength(1)
  child.kill('SIGINT')
  await new Promise((resolve) => child.once('close', resolve))
  expect(child.signalCode).toBe('SIGINT')
  expect(leftIn(folder)).toEqual([])
  expect(existsSync(join(folder, 'golden.json'))).toBe(false)
})

/** Bundles sources into one program. */
async function bundled(script: string, file: string): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    stdin: { contents: script, resolveDir: import.meta.dirname, loader: 'ts' },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile: file, logLevel: 'silent' },
  })
}
