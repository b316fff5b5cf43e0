/** How the long trials run that are no part of `npm test`: one after the other, each for as long as it takes. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/torture/*.trial.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/control-answers.ts'],
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 4 * 3600_000,
    hookTimeout: 120_000,
  },
})
