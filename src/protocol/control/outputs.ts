/** What each command of the command line prints with `--json`: the answer of a route, or a shape of its own. */

import * as z from 'zod'
import { momentUtc } from '../api/fields.js'
import { credential } from './accounts.js'
import { databaseHolders } from './drivers.js'
import type { controlRoutes } from './index.js'
import { model } from './route.js'

export const ready = model('Ready', () =>
  z.strictObject({
    event: z.literal('ready'),
    base_url: z.string().describe('Where both APIs are'),
    dashboard_url: z.string(),
    database_driver: z.enum(databaseHolders).describe('What opens the databases'),
    admin_token: z.string().optional().describe('Only where the control API asks for it'),
    accounts: z.array(z.strictObject({ username: z.string(), credentials: z.array(credential()) })),
  }),
)
export type Ready = z.output<ReturnType<typeof ready>>

const environment = model('Environment', () =>
  z.strictObject({
    PAYMENTS_SANDBOX_URL: z.string().describe('The base address'),
    PAYMENTS_SANDBOX_ACCOUNT: z.string().describe('The username'),
    PAYMENTS_SANDBOX_CLIENT_ID: z.string(),
    PAYMENTS_SANDBOX_CLIENT_SECRET: z.string(),
    PAYMENTS_SANDBOX_SIGNING_KEY: z.string(),
    PAYMENTS_SANDBOX_WEBHOOK_SECRET: z.string(),
    PAYMENTS_SANDBOX_ADMIN_TOKEN: z.string().optional().describe('Only where the control API asks for it'),
  }),
)
export type Environment = z.output<ReturnType<typeof environment>>

const pid = () => z.int().positive()
const stopped = model('Stopped', () =>
  z.strictObject({ stopped: z.array(z.strictObject({ base_url: z.string(), pid: pid() })) }),
)
const detached = model('Detached', () =>
  z.strictObject({
    data: z.array(
      z.strictObject({
        base_url: z.string(),
        pid: pid(),
        db: z.string().describe('The file of the state, or :memory:'),
        log: z.string().describe('The file that it writes to'),
        started_at: z.string(),
      }),
    ),
  }),
)

const diagnosis = model('Diagnosis', () =>
  z.strictObject({
    healthy: z.boolean(),
    findings: z.array(
      z.strictObject({
        check: z.string(),
        verdict: z.enum(['ok', 'note', 'wrong']).describe('`note`: worth knowing, and no fault'),
        detail: z.string(),
        hints: z.array(z.string()).describe('What to do about it'),
      }),
    ),
  }),
)
export type Diagnosis = z.output<ReturnType<typeof diagnosis>>

const validated = model('ValidatedFiles', () =>
  z.strictObject({
    valid: z.boolean(),
    files: z.array(z.strictObject({ file: z.string(), name: z.string().nullable() })),
    mistakes: z.array(z.looseObject({ message: z.string() })).describe('With line, column and path'),
    more: z.int().describe('Mistakes beyond those that are listed'),
  }),
)

const written = model('WrittenScenario', () => z.strictObject({ name: z.string(), file: z.string() }))
const deleted = model('Deleted', () => z.strictObject({ name: z.string(), deleted: z.literal(true) }))
const snapshotInFile = model('SnapshotInFile', () =>
  z.strictObject({
    file: z.string(),
    name: z.string().nullable().describe('null: the present state'),
    size_bytes: z.int(),
  }),
)
const emptied = model('Emptied', () => z.strictObject({ name: z.string(), emptied: z.literal(true) }))

const repeated = model('CallAsCommand', () => z.strictObject({ command: z.string().describe('For a shell') }))

const heard = model('HeardWebhook', () =>
  z.union([
    z.strictObject({ event: z.literal('listening'), account: z.string(), url: z.string() }),
    z.looseObject({
      received_at: momentUtc(),
      id: z.string(),
      event: z.string(),
      transaction_id: z.string(),
      signature: z.enum(['valid', 'invalid']),
      reason: z.string().optional().describe('Why the signature is invalid'),
      answered: z.int().describe('The status that the sandbox got'),
      forwarded_to: z.string().optional(),
      error: z.string().optional(),
      body: z.unknown(),
    }),
  ]),
)

