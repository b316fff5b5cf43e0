/** A killed test process takes its sandbox with it, and a killed test runner its test processes: in every language, for every signal. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, expect, type TestContext, test } from 'vitest'
import { rowAt } from '../../src/base/keys.js'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { figure, note } from '../support/figures.js'
import { type HangingRow, hangingPackage, hangingRows } from '../support/hanging-tests.js'
import { collect, ended, launchShell } from '../support/program.js'
import { answers } from '../support/tools.js'

beforeAll(async () => void (await built()))

/** Eight Java machines take over a minute to start beside other work. */
const startWithinMs = 600_000
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

function requireRunner(context: Pick<TestContext, 'skip'>, { needs, quick, isOptional }: HangingRow): void {
  if (quick !== true && figure(true, false)) context.skip('runs with `npm run torture -- --only packages`')
  if (!existsSync('/proc/self/environ')) context.skip('finds the processes in /proc, which this system does not have')
  const missing = needs.filter((command) => !answers(command))
  if (process.env.ALL_LANGUAGES === '1' && isOptional !== true) expect(missing, 'missing tools').toEqual([])
  if (missing.length > 0) context.skip(`not run, because this fails here: ${missing.join(', ')}`)
}

/** What the tests have written, when all of them run. */
async function whenAllRun(ready: string, tests: number, over: () => boolean): Promise<{ url: string; pid: number }[]> {
  const written = () =>
    readdirSync(dirname(ready))
      .filter((name) => name.startsWith(basename(ready)))
      .map((name) => readFileSync(join(dirname(ready), name), 'utf8'))
      .filter((text) => text !== '')
  const seen = await eventually(written, (texts) => texts.length === tests || over(), 20, startWithinMs)
  return seen.map((text) => {
    const [, url = '', pid] = /^(http:\/\/\S+) (\d+)$/.exec(text) ?? []
    return { url, pid: Number(pid) }
  })
}

/** Starts the hanging tests, ends the test processes or the runner by the signal, and returns how long all others took to end. */
async function killHanging(cwd: string, row: HangingRow, signal: NodeJS.Signals, victim: 'test' | 'runner') {
  const mark = randomUUID()
  const ready = join(cwd, mark)
  const child = launchShell(row.command, { cwd, env: { READY: ready, MARK: mark }, hasGroup: true })
  const [out, err, over] = [collect(child, 'stdout'), collect(child, 'stderr'), ended(child)]
  try {
    const running = await whenAllRun(ready, row.tests, () => child.exitCode !== null)
    expect(running.length, out() + err()).toBe(row.tests)
    const health = (url: string) => fetch(`${url}/_sandbox/health`)
    for (const { url } of running) expect((await health(url)).status).toBe(200)
    // A terminal sends Ctrl-C to the whole group.
    const runner = signal === 'SIGINT' ? -Number(child.pid) : Number(child.pid)
    const killedMs = performance.now()
    for (const pid of victim === 'test' ? running.map((one) => one.pid) : [runner]) process.kill(pid, signal)
    await eventually(
      () => marked(mark),
      (pids) => pids.length === 0,
      20,
    )
    const tookMs = Math.round(performance.now() - killedMs)
    await over
    for (const { url } of running) await expect(health(url)).rejects.toThrow()
    return tookMs
  } finally {
    for (const pid of marked(mark)) process.kill(pid, 'SIGKILL')
  }
}

const victims = Object.entries(hangingRows).flatMap(([name, row]) => [
  // Vitest starts a new process for the other tests, and waits for the test that was killed.
  ...(row.language === 'node' ? [] : [[name, 'test'] as const]),
  ...(row.hasWorkers ? [[name, 'runner'] as const] : []),
])

test.for(victims)(
  '%s: killed %s processes leave nothing behind',
  { timeout: 4 * startWithinMs },
  async ([name, victim], context) => {
    const row = rowAt(hangingRows, name)
    if (row === undefined) throw new Error(name)
    requireRunner(context, row)
    const cwd = hangingPackage(row)
    if (row.prepare !== undefined) expect(await ended(launchShell(row.prepare, { cwd }))).toMatchObject({ code: 0 })
    for (const signal of figure<readonly (typeof signals)[number][]>(['SIGKILL'], signals)) {
      const tookMs = await killHanging(cwd, row, signal, victim)
      note(`${name}: ${signal} of the ${victim} process, nothing left after ${tookMs} ms`)
    }
  },
)
