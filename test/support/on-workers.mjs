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
  'control',
  'conversions',
  'delivery',
  'disputes',
  'docs-page',
  'errors',
  'events',
  'idempotency',
  'inbox',
  'isolation-of-slow',
  'openapi',
  'order-of-checks',
  'properties',
  'races',
  'rate-window',
  'request-log',
  'retry',
  'scenarios',
  'scenarios-armed',
  'scenarios-built-in',
  'scenarios-faults',
  'scenarios-files',
  'scenarios-hostile',
  'scenarios-runs',
  'scenarios-webhooks',
  'seed-demo',
  'signature',
  'signature-doctor',
  'snapshots',
  'snapshots-files',
  'stream',
  'token',
  'transaction-list',
  'transfers',
  'trigger-create',
  'uploads',
  'wallets',
].map((name) => `test/${name}.test.ts`)

const sixConnections = 'holds more connections than the runtime opens for one object'

/** By a part of the title. */
export const notThere = {
  'two hundred receivers that hang do not hold up': sixConnections,
  'more receivers that hang than there is room for': sixConnections,
  'when a whole crowd turns bad in the same moment': sixConnections,
  'one receiver gets no more than a few at a time': sixConnections,
  'waits for its turn when the sandbox is reset is never sent': sixConnections,
  'a backlog for one receiver goes side by side': sixConnections,
  'requests ID --curl prints a command': 'looks into the process of the sandbox',
  'charges are 12000 a minute': 'calls the app in the process of the test, which is fast enough for it',
  'SERVICE_UNAVAILABLE is reached': 'damages the database from inside the process',
  'INTERNAL_ERROR is reached': 'damages the database from inside the process',
  'a store that is full answers 503': 'fills the database from inside the process',
  'count for each IP by itself': 'calls the app in the process of the test, as callers of several addresses',
  'over 100,000 transactions': 'writes the rows from inside the process',
  'does nothing and prints nothing': 'reads what the process prints',
  'a certificate of a private authority passes': 'is given to the process by its environment',
  'on the wire when the process was killed': 'looks at the files of the database',
  'outlasts a kill in the middle of it': 'looks at the files of the database',
  'a walk is forgotten once it is over': 'looks into the process',
  'a body that was not read along with its job': 'looks into the process',
  'goes out twice more, tells when': 'writes the rows from inside the process',
  'closing lets the webhook on the wire be answered': 'looks into the process that is closed; an object is not closed',
  'on a file a workspace survives a restart': 'looks at the files of the database',
  'when it does not come, 408 tells what': 'looks into the process',
  'leaves neither listener nor timer behind': 'looks into the process',
  'keeps the newest calls, in bounds': 'looks into the process',
  'of a folder stand beside the built-in ones': 'an object has no folder',
  'from the command line: export, import': 'is about the command line',
  'a start with an unusable snapshot': 'is about the command line',
  'from the library: a golden state': 'starts the process with a snapshot',
  'or knew another process, is told of the gap': 'looks into the process',
  'who leaves is forgotten': 'looks into the process',
  'what changes together goes out in one piece': 'looks into the process',
  'a burst loses nothing, however little': 'looks into the process',
  'a client that does not read costs bounded memory': 'looks into the process',
  'pass and fail on the wire as they should': 'stops real time in the process',
  'seconds off': 'stops real time in the process',
  'is remembered for as long as its timestamp': 'stops real time in the process',
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
