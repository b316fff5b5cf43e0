/** A test process that is killed takes its sandbox with it, in every language and for every signal. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, type TestContext, test } from 'vitest'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { figure, note } from '../support/figures.js'
import { hangingPackage, hangingRows } from '../support/hanging-tests.js'
import { collect, ended, launchShell } from '../support/program.js'
import { answers } from '../support/tools.js'

beforeAll(async () => void (await built()))

const signals = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const

/** Returns the processes whose environment has the mark. */
const marked = (mark: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(mark))

/** Returns an empty text if the process has ended, or belongs to somebody else. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

function requireLanguage(context: Pick<TestContext, 'skip'>, language: string): void {
  const row = hangingRows[language]
  if (row?.quick !== true && figure(true, false)) context.skip('runs with `npm run torture -- --only packages`')
  if (!existsSync('/proc/self/environ')) context.skip('finds the processes in /proc, which this system does not have')
  const missing = row?.needs.filter((command) => !answers(command)) ?? []
  if (missing.length > 0 && process.env.ALL_LANGUAGES === '1') expect(missing, `tools for ${language}`).toEqual([])
  if (missing.length > 0) context.skip(`not run, because this fails here: ${missing.join(', ')}`)
}

/** Starts the hanging test, ends a process of it by the signal, and returns how long the others took to end. */
async function killHanging(cwd: string, command: string, signal: NodeJS.Signals, victim: 'test' | 'runner') {
  const mark = randomUUID()
  const ready = join(cwd, mark)
  const child = launchShell(command, { cwd, env: { READY: ready, MARK: mark } })
  const [out, err, over] = [collect(child, 'stdout'), collect(child, 'stderr'), ended(child)]
  try {
    const seen = await eventually(
      () => (existsSync(ready) ? readFileSync(ready, 'utf8') : child.exitCode === null ? '' : out() + err()),
      (text) => text !== '',
    )
    expect(seen).toMatch(/^http:\/\/\S+ \d+$/)
    const [url = '', pid] = seen.split(' ')
    expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200)
    const killedMs = performance.now()
    process.kill(victim === 'test' ? Number(pid) : Number(child.pid), signal)
    await eventually(
      () => marked(mark),
      (pids) => pids.length === 0,
      20,
    )
    await over
    await expect(fetch(`${url}/_sandbox/health`)).rejects.toThrow()
    return Math.round(performance.now() - killedMs)
  } finally {
    for (const pid of marked(mark)) process.kill(pid, 'SIGKILL')
  }
}

const victims = [
  ...Object.keys(hangingRows).map((language) => [language, 'test'] as const),
  // Maven runs the tests in a process of its own.
  ['java', 'runner'] as const,
]

test.for(victims)(
  'a killed %s %s process leaves nothing behind',
  { timeout: 300_000 },
  async ([language, victim], context) => {
    requireLanguage(context, language)
    const row = hangingRows[language]
    const cwd = hangingPackage(language)
    if (row?.prepare !== undefined) expect(await ended(launchShell(row.prepare, { cwd }))).toMatchObject({ code: 0 })
    for (const signal of figure<readonly (typeof signals)[number][]>(['SIGKILL'], signals)) {
      const tookMs = await killHanging(cwd, row?.command ?? '', signal, victim)
      note(`${language}: ${signal} of the ${victim} process, nothing left after ${tookMs} ms`)
    }
  },
)
