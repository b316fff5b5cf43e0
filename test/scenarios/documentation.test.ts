/** The page about scenarios: uploads and runs every example, and pastes every command into a shell. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { scenarioPage } from '../../scripts/docs/scenarios.js'
import { scenarioJsonSchema } from '../../src/protocol/scenario/file.js'
import { stepNames, stepTable } from '../../src/protocol/scenario/steps.js'
import { readScenarioText } from '../../src/runtime/shared/scenario-text.js'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import type { Body } from '../support/http.js'
import { ended, launchShell } from '../support/program.js'
import { scenarioSandbox, troubles } from '../support/scenario-api.js'
import { requireTools } from '../support/tools.js'

const page = readFileSync(new URL('../../docs/scenarios.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1] ?? '')
const nameOf = (yaml: string) => /^name: (.+)$/m.exec(yaml)?.[1] ?? ''
const yamls = blocks('yaml')

beforeAll(async () => {
  await built()
  expect(yamls.length).toBeGreaterThan(8)
  expect(yamls.every((yaml) => nameOf(yaml) !== '')).toBe(true)
})

test.each(yamls.map((yaml) => [nameOf(yaml), yaml]))(
  'the example %s passes on a fresh sandbox',
  async (_name, yaml) => {
    const { play } = await scenarioSandbox({ clock: 'manual' })
    const run = await play(yaml)
    expect([troubles(run), run.status]).toEqual([[], 'passed'])
  },
)

test('every command on the scenarios page works when it is pasted', async (context) => {
  requireTools(context, 'curl')
  const { url, upload } = await scenarioSandbox({ clock: 'manual' })
  const cwd = temporaryFolder()
  for (const yaml of yamls) {
    writeFileSync(join(cwd, `${nameOf(yaml)}.yaml`), yaml)
    await upload(yaml)
  }
  const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))
  expect(commands.length).toBeGreaterThan(4)
  for (const command of commands) {
    const pasted = command.replaceAll('http://127.0.0.1:4010', url)
    const { code, stdout, stderr } = await ended(launchShell(pasted, { cwd, env: { PAYMENTS_SANDBOX_URL: url } }))
    expect([command, code, stderr]).toEqual([command, 0, expect.any(String)])
    if (!command.startsWith('curl ')) continue
    const answer = JSON.parse(stdout)
    expect([command, answer.error, answer.steps === undefined || answer.status !== 'failed']).toEqual([
      command,
      undefined,
      true,
    ])
  }
})

test('the tables of the scenarios page match the program', () => {
  expect(page, 'stale: run `npm run docs`').toBe(scenarioPage(page))
})

test.each(stepNames)('the examples of the step %s are valid', (name) => {
  const { examples } = stepTable[name]
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) {
    // A fault must come before a create, to have something to act on.
    const steps = [{ [name]: example }, { create: { cashin: { amount: 5, currency: 'BRL' } } }]
    const { mistakes } = readScenarioText(JSON.stringify({ name: 'example', steps }))
    expect([example, mistakes]).toEqual([example, null])
  }
})

test('the schema describes each step and each of its fields to editors', () => {
  const schema = JSON.parse(JSON.stringify(scenarioJsonSchema()))
  const [{ properties }] = schema.$defs.step.anyOf
  expect(Object.keys(properties)).toEqual(stepNames)
  for (const [name, property] of Object.entries<Body>(properties)) {
    expect([name, typeof property.description, property.examples.length > 0]).toEqual([name, 'string', true])
    const own = name === 'create' || name === 'respond' ? {} : (property.properties ?? {})
    for (const [field, inner] of Object.entries<Body>(own))
      expect([name, field, typeof inner.description]).toEqual([name, field, 'string'])
  }
  for (const [field, inner] of Object.entries<Body>(schema.properties))
    if (field !== '$schema') expect([field, typeof inner.description]).toEqual([field, 'string'])
})

test('the schema that editors read is served, and is the one in the package', async () => {
  const { url } = await scenarioSandbox()
  const served = await fetch(`${url}/_sandbox/scenarios/schema.json`)
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/schema+json'])
  const packaged = readFileSync(new URL('../../scenarios/scenario.schema.json', import.meta.url), 'utf8')
  expect(await served.json()).toEqual(JSON.parse(packaged))
})
