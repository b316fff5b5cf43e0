/** A client under chaos that is interrupted, or leaves processes running: no process stays, and there is no half report. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { ended, launch, runProcess, withoutProgress } from '../support/program.js'

beforeAll(built)

/** Calls the sandbox once, so that the run counts. */
const callOnce = `'${process.execPath}' -e 'fetch(process.env.PAYMENTS_SANDBOX_URL + "/v2/account/balance")'`

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const gone = (pids: readonly number[]) =>
  eventually(
    () => pids.filter(isRunning),
    (left) => left.length === 0,
  )

test.each([
  ['SIGINT', 130, ''],
  ['SIGTERM', 143, "trap '' TERM; "],
] as const)(
  '%s stops the client and everything that it started, and no report is written',
  async (signal, code, trap) => {
    const folder = temporaryFolder()
    const pidFile = join(folder, 'pids')
    const client = `${trap}${callOnce}; test -e first && { sleep 300 & echo $$ $! > pids; wait; }; touch first`
    const faults = ['--chaos', 'rough', '--runs', '3', '--junit', 'out.xml', '--markdown', 'out.md']
    const child = launch(['certify', 'client', ...faults, '--', 'sh', '-c', client], { cwd: folder })
    const over = ended(child)
    const text = await eventually(
      async () => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : ''),
      (found) => found.endsWith('\n'),
    )
    child.kill(signal)
    const { code: exitCode, stdout, stderr } = await over
    expect([exitCode, stdout], stderr).toEqual([code, ''])
    expect(withoutProgress(stderr)).toBe('interrupted after 0 of 3 runs, 0 failed; there is no report\n')
    await eventually(
      async () => text.trim().split(' ').map(Number).filter(isRunning),
      (left) => left.length === 0,
    )
    expect([existsSync(join(folder, 'out.xml')), existsSync(join(folder, 'out.md'))]).toEqual([false, false])
  },
)

test('a process that the client leaves running is stopped, and does not delay the next run', async () => {
  const folder = temporaryFolder()
  const client = `${callOnce}; sleep 300 & echo $! >> pids`
  const args = ['certify', 'client', '--chaos', 'gentle', '--runs', '1', '--', 'sh', '-c', client]
  const { code, stdout, stderr } = await runProcess(args, { cwd: folder })
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('1 run (seed 1)')])
  const left = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number)
  expect(left).toHaveLength(2)
  await gone(left)
})
