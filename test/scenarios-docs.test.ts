/** The page on scenarios: every example on it is uploaded, run, and pasted into a shell. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from './support/control.js'
import { scenarioSandbox, troubles } from './support/scenario-api.js'

const page = readFileSync(new URL('../docs/scenarios.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1] ?? '')
const nameOf = (yaml: string) => /^name: (.+)$/m.exec(yaml)?.[1] ?? ''
const yamls = blocks('yaml')

beforeAll(() => {
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

test('every command on the page works when it is pasted', async () => {
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
    const { stdout } = await promisify(execFile)('sh', ['-c', pasted], { cwd })
    const answer = JSON.parse(stdout)
    expect([command, answer.error, answer.steps === undefined || answer.status !== 'failed']).toEqual([
      command,
      undefined,
      true,
    ])
  }
})

test('the page names every step, and every kind of object that can be made', async () => {
  const { stepNames, creatableKinds } = await import('../src/protocol/scenario/steps.js')
  for (const name of [...stepNames, ...creatableKinds]) expect(page, name).toContain(name)
})
