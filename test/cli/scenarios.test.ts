/** Scenarios on the command line: validate, run, report to CI systems, arm. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { ended, launch, printed, run } from '../support/program.js'
import { cli, json, sandbox, shareSandbox } from '../support/shared-sandbox.js'

shareSandbox()

/** Returns the names of the sandbox's scenarios. */
const names = async (): Promise<string[]> =>
  (await control(sandbox.url)('GET', '/scenarios')).body.data.map((row: { name: string }) => row.name)

test('scenario validate needs no sandbox and reports every mistake with its place', async () => {
  const file = join(temporaryFolder(), 'mine.yaml')
  writeFileSync(file, 'name: mine\nstpes:\n  - wait: 1s\n')
  const { code, stdout } = await run(['scenario', 'validate', file])
  expect(code).toBe(1)
  expect(stdout).toContain(`${file}:2:1: `)
  expect(stdout).toContain('steps')
})

test('a file over 64 KiB is rejected with the limit, by validate and by a start with its folder', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'large.yaml')
  writeFileSync(file, `name: large\ndescription: ${'x'.repeat(65_536)}\nsteps: [cashin.pay]\n`)
  const validated = await run(['scenario', 'validate', file])
  expect([validated.code, validated.stderr]).toEqual([1, expect.stringContaining('it has more than 64 KiB')])
  const started = await run(['start', '--port', '0', '--scenarios', folder])
  expect(started.code).not.toBe(0)
  expect(started.stderr).toContain(`${file} cannot be read: it has more than 64 KiB`)
})

test('scenario run reports each step, writes JUnit, and exits with 1 when a step fails', async () => {
  const folder = temporaryFolder()
  const good = join(folder, 'good.yaml')
  const bad = join(folder, 'bad.yaml')
  const start = (name: string) =>
    `name: ${name}\nparams: { amount: 25, delay: 1h }\nsteps:\n  - create: { cashin: { amount: "\${amount}", currency: BRL } }\n  - wait: \${delay}\n`
  writeFileSync(good, `${start('good')}  - expect: { status: expired }\n`)
  writeFileSync(bad, `${start('bad')}  - expect: { status: confirmed }\n`)
  const passed = await cli('scenario', 'run', good, '--fast-forward', '--param', 'amount=30', '--param', 'delay=2h')
  expect(passed.code).toBe(0)
  expect(passed.stdout).toContain('✓ wait')
  const { now } = await json('clock')
  expect(passed.stdout).toContain(`the clock of the sandbox is now at ${now}\n`)
  expect((await json('transactions')).data[0].amount).toBe('30.00')
  const report = join(folder, 'out.xml')
  const both = await cli('scenario', 'run', good, bad, '--fast-forward', '--junit', report)
  expect(both.code).toBe(1)
  expect(both.stdout).toContain('1 of 2 did not pass')
  const xml = readFileSync(report, 'utf8')
  expect(xml).toContain('tests="2" failures="1"')
  expect(xml).toMatch(/<testcase classname="payments-sandbox" name="bad"[^>]*>\s*<failure message="expect: /)
  expect(await names()).not.toContain('good')
})

test('scenario new writes a file with a schema for editors that passes, and never overwrites one', async () => {
  const cwd = temporaryFolder()
  const written = await run(['scenario', 'new', 'late-refund'], { cwd })
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining('late-refund.yaml')])
  const file = join(cwd, 'late-refund.yaml')
  const [, schema = ''] = /^# yaml-language-server: \$schema=(.+)\n/.exec(readFileSync(file, 'utf8')) ?? []
  expect(JSON.parse(readFileSync(resolve(cwd, schema), 'utf8')).title).toContain('scenario')
  expect((await cli('scenario', 'run', file, '--fast-forward')).code).toBe(0)
  expect((await run(['scenario', 'new', 'late-refund.yaml'], { cwd })).code).toBe(1)
  expect((await run(['scenario', 'new', 'Late refund'], { cwd })).code).toBe(2)
})

