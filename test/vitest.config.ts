/** How the tests run: as many files side by side as there are cores, against a build that is made once beforehand. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/control-answers.ts'],
    pool: 'forks',
    // Real sockets, real processes and real disks on a busy machine: a test that hangs ends here, a slow one does not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
  },
})