type RouteName = keyof typeof controlRoutes

export interface Output {
  /** With which words or flags, where not always. */
  when?: string
  /** The answer of this route. */
  route?: RouteName
  /** A shape that no route has. */
  shape?: () => z.ZodType
  /** Neither: in words. */
  says?: string
  /** A line for each, as they come. */
  lines?: true
}

/** By the words of the command; what has more than one is told apart by `when`. */
export const outputs = {
  start: [{ shape: ready }],
  stop: [{ shape: stopped }],
  status: [{ shape: detached }],
  env: [{ shape: environment }],
  request: [{ says: 'the answer of the API, on one line' }],
  trigger: [{ route: 'trigger' }],
  'scenario list': [{ route: 'listScenarios' }],
  'scenario show': [{ route: 'readScenario' }],
  'scenario new': [{ shape: written }],
  'scenario validate': [{ shape: validated }],
  'scenario run': [
    { route: 'readRun', when: 'one scenario' },
    { route: 'listRuns', when: 'several' },
  ],
  'scenario arm': [{ route: 'armScenario' }],
  'scenario disarm': [{ route: 'disarmScenario' }],
  clock: [{ route: 'readClock' }],
  'clock now': [{ route: 'readClock' }],
  'clock advance': [{ route: 'advanceClock' }],
  'clock freeze': [{ route: 'setClock' }],
  'clock resume': [{ route: 'setClock' }],
  transactions: [
    { route: 'listTransactions' },
    { route: 'readTransaction', when: 'with an ID' },
    { says: 'a row of the list for each change', when: 'with --follow', lines: true },
  ],
  disputes: [
    { route: 'listDisputes' },
    { route: 'readDispute', when: 'with an ID' },
    { says: 'a row of the list for each change', when: 'with --follow', lines: true },
  ],
  webhooks: [
    { route: 'listWebhooks' },
    { route: 'readWebhook', when: 'with an ID' },
    { says: 'a row of the list for each change', when: 'with --follow', lines: true },
  ],
  'webhooks redeliver': [{ route: 'redeliverWebhook' }],
  'webhooks wait': [{ route: 'waitForWebhook' }],
  inbox: [
    { route: 'listInboxes' },
    { route: 'readInbox', when: 'with a name' },
    { shape: emptied, when: 'with --empty' },
  ],
  listen: [{ shape: heard, lines: true }],
  requests: [
    { route: 'listRequests' },
    { route: 'readRequest', when: 'with an ID' },
    { shape: repeated, when: 'with --curl' },
    { route: 'replayRequest', when: 'with --replay' },
    { says: 'a row of the list for each call', when: 'with --follow', lines: true },
  ],
  logs: [{ says: 'a change of `GET /_sandbox/stream`', lines: true }],
  'account list': [{ route: 'listAccounts' }],
  'account create': [{ route: 'createAccount' }],
  'account set': [{ route: 'readAccount' }],
  'account balance': [{ route: 'readAccount' }],
  'workspace list': [{ route: 'listWorkspaces' }],
  'workspace create': [{ route: 'createWorkspace' }],
  'workspace delete': [{ shape: deleted }],
  'seed demo': [{ route: 'seed' }],
  'snapshot save': [{ route: 'saveSnapshot' }],
  'snapshot restore': [{ route: 'restoreSnapshot' }],
  'snapshot list': [{ route: 'listSnapshots' }],
  'snapshot export': [{ shape: snapshotInFile }],
  'snapshot import': [{ shape: snapshotInFile }],
  'snapshot delete': [{ shape: deleted }],
  reset: [{ route: 'reset' }],
  'certify receiver': [{ route: 'certifyReceiver' }],
  'certify client': [{ says: 'a report as that of `certify receiver`, of the rules for clients' }],
  doctor: [{ shape: diagnosis }],
} as const satisfies Record<string, readonly Output[]>
