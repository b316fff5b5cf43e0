/** Commands that take longer than a second show progress: a bar at a terminal, plain lines otherwise. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { ended, launchShell, run, startHereForTest } from '../support/program.js'

beforeAll(async () => void (await built()))

const lines = (text: string) => text.split('\n').filter((line) => line !== '')

test('without a terminal, progress goes to standard error as plain lines, and standard output has only the result', async () => {
  const { url } = await startHereForTest(['--clock', 'manual'])
  const env = { PAYMENTS_SANDBOX_URL: url }
  const waited = await run(['webhooks', 'wait', 'cashin.expired', '--timeout', '1500ms', '--json'], { env })
  expect(waited.code).toBe(1)
  expect(lines(waited.stderr)[0]).toBe('waiting for cashin.expired …')
  expect(JSON.parse(waited.stdout).error.code).toBe('WAIT_TIMEOUT')
  const quick = await run(['clock', 'advance', '1m', '--json'], { env })
  expect(quick.stdout).toContain('"now"')
})

test('the progress of several scenarios names the current one', async () => {
  const { url } = await startHereForTest()
  const cwd = temporaryFolder()
  for (const name of ['first', 'second'])
    writeFileSync(
      join(cwd, `${name}.yaml`),
      `name: ${name}\nsteps:\n  - create: { cashin: { amount: 5, currency: BRL } }\n  - wait: 1300ms\n`,
    )
  const { code, stderr } = await run(['scenario', 'run', 'first.yaml', 'second.yaml'], {
    cwd,
    env: { PAYMENTS_SANDBOX_URL: url },
  })
  expect(code).toBe(0)
  // On a busy machine a scenario may take long enough for a second line.
  const shown = lines(stderr).map((line) => line.replace(/: .+ \(/, ': ('))
  expect([...new Set(shown)]).toEqual(['1 of 2, first: (0 %) …', '2 of 2, second: (50 %) …'])
})

// `script` runs a program in a terminal; no such tool is on every system, so the test runs on Linux only.
if (process.platform === 'linux')
  test('at a terminal, a bar shows how far the clock has advanced, and disappears with the result', async () => {
    const { url } = await startHereForTest(['--clock', 'manual'])
    const command = `script -qefc 'payments-sandbox seed demo --days 40' /dev/null`
    const { code, stdout } = await ended(launchShell(command, { env: { PAYMENTS_SANDBOX_URL: url } }))
    expect(code).toBe(0)
    expect(stdout).toMatch(/[█░]{20} creating sample data: \d{4}-\d\d-\d\d/)
    expect(stdout.slice(stdout.lastIndexOf('\r\u001b[2K'))).toContain('actions')
  })
