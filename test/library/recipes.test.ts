/** The recipes for other test runners work as they stand; the one for Vitest is a test file of this suite itself. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { ended } from '../support/program.js'

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

beforeAll(async () => {
  await built()
})

test.each([
  ["node's test runner", ['--test', here('examples/node-test/payments.test.mjs')]],
  // Jest itself is not installed: the recipe uses only names that can be had from node's runner as well.
  ['Jest', ['--require', here('support/jest-names.cjs'), '--test', here('examples/jest/payments.test.cjs')]],
])('the recipe for %s passes', async (_name, args) => {
  // The variable of a test runner would make the other one a part of it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { code, stdout } = await ended(spawn(process.execPath, args, { env }))
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/# pass 3|pass 3/)
})
