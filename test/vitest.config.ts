/** Settings of the tests: a few files run in parallel, with a build that is made once at the start. */
import { availableParallelism, totalmem } from 'node:os'
import { defineConfig } from 'vitest/config'
import { WaitingFirst } from './support/sequence.js'
import { leftOut } from './torture/left-out.mjs'

/** The memory of a worker and its child processes, in bytes. */
const bytesOfWorker = 1.5 * 1024 ** 3

/** High enough for slow tests on a busy machine, with real sockets, processes and disks; only a test that hangs reaches it. */
const mostMs = process.env.TEST_FIGURES === 'full' ? 1_800_000 : 180_000

/** Words of the command line that select test files. */
const named = process.argv.slice(2).filter((word, at, all) => !/^(-|run$)/.test(word) && all[at - 1] !== '--config')

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude:
      process.env.TEST_FIGURES === undefined
        ? leftOut.filter((file) => !named.some((word) => file.includes(word)))
        : [],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/control-answers.ts'],
    reporters: ['default', 'test/support/failures.ts'],
    // Caches transformed sources between runs, which halves the time of a single file.
    experimental: { fsModuleCache: true },
    pool: 'forks',
    // Many tests wait for processes and deadlines, so two workers more than cores keep the cores busy, if memory allows.
    maxWorkers: Math.max(2, Math.min(availableParallelism() + 2, Math.floor(totalmem() / bytesOfWorker))),
    sequence: { sequencer: WaitingFirst },
    // A worker loads the sources once for all its files, which takes a third of the CPU.
    isolate: false,
    // Concurrent tests of a file mostly wait.
    maxConcurrency: 8,
    testTimeout: mostMs,
    hookTimeout: mostMs,
    teardownTimeout: 20_000,
  },
})
