/** The behavior tests that also run under workerd, and the tests that cannot, with the reason. */
import { spawnSync } from 'node:child_process'

export const behavior = [
  'platform/account',
  'control/actions',
  'platform/amounts',
  'control/request-assertions',
  'platform/cashin',
  'platform/cashin-rules',
  'platform/cashout',
  'control/clock',
  'control/workspaces-and-webhooks',
  'platform/conversions',
  'webhooks/delivery',
  'platform/disputes',
  'platform/api-page',
  'platform/errors',
  'webhooks/events',
  'platform/idempotency',
  'control/inbox',
  'mcp/http',
  'webhooks/slow-receivers',
  'platform/openapi',
  'platform/order-of-checks',
  'platform/properties',
  'platform/races',
  'webhooks/rate-window',
  'control/request-log',
  'webhooks/retry',
  'scenarios/steps',
  'scenarios/armed',
  'scenarios/built-in',
  'scenarios/faults',
  'scenarios/files',
  'scenarios/hostile',
  'scenarios/runs',
  'scenarios/webhooks',
  'control/sample-data',
  'platform/signature',
  'control/signature-doctor',
  'control/snapshots',
  'control/snapshots-files',
  'control/stream',
  'platform/token',
  'platform/transaction-list',
  'platform/transfers',
  'control/trigger-create',
  'platform/uploads',
  'platform/wallets',
].map((name) => `test/${name}.test.ts`)

const sixConnections = 'needs more connections than the runtime opens for one object'

/** The tests that cannot run there, by a part of the title. */
export const notThere = {
  'two hundred hanging receivers do not delay': sixConnections,
  'more hanging receivers than there are connections': sixConnections,
  'even when many others fail in the same moment': sixConnections,
  'not for those that other callers cause meanwhile': sixConnections,
  'one receiver gets at most a few webhooks at a time': sixConnections,
  'a queued webhook is never sent after a reset': sixConnections,
  'a backlog for one receiver is sent in parallel': sixConnections,
  'requests ID --curl prints a command': 'looks into the process of the sandbox',
  'charges are limited to 12000 a minute': 'calls the app in the process of the test, which is fast enough for it',
  'SERVICE_UNAVAILABLE occurs in a real call': 'damages the database from inside the process',
  'INTERNAL_ERROR occurs in a real call': 'damages the database from inside the process',
  'a full store answers 503': 'fills the database from inside the process',
  'are counted for each IP separately': 'calls the app in the process of the test, as callers of several addresses',
  'over 100,000 transactions': 'writes the rows from inside the process',
  'causes no effect and no output': 'reads what the process prints',
  'with a certificate of a private authority work': 'is given to the process by its environment',
  'in flight when the process was killed': 'looks at the files of the database',
  'survives a kill in the middle of it': 'looks at the files of the database',
  'a finished advance leaves nothing in memory': 'looks into the process',
  'closing ends an advance in the background': 'looks into the process that is closed; an object is not closed',
  'returns as soon as a matching event is acknowledged': 'looks into the process',
  'a body that was not loaded with its job': 'looks into the process',
  'with two more sends shows the time': 'writes the rows from inside the process',
  'closing lets the webhook in flight be answered': 'looks into the process that is closed; an object is not closed',
  'survive a restart on a file, also after a kill': 'looks at the files of the database',
  'returns 408 with the events that did occur': 'looks into the process',
  'leaves neither listener nor timer behind': 'looks into the process',
  'stores the newest calls, within limits': 'looks into the process',
  'of a folder come before the built-in ones': 'an object has no folder',
  'the command line exports, imports and starts': 'is about the command line',
  'a start with an unusable snapshot': 'is about the command line',
  'the library restores a prepared state': 'starts the process with a snapshot',
  'or that knew another process, gets an event': 'looks into the process',
  'a client that disconnects is forgotten': 'looks into the process',
  'changes of one unit are sent together': 'looks into the process',
  'a burst loses no change': 'looks into the process',
  'a client that does not read takes bounded memory': 'looks into the process',
  'pass and fail over HTTP as documented': 'stops real time in the process',
  'seconds off': 'stops real time in the process',
  'reads the correction, and compares a recording': 'comparisons are disabled in an object',
  'asks agents for its admin token': 'an object listens where its host lets it',
  'is remembered for as long as its timestamp': 'stops real time in the process',
}

/** Runs the tests under workerd and returns whether all passed. */
export function runOnWorkers(stdio) {
  const titles = Object.keys(notThere).map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Each test starts its own process, so seconds become minutes.
  const patience = ['--testTimeout', '600000']
  const args = [
    'run',
    '--config',
    'test/vitest.config.ts',
    ...patience,
    '--testNamePattern',
    `^(?!.*(${titles.join('|')}))`,
  ]
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args, ...behavior], {
    stdio,
    env: { ...process.env, TEST_PLATFORM: 'workers' },
  })
  return status === 0
}
