/** The GitHub action: its script runs like in a runner, with the files that a runner provides. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { built, programCommand } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { root } from '../support/packed.js'
import { type Ended, ended, run } from '../support/program.js'
import { requireTools } from '../support/tools.js'

beforeAll(async () => void (await built()))

interface Action {
  inputs: Record<string, { default: string }>
  runs: { using: string; steps: { run: string; env: Record<string, string> }[] }
}
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action
const [step] = action.runs.steps

/** Runs the action with inputs as a step of a job. Returns its output and the variables of the following steps. */
async function runStep(inputs: Record<string, string>): Promise<Ended & { variables: string; outputs: string }> {
  const folder = temporaryFolder()
  const [variables, outputs] = [join(folder, 'env'), join(folder, 'output')]
  const given = Object.entries(step?.env ?? {}).map(([name, expression]) => {
    const input = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(expression)?.[1] ?? ''
    return [name, inputs[input] ?? action.inputs[input]?.default]
  })
  const env = {
    PATH: process.env.PATH,
    PAYMENTS_SANDBOX_STATE_FOLDER: folder,
    ...{ GITHUB_ACTION_PATH: root, GITHUB_ENV: variables, GITHUB_OUTPUT: outputs },
    ...Object.fromEntries(given),
  }
  onTestFinished(async () => void (await run(['stop', '--all'], { env: { PAYMENTS_SANDBOX_STATE_FOLDER: folder } })))
  const result = await ended(spawn('bash', ['-c', step?.run ?? ''], { cwd: root, env }))
  const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  return { ...result, variables: textOf(variables), outputs: textOf(outputs) }
}

const command = programCommand.join(' ')

test('the action starts a sandbox, waits until it is ready, and exports its variables', async (context) => {
  requireTools(context, 'bash')
  const { code, stdout, stderr, variables, outputs } = await runStep({
    command,
    arguments: '--port 0 --clock manual --host 0.0.0.0',
  })
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  const exported = Object.fromEntries(
    variables
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s)),
  )
  const { PAYMENTS_SANDBOX_URL: url, PAYMENTS_SANDBOX_ADMIN_TOKEN: token, ...others } = exported
  expect(outputs).toBe(`url=${url}\n`)
  expect(stdout).toContain(`::add-mask::${token}\n`)
  expect(stdout).toContain(`payments-sandbox is ready at ${url}\n`)
  expect(Object.keys(others)).toEqual(
    ['ACCOUNT', 'CLIENT_ID', 'CLIENT_SECRET', 'SIGNING_KEY', 'WEBHOOK_SECRET'].map(
      (name) => `PAYMENTS_SANDBOX_${name}`,
    ),
  )
  const clock = await fetch(`${url}/_sandbox/clock`, { headers: { 'X-Sandbox-Admin-Token': token } })
  expect(await clock.json()).toMatchObject({ mode: 'manual' })
})

test('the action fails with the error of the sandbox', async (context) => {
  requireTools(context, 'bash')
  const { code, stdout, variables } = await runStep({ command, arguments: '--clock fast' })
  expect([code, variables]).toEqual([1, ''])
  expect(stdout).toMatch(/^::error title=payments-sandbox::the sandbox did not start: payments-sandbox: .*clock.*\n$/)
})