test('a run reports whether the sandbox stores the file; arming stores it', async () => {
  const file = join(temporaryFolder(), 'kept.yaml')
  writeFileSync(
    file,
    'name: kept\non: { operation: cashin }\nsteps:\n  - create: { cashin: { amount: 5, currency: BRL } }\n',
  )
  expect((await cli('scenario', 'run', file)).stdout).toContain('kept was deleted after the run')
  expect(await names()).not.toContain('kept')
  const armed = await cli('scenario', 'arm', file, '--times', '1')
  expect([armed.code, armed.stdout]).toEqual([0, expect.stringContaining('stored in the sandbox')])
  expect(await names()).toContain('kept')
  expect((await cli('scenario', 'list')).stdout).toMatch(/kept +uploaded +yes/)
  expect((await cli('scenario', 'run', file)).stdout).toContain('was already stored in the sandbox and is unchanged')
})

const waiting = () => {
  const file = join(temporaryFolder(), 'waiting.yaml')
  writeFileSync(file, 'name: waiting\nsteps:\n  - wait: 1h\n')
  return file
}

test('scenario run exits with 1 and a reason when the clock is stopped and nobody advances it', async () => {
  const { code, stdout, stderr } = await cli('scenario', 'run', waiting())
  expect([code, stdout.includes('canceled')]).toEqual([1, true])
  expect(stderr).toMatch(/waiting waits at wait, and the manual clock stands still; .*--fast-forward, or with --wait/)
})

test('scenario run --wait waits until the clock is advanced, says until when, and cancels the run when it is stopped', async () => {
  const begin = () => launch(['scenario', 'run', waiting(), '--wait', '--url', sandbox.url])
  const first = begin()
  const over = ended(first)
  await printed(first, /waiting/)
  expect((await control(sandbox.url)('POST', '/clock/advance', { by: '1h' })).status).toBe(200)
  expect((await over).code).toBe(0)
  const second = begin()
  const stopped = ended(second)
  await printed(
    second,
    /^payments-sandbox: waiting: wait until \S+Z, and the clock shows \S+Z; run it with --fast-forward/m,
    'stderr',
  )
  second.kill('SIGINT')
  const { code, stdout } = await stopped
  expect([code, stdout.includes('canceled')]).toEqual([1, true])
})

test('a file that cannot be armed is not stored', async () => {
  const file = join(temporaryFolder(), 'only-run.yaml')
  writeFileSync(file, 'name: only-run\nsteps:\n  - create: { cashin: { amount: 5, currency: BRL } }\n')
  const { code, stderr } = await cli('scenario', 'arm', file)
  expect([code, stderr]).toEqual([1, expect.stringContaining('it cannot be armed')])
  expect(await names()).not.toContain('only-run')
})

test('a scenario is armed by name for the next call, and disarmed', async () => {
  const armed = await cli('scenario', 'arm', 'tron-energy-fail', '--times', '1')
  expect(armed.stdout).toContain('the next call that matches: cashout, currency is USDT, network is tron\n')
  expect(armed.stdout).toContain('payments-sandbox scenario disarm tron-energy-fail\n')
  expect((await cli('scenario', 'list')).stdout).toMatch(/tron-energy-fail +built-in +yes/)
  await json('scenario', 'disarm', 'tron-energy-fail')
  expect((await cli('scenario', 'list')).stdout).not.toMatch(/tron-energy-fail +built-in +yes/)
  const typo = await cli('scenario', 'arm', 'tron-energy-fial')
  expect([typo.code, typo.stderr.includes('did you mean tron-energy-fail?')]).toEqual([1, true])
  const unknown = await cli('scenario', 'run', 'nope')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('scenario list shows all scenarios')])
})

test('request and the request log name the scenario that dropped the response of a call', async () => {
  await json('scenario', 'arm', 'lost-answer', '--times', '1')
  const logs = launch(['logs', '--url', sandbox.url])
  const token = printed(logs, /oauth/)
  await eventually(
    () => cli('request', 'GET', '/v2/account/balance').then(() => Promise.race([token, ''])),
    (text) => text !== '',
  )
  const logged = printed(logs, /cashout/)
  const data = '{"amount":10,"currency":"BRL","key":"ana@example.com","external_id":"lost"}'
  const { code, stderr } = await cli('request', 'POST', '/v2/transactions/cashout', '--data', data)
  expect([code, stderr]).toEqual([1, expect.stringContaining('payments-sandbox requests shows whether a scenario')])
  expect(await logged).toMatch(/ 202 POST \/v2\/transactions\/cashout response dropped 10 BRL lost\n/)
  logs.kill()
  const { stdout } = await cli('requests', '--path', '/v2/transactions/cashout')
  expect(stdout).toMatch(/ 202 .* lost-answer: disconnect: after \(executed, response dropped\) +- /)
})
