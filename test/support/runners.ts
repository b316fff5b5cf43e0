/** The test runners of users: two are installed here, two are fetched from the package registry. */
import { join } from 'node:path'
import { fetchPackage } from '../../scripts/fetch.mjs'
import { root } from './packed.js'

/** Fetches a package and returns the folder `node_modules` with it and its dependencies. */
const fetched = (name: string, version: string): string => fetchPackage(name, version).slice(0, -name.length - 1)

export interface TestRunner {
  /** The last part of `payments-sandbox/…`. */
  name: string
  /** The file that the documentation's test is written to. */
  file: string
  /** The runner's packages, linked into the project. */
  modules: () => { from: string; names: string[] }
  /** Arguments of node. */
  args: (modules: string) => string[]
  /** Matches the output when one test passed and one failed. */
  counts: RegExp
  /** More files of the project. */
  files?: Record<string, string>
  isFetched: boolean
}

const here = () => join(root, 'node_modules')
/** Reports as JSON, because the terminal shows only the beginning of an attachment. */
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
