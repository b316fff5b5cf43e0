/** The release workflow, as far as it can be checked without GitHub: pins, versions, commands. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { nodeVersion } from '../../scripts/fetch.mjs'
import { root } from '../support/packed.js'
import { requireTools } from '../support/tools.js'

const folder = join(root, '.github/workflows')
const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))

interface Step {
  uses?: string
  run?: string
  with?: Record<string, string>
}
interface Job {
  permissions: object
  'timeout-minutes': number
  steps: Step[]
}
const jobs = texts.flatMap((text) => Object.values(parse(text, { merge: true }).jobs as Record<string, Job>))
const steps = jobs.flatMap((job) => job.steps)
const commands = steps.flatMap(({ run }) => run ?? [])

test('every action is pinned by its commit, with the version beside it', () => {
  const uses = texts.flatMap((text) => text.match(/uses: .*/g) ?? [])
  expect(uses.length).toBeGreaterThan(5)
  expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
})

test('every job has a time limit and its own permissions, and uses the Node of the executable', () => {
  for (const job of jobs) expect(job).toMatchObject({ permissions: {}, 'timeout-minutes': expect.any(Number) })
  const versions = steps.flatMap((step) => step.with?.['node-version'] ?? [])
  expect(new Set(versions)).toEqual(new Set([nodeVersion]))
})

test('every command is valid shell, gets its values as variables, and names scripts that exist', (context) => {
  requireTools(context, 'bash')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  for (const command of commands) {
    expect(command).not.toContain('${{')
    expect(spawnSync('bash', ['-n', '-c', command], { encoding: 'utf8' }).stderr).toBe('')
    for (const [, script = ''] of command.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([script])
  }
})
