/** Test runners that users have: two are here, two are fetched from the package registry and kept, like the newer Node. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './packed.js'

/** The folder of a package's `node_modules`. Throws if it cannot be fetched, with what npm printed. */
export function fetched(name: string, version: string): string {
  const folder = join(tmpdir(), `payments-sandbox-${name.replace(/[^a-z]+/g, '-')}-${version}`)
  const modules = join(folder, 'node_modules')
  if (existsSync(join(modules, name, 'package.json'))) return modules
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('npm_')))
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  const args = ['install', '--prefix', folder, ...flags, `${name}@${version}`]
  const { status, stderr } = spawnSync('npm', args, { env, encoding: 'utf8', timeout: 180_000 })
  if (status !== 0) throw new Error(`${name}@${version} could not be fetched: ${stderr}`)
  return modules
}

export interface TestRunner {
  /** The last part of `payments-sandbox/…`. */
  name: string
  /** File of the page's test. */
  file: string
  /** Its packages, as links into the project. */
  modules: () => { from: string; names: string[] }
  /** Arguments of node. */
  args: (modules: string) => string[]
  /** How the output says that one test passed and one failed. */
  counts: RegExp
  /** Files beside the test. */
  files?: Record<string, string>
  isFetched: boolean
}

const here = () => join(root, 'node_modules')
/** The terminal shows the beginning of an attachment; as JSON it is complete. */
const config = 'module.exports = { reporter: [["json"]], use: { launchOptions: JSON.parse(process.env.LAUNCH) } }'

export const runners: readonly TestRunner[] = [
  {
    name: 'vitest',
    file: 'payments.test.ts',
    modules: () => ({ from: here(), names: ['vitest'] }),
    args: (modules) => [join(modules, 'vitest/vitest.mjs'), 'run'],
    counts: /1 failed \| 1 passed/,
    isFetched: false,
  },
  {
    name: 'node-test',
    file: 'payments.test.mjs',
    modules: () => ({ from: here(), names: [] }),
    args: () => ['--test', '--test-reporter=spec', 'payments.test.mjs'],
    counts: /pass 1\n.*fail 1/,
    isFetched: false,
  },
  {
    name: 'jest',
    file: 'payments.test.js',
    modules: () => ({ from: fetched('jest', '30.2.0'), names: [] }),
    args: (modules) => [join(modules, 'jest/bin/jest.js'), '--rootDir=.'],
    counts: /1 failed, 1 passed, 2 total/,
    isFetched: true,
  },
  {
    name: 'playwright',
    file: 'payments.spec.ts',
    modules: () => ({ from: fetched('@playwright/test', '1.65.1'), names: ['@playwright'] }),
    args: (modules) => [join(modules, '@playwright/test/cli.js'), 'test'],
    counts: /"expected": 1,[^}]*"unexpected": 1/,
    files: { 'playwright.config.cjs': config },
    isFetched: true,
  },
]
