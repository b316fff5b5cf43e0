/** The built-in scenarios: their descriptions, and runs on a fresh sandbox and with real deliveries. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { cashoutFailureCodes } from '../../src/protocol/platform/failures.js'
import { scenarioJsonSchema } from '../../src/protocol/scenario/file.js'
import { builtInNames, readScenarioFile } from '../../src/runtime/node/scenario-files.js'
import { control } from '../support/http.js'
import { root } from '../support/packed.js'
import { openReceiver, verified } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'

const folder = join(root, 'scenarios')
const files = builtInNames().map((name) => join(folder, `${name}.yaml`))
const named = files.map((file) => readScenarioFile(file))

test('every built-in scenario is valid, has the name of its file, and has a description', () => {
  expect(files.length).toBeGreaterThan(45)
  for (const { file, scenario, mistakes } of named) {
    expect(mistakes, file).toBeNull()
    expect(scenario?.name).toBe(basename(file, '.yaml'))
    expect(scenario?.title?.length, file).toBeGreaterThan(10)
    expect(scenario?.description?.length, file).toBeGreaterThan(60)
  }
})

test('every reason for a failed withdrawal has a scenario', () => {
  const codes = named.flatMap(({ scenario }) =>
    (scenario?.steps ?? []).flatMap(
      (step) => (step['cashout.fail'] as { error_code?: string } | undefined)?.error_code ?? [],
    ),
  )
  expect([...new Set(codes)].sort()).toEqual([...cashoutFailureCodes].sort())
})

test('all built-in scenarios pass on a fresh sandbox', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const call = control(url)
  for (const { scenario } of named) {
    const run = await call('POST', `/scenarios/${scenario?.name}/run`, { fast_forward: true })
    expect(run.body.status, `${scenario?.name}: ${JSON.stringify(run.body)}`).toBe('passed')
    expect(run.body.steps.every((step: { status: string }) => step.status === 'passed')).toBe(true)
  }
  expect((await call('GET', '/ledger')).body.balanced).toBe(true)
})

test('all built-in scenarios pass in real time with a receiver that checks signatures', async () => {
  const receiver = await openReceiver(verified)
  for (const { scenario } of named) {
    const { url, close } = await openSandbox({ webhookUrl: receiver.url })
    const run = await control(url)('POST', `/scenarios/${scenario?.name}/run`, { fast_forward: true })
    expect(run.body.status, `${scenario?.name}: ${JSON.stringify(run.body)}`).toBe('passed')
    await close(0)
  }
})

test('a built-in dispute scenario over seven days passes without waiting for them', async () => {
  const { url } = await openSandbox({ clock: 'manual' })
  const before = await control(url)('GET', '/clock')
  const run = await control(url)('POST', '/scenarios/med-dispute-unanswered/run', { fast_forward: true })
  expect(run.body.status).toBe('passed')
  const passed = Date.parse((await control(url)('GET', '/clock')).body.now) - Date.parse(before.body.now)
  expect(passed).toBeGreaterThanOrEqual(7 * 86_400_000)
  expect(passed).toBeLessThan(9 * 86_400_000)
})

test('the published JSON Schema is the one that the program validates with', () => {
  const file = join(folder, 'scenario.schema.json')
  const stale = 'stale: run `npm run docs`'
  expect(JSON.parse(readFileSync(file, 'utf8')), stale).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())))
})
