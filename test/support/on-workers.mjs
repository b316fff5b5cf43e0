/** The tests of behaviour that run under workerd as well, and which of them cannot, for what reason. */
import { spawnSync } from 'node:child_process'

export const behaviour = [
  'account',
  'actions',
  'amounts',
  'calls',
  'cashin',
  'cashin-rules',
  'cashout',
  'clock',
  'conversions',
  'disputes',
  'docs-page',
  'errors',
  'events',
  'idempotency',
  'openapi',
  'order-of-checks',
  'properties',
  'races',
  'request-log',
  'retry',
  'scenarios-armed',
  'scenarios-faults',
  'scenarios-runs',
  'scenarios-webhooks',
  'token',
  'transaction-list',
  'transfers',
  'trigger-create',
  'uploads',
  'wallets',
].map((name) => `test/${name}.test.ts`)

/** By a part of the title. */
export const notThere = {
  'requests ID --curl prints a command': 'looks into the process of the sandbox',
  'charges are 12000 a minute': 'calls the app in the process of the test, which is fast enough for it',
  'SERVICE_UNAVAILABLE is reached': 'damages the database from inside the process',
  'INTERNAL_ERROR is reached': 'damages the database from inside the process',
  'a store that is full answers 503': 'fills the database from inside the process',
  'from those who follow the stream as well': 'listens inside the process',
  'count for each IP by itself': 'calls the app in the process of the test, as callers of several addresses',
  'over 100,000 transactions': 'writes the rows from inside the process',
  'does nothing and prints nothing': 'reads what the process prints',
  'a lost answer leaves the work done': 'there is no socket to close: the answer begins and breaks off',
  'a run goes on after a restart': 'starts the process anew on a file',
  'arms survive a restart': 'starts the process anew on a file',
  'keeps a clock that is': 'starts the process anew on a file',
  'a manual clock that was never moved': 'starts the process anew on a file',
  'jobs run at their own moments in a moment': 'is about a file',
  'is not held up by a receiver that says nothing': 'is given shorter times to wait, which only a process takes',
  'workspaces have arms and runs of their own': 'asks the process for another workspace',
  'pass and fail on the wire as they should': 'stops real time in the process',
}

/** Whether all that can run there pass. */
export function runOnWorkers(stdio) {
  const titles = Object.keys(notThere).map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Each opens a process of its own: what takes seconds elsewhere, takes minutes there.
  const patience = ['--testTimeout', '600000']
  const args = [
    'run',
    '--config',
    'test/vitest.config.ts',
    ...patience,
    '--testNamePattern',
    `^(?!.*(${titles.join('|')}))`,
  ]
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args, ...behaviour], {
    stdio,
    env: { ...process.env, TEST_PLATFORM: 'workers' },
  })
  return status === 0
}
