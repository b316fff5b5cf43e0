/** The fixtures for test runners: runs the tests of docs/library.md in an empty folder with the packed package. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browserLaunch } from '../support/browser.js'
import { closeAfter } from '../support/hooks.js'
import { compile, install, pack, root } from '../support/packed.js'
import { ended } from '../support/program.js'
import { runners, type TestRunner } from '../support/runners.js'

const page = readFileSync(join(root, 'docs/library.md'), 'utf8')

/** The test on the page for this runner. */
function testOf({ name }: TestRunner): string {
  const blocks = [...page.matchAll(/```[jt]s\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const found = blocks.filter((code) => code.includes(`'payments-sandbox/${name}'`))
  expect(found.length, name).toBe(1)
  return found[0] ?? ''
}

/** Fails after a charge below the minimum, and after a charge whose webhook is rejected. */
const failing = {
  params: '{ sandbox, receiver }',
  body: `
    const api = sandbox.client('merchant')
    await api.cashin({ amount: 0.5, currency: 'BRL' }).catch(() => undefined)
    receiver.respond(500)
    const charge = await api.cashin({ amount: 25, currency: 'BRL', external_id: 'order-2' })
    await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
    await sandbox.clock.advance('1s')
    throw new Error('the order is not paid')`,
}
const wrapped = `\ntest('an order fails', withSandbox(async (${failing.params}) => {${failing.body}\n}))\n`
const extended = `\ntest('an order fails', async (${failing.params}) => {${failing.body}\n})\n`

async function project(runner: TestRunner): Promise<{ folder: string; modules: string }> {
  const folder = mkdtempSync(join(tmpdir(), `payments-sandbox-${runner.name}-`))
  closeAfter(() => rmSync(folder, { recursive: true, force: true }))
  install((await pack()).tarball, folder, runner.name === 'jest' ? {} : { type: 'module' })
  const { from, names } = runner.modules()
  for (const name of names) {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(from, name), join(folder, 'node_modules', name))
  }
  for (const [name, text] of Object.entries(runner.files ?? {})) writeFileSync(join(folder, name), text)
  return { folder, modules: from }
}

async function runIn(folder: string, runner: TestRunner, modules: string): Promise<{ code: number; output: string }> {
  // With the variables of one runner, the other would join its run.
  const { NODE_TEST_CONTEXT: _, VITEST: __, ...env } = process.env
  const launch = runner.name === 'playwright' ? await browserLaunch() : {}
  const child = spawn(process.execPath, runner.args(modules), {
    cwd: folder,
    env: { ...env, NO_COLOR: '1', FORCE_COLOR: '0', LAUNCH: JSON.stringify(launch) },
  })
  const { code, stdout, stderr } = await ended(child)
  const bodies = [...stdout.matchAll(/"body": "([\w+/=]+)"/g)].map(([, body = '']) => Buffer.from(body, 'base64'))
  return { code: code ?? -1, output: [stdout, stderr, ...bodies].join('\n') }
}

const isTried = ({ isFetched }: TestRunner) => !isFetched || process.env.ALL_RUNNERS === '1'

// Jest and Playwright are fetched, so only `npm run torture -- --only runners` tests them.
test.each(runners.filter(isTried))(
  'the test on the page for $name passes, and a failure reports the request log and the webhooks',
  async (runner) => {
    const { folder, modules } = await project(runner)
    const passing = testOf(runner)
    writeFileSync(join(folder, runner.file), passing + (passing.includes('withSandbox') ? wrapped : extended))
    const { code, output } = await runIn(folder, runner, modules)
    expect(code, output).toBe(1)
    expect(output).toMatch(runner.counts)
    expect(output).toContain('the order is not paid')
    expect(output).toMatch(/POST \/v2\/transactions\/cashin 409 BELOW_MIN_LIMIT req_/)
    expect(output).toMatch(/cashin\.confirmed tx_\w+ \w+ to http/)
    expect(output).toMatch(/attempt 1: http_error 500/)
  },
)

/** Lines with one type error each, which the compiler would accept without types. */
const typed = {
  'vitest.test.ts': `
import { expect } from 'vitest'
import { testWith } from 'payments-sandbox/vitest'
testWith({ chaos: 'rough' })('typed', async ({ sandbox, receiver, task }) => {
  const { data } = await receiver.waitFor('cashin.confirmed')
  expect(data.amount_net.length + task.name.length).toBe(9)
  sandbox.nothing()
})`,
  'node.test.ts': `
import { test } from 'node:test'
import { withSandbox } from 'payments-sandbox/node-test'
test('typed', withSandbox(async ({ receiver }, t) => {
  const { data } = await receiver.waitFor('cashin.confirmed')
  t.diagnostic(data.amount_net)
  t.nothing()
}, { chaos: 'rough' }))`,
}

test('the fixtures are typed, in a project that has only one of the runners', async () => {
  const vitest = runners.find(({ name }) => name === 'vitest')
  if (vitest === undefined) throw new Error('the table of runners has changed')
  const { folder } = await project(vitest)
  for (const [name, source] of Object.entries(typed)) writeFileSync(join(folder, name), source)
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(typed) }))
  const printed = compilerOutput(folder)
  expect(printed.match(/error TS/g), printed).toHaveLength(2)
  expect(printed).toContain("Property 'nothing' does not exist on type 'Sandbox'")
  expect(printed).toContain("Property 'nothing' does not exist on type 'TestContext'")
})

function compilerOutput(folder: string): string {
  try {
    compile(folder)
    return ''
  } catch (error) {
    return String(error)
  }
}
