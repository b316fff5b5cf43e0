/** A Vitest fixture: one sandbox for each test file, and for each test a workspace of its own. Copy it into your project. */
import { type Sandbox, startSandbox } from 'payments-sandbox'
import { test as base } from 'vitest'

interface Fixtures {
  /** One for all tests of the file. */
  server: Sandbox
  /** This test's own: database, clock, accounts and queue are nobody else's, so tests may run at the same time. */
  sandbox: Sandbox
}

export const test = base.extend<Fixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are wanted
    async ({}, use) => {
      const server = await startSandbox({ clock: 'manual' })
      await use(server)
      await server.close()
    },
    { scope: 'file' },
  ],
  sandbox: async ({ server }, use) => {
    const sandbox = await server.workspace()
    await use(sandbox)
    await sandbox.close()
  },
})
