/** Files that a certification writes, and programs that it starts. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { runLine, runRestart } from '../../src/features/certify/processes.js'
import { certificates } from '../../src/features/certify/report/files.js'
import { writeOutput } from '../../src/runtime/node/files/output.js'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { run } from '../support/program.js'
import { isRefused } from '../support/refused.js'

beforeAll(async () => void (await built()))

const outputs = ['--junit', '--markdown', '--badge'].flatMap((flag) => [
  { flag, args: ['certify', 'receiver', '--url', 'http://127.0.0.1:9', flag, 'notes.txt'] },
  { flag, args: ['certify', 'client', flag, 'notes.txt', '--', 'true'] },
])

test.each(outputs)('$args.1 $flag rejects a file of another kind at once and leaves it unchanged', async ({ args }) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'notes.txt'), 'my notes\n')
  await isRefused(() => run(args, { cwd }), /it exists and is not .*, so it is not replaced; name another file/, 2)
  expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('my notes\n')
})

test('one file is never used for two reports', async () => {
  const cwd = temporaryFolder()
  const args = ['certify', 'client', '--junit', 'a.xml', '--badge', './a.xml', '--', 'true']
  await isRefused(() => run(args, { cwd }), '--junit and --badge must not name the same file', 2)
  expect(readdirSync(cwd)).toEqual([])
})

test('reports replace those that a certification wrote, and leave nothing beside them', async () => {
  const folder = temporaryFolder()
  const report = { verdict: 'passed', rules: [], not_tested: [] } as const
  const flags = { junit: join(folder, 'out.xml'), markdown: join(folder, 'a.md'), badge: join(folder, 'a.svg') }
  writeFileSync(flags.junit, '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="payments-sandbox"/>\n')
  for (const side of ['receiver', 'client', 'books', 'books'] as const)
    await certificates.writeFiles(flags, { side, what: 'it', report: { ...report, rules: [], not_tested: [] } })
  expect(readdirSync(folder).toSorted()).toEqual(['a.md', 'a.svg', 'out.xml'])
})

test('what a restart command leaves running goes on, if the command succeeded', async () => {
  const folder = temporaryFolder()
  const [over, lives, ends] = ['over', 'lives', 'ends'].map((name) => join(folder, name))
  const leaving = (work: string, code: number) => `(until test -e ${over}; do sleep 0.05; done; ${work}) & exit ${code}`
  await runRestart(leaving(`echo late; sleep 0.3; touch ${lives}`, 0))
  await expect(runRestart(leaving(`touch ${ends}`, 1))).rejects.toThrow('exited with code 1')
  writeFileSync(String(over), '')
  await eventually(() => existsSync(String(lives)), Boolean)
  expect(existsSync(String(ends))).toBe(false)
})

test('neither a file that is written nor a program that is started adds a listener of its own', async () => {
  const folder = temporaryFolder()
  const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name))
  const before = listeners()
  const over = join(folder, 'over')
  const work = Array.from({ length: 12 }, (_, at) => [
    writeOutput({ file: join(folder, `${at}.xml`), kind: 'junit' }, '<testsuites/>'),
    runLine(`until test -e ${over}; do sleep 0.05; done`),
  ]).flat()
  await pause(50)
  expect(listeners().map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1, 1, 1])
  writeFileSync(over, '')
  await Promise.all(work)
  expect(listeners()).toEqual(before)
})
