/** How the tests run: a few files side by side, against a build that is made once beforehand. */
import { availableParallelism, totalmem } from 'node:os'
import { defineConfig } from 'vitest/config'
import { WaitingFirst } from './support/sequence.js'
import { longTests } from './torture/long-tests.mjs'

/** Bytes, with what it starts. */
const roomOfWorker = 1.5 * 1024 ** 3

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    // `npm run torture` runs them.
    exclude: process.env.TEST_FIGURES === undefined ? longTests : [],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/control-answers.ts'],
    reporters: ['default', 'test/support/failures.ts'],
    // Sources are read anew only where they have changed: one file answers in half the time.
    experimental: { fsModuleCache: true },
    pool: 'forks',
    // Many wait for processes and for deadlines: two more than there are cores keep the cores at work, where there is room for them.
    maxWorkers: Math.max(2, Math.min(availableParallelism() + 2, Math.floor(totalmem() / roomOfWorker))),
    sequence: { sequencer: WaitingFirst },
    // A worker loads the sources once for all its files: a third of the processor's time.
    isolate: false,
    // What runs side by side within a file mostly waits.
    maxConcurrency: 8,
    // Real sockets, real processes and real disks on a busy machine: a test that hangs ends here, a slow one does not.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
  },
})
