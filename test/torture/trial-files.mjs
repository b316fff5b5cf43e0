/** Which test files each section consists of. */
import { leftOut, trialFiles } from './left-out.mjs'

const suite = 'test/vitest.config.ts'
const alone = 'test/torture/vitest.config.ts'

const inSuite = (...names) => ({ config: suite, files: names.map((name) => `test/${name}.test.ts`) })

/** The longest come first. `parts` run in this order. `flags` are options of the test runner, `seeds` the environment variables that take the seed; `env` are others. */
const sections = {
  soak: { parts: [{ config: alone, files: ['soak'] }] },
  kill: { seeds: ['KILL_SEED'], parts: [inSuite('runtime/kill')] },
  certify: {
    env: { CERTIFY_RUNS: '100' },
    flags: ['--testNamePattern=passes every requirement'],
    parts: [inSuite('certify/receiver', 'certify/client')],
  },
  chaos: { parts: [inSuite('control/chaos', 'certify/chaos', 'certify/shop')] },
  audit: { seeds: ['AUDIT_SEED'], parts: [inSuite('control/auditor', 'control/auditor-faults')] },
  damage: {
    seeds: ['DAMAGE_SEED'],
    parts: [
      { config: alone, files: ['damage'] },
      inSuite(
        'runtime/full-disk',
        'runtime/store-refuses',
        'runtime/stored-text',
        'runtime/units-of-work',
        'control/snapshots-damaged',
        'control/snapshots-files',
        'cli/start-errors',
      ),
    ],
  },
  races: { parts: [inSuite('platform/races')] },
  fuzz: { seeds: ['FUZZ_SEED'], parts: [{ config: alone, files: ['fuzz'] }] },
  hostile: {
    seeds: ['FUZZ_SEED'],
    parts: [inSuite('platform/fuzz', 'control/fuzz', 'scenarios/hostile', 'house/expressions', 'platform/uploads')],
  },
  receivers: {
    parts: [
      inSuite(
        'webhooks/rate-window',
        'webhooks/send',
        'webhooks/tls',
        'webhooks/addresses',
        'webhooks/slow-receivers',
        'certify/hostile-receivers',
        'webhooks/delivery',
        'webhooks/retry',
      ),
    ],
  },
  many: { parts: [inSuite('runtime/many-workspaces', 'runtime/isolation', 'control/waiting', 'control/search')] },
  commands: {
    parts: [inSuite('cli/usage', 'cli/follow', 'cli/examples', 'cli/start-errors', 'control/sample-data')],
  },
  faults: { parts: [inSuite('certify/receiver', 'certify/client', 'certify/surfaces', 'control/snapshots-large')] },
  compare: {
    seeds: ['COMPARE_SEED'],
    parts: [inSuite('compare/scenarios', 'compare/calibrate', 'compare/deviations', 'record/secrets')],
  },
  books: {
    seeds: ['BOOKS_SEED'],
    parts: [inSuite('certify/books', 'certify/books-months', 'certify/books-files', 'control/statement')],
  },
  shops: { parts: [inSuite('certify/shop-surfaces')] },
  pages: { parts: [inSuite('dashboard/views', 'dashboard/security', 'platform/pay-page')] },
  // A missing test runner of a language is a failure.
  languages: { env: { ALL_LANGUAGES: '1' }, parts: [inSuite('house/languages')] },
  packages: { env: { ALL_LANGUAGES: '1' }, parts: [inSuite('packages/killed', 'packages/packages')] },
  // Missing test runners of Node are fetched.
  runners: { env: { ALL_RUNNERS: '1' }, parts: [inSuite('library/runners')] },
}
const elsewhere = Object.values(sections).flatMap(({ parts }) => parts.flatMap(({ files }) => files))

export const trials = {
  ...sections,
  /** A selection runs no section of its own for most of these files. */
  long: {
    parts: [{ config: suite, files: leftOut.filter((file) => !elsewhere.includes(file)) }],
    partsOfSelection: [{ config: suite, files: leftOut.filter((file) => !trialFiles.includes(file)) }],
  },
}

/** These run no behaviour tests. */
const withoutTests = ['simulate', 'plants', 'backlog', 'tenants']

/** The test files that a section runs; undefined for a section that runs all, or that decides by itself. */
export const testsOf = (section) =>
  withoutTests.includes(section) ? [] : trials[section]?.parts.flatMap(({ files }) => files)
