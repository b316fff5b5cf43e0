/** The `--json` outputs of commands that are not the answer of a route. */
import * as z from 'zod'
import { dateTimeUtc } from '../platform/fields.js'
import { databaseHolders } from '../settings/process.js'
import { credential } from './accounts.js'
import { model } from './route.js'

export const ready = model('Ready', () =>
  z.strictObject({
    event: z.literal('ready'),
    base_url: z.string().describe('Base URL of the platform API and the control API'),
    dashboard_url: z.string(),
    database_driver: z.enum(databaseHolders).describe('SQLite driver'),
    admin_token: z.string().optional().describe('Present only if the control API requires a token'),
    accounts: z.array(z.strictObject({ username: z.string(), credentials: z.array(credential()) })),
  }),
)
export type Ready = z.output<ReturnType<typeof ready>>

const environment = model('Environment', () =>
  z.strictObject({
    PAYMENTS_SANDBOX_URL: z.string().describe('Base URL of the sandbox'),
    PAYMENTS_SANDBOX_ACCOUNT: z.string().describe('Username of the account'),
    PAYMENTS_SANDBOX_CLIENT_ID: z.string(),
    PAYMENTS_SANDBOX_CLIENT_SECRET: z.string(),
    PAYMENTS_SANDBOX_SIGNING_KEY: z.string(),
    PAYMENTS_SANDBOX_WEBHOOK_SECRET: z.string(),
    PAYMENTS_SANDBOX_ADMIN_TOKEN: z.string().optional().describe('Present only if the control API requires a token'),
    NODE_EXTRA_CA_CERTS: z.string().optional().describe('Only with --tls: file of the certificate authority'),
    SSL_CERT_FILE: z
      .string()
      .optional()
      .describe('Only with --tls: file with this certificate authority and the public ones'),
    REQUESTS_CA_BUNDLE: z.string().optional().describe('As SSL_CERT_FILE, for Python'),
    CURL_CA_BUNDLE: z.string().optional().describe('As SSL_CERT_FILE, for curl'),
  }),
)
export type Environment = z.output<ReturnType<typeof environment>>

const collection = model('Collection', () =>
  z.strictObject({
    format: z.enum(['postman', 'bruno']),
    calls: z.int().describe('Number of calls'),
    files: z.array(z.string()).describe('Files written'),
  }),
)

const pid = () => z.int().positive()
const stopped = model('Stopped', () =>
  z.strictObject({ stopped: z.array(z.strictObject({ base_url: z.string(), pid: pid() })) }),
)
const runningSandboxes = model('RunningSandboxes', () =>
  z.strictObject({
    data: z.array(
      z.strictObject({
        base_url: z.string(),
        pid: pid(),
        db: z.string().describe('Database file, or :memory:'),
        log: z.string().describe('Log file'),
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
        verdict: z.enum(['ok', 'note', 'wrong']).describe('`note`: information, not a problem'),
        detail: z.string(),
        hints: z.array(z.string()).describe('Suggestions to fix the problem'),
      }),
    ),
  }),
)
export type Diagnosis = z.output<ReturnType<typeof diagnosis>>

const validated = model('ValidatedFiles', () =>
  z.strictObject({
    valid: z.boolean(),
    files: z.array(z.strictObject({ file: z.string(), name: z.string().nullable() })),
    mistakes: z
      .array(z.looseObject({ message: z.string() }))
      .describe('Each mistake also has a line, a column and a path'),
    more: z.int().describe('Number of mistakes that are not listed'),
  }),
)

const written = model('WrittenScenario', () => z.strictObject({ name: z.string(), file: z.string() }))
const deleted = model('Deleted', () => z.strictObject({ name: z.string(), deleted: z.literal(true) }))
const snapshotInFile = model('SnapshotInFile', () =>
  z.strictObject({
    file: z.string(),
    name: z.string().nullable().describe('Name of the snapshot; null for the current state'),
    size_bytes: z.int(),
  }),
)
const emptied = model('Emptied', () => z.strictObject({ name: z.string(), emptied: z.literal(true) }))

const repeated = model('CallAsCommand', () =>
  z.strictObject({ command: z.string().describe('Shell commands that repeat the call') }),
)

const listenOutput = model('ListenOutput', () =>
  z.union([
    z.strictObject({ event: z.literal('listening'), account: z.string(), url: z.string() }),
    z.looseObject({
      received_at: dateTimeUtc(),
      id: z.string(),
      event: z.string(),
      transaction_id: z.string(),
      signature: z.enum(['valid', 'invalid']),
      reason: z.string().optional().describe('Reason why the signature is invalid'),
      answered: z.int().describe('HTTP status of the response to the sandbox'),
      forwarded_to: z.string().optional(),
      answer: z.string().optional().describe('The first 300 characters of the answer to a forwarded webhook'),
      error: z.string().optional(),
      body: z.unknown(),
    }),
  ]),
)

const recording = model('Recording', () =>
  z.union([
    z.strictObject({
      event: z.literal('ready'),
      url: z.string().describe('Base URL for your app'),
      webhooks_url: z.string().nullable().describe('URL that receives webhooks; null without --webhooks-port'),
    }),
    z.strictObject({
      event: z.literal('stopped'),
      file: z.string(),
      exchanges: z.int().describe('Number of recorded calls'),
      webhooks: z.int().describe('Number of recorded webhooks'),
      omitted: z.int().describe('Number of exchanges, bodies and files that are left out'),
      masked: z.int().describe('Number of values that are masked only because they look random'),
    }),
  ]),
)

export const shapes = {
  collection,
  ready,
  stopped,
  runningSandboxes,
  environment,
  written,
  validated,
  emptied,
  listenOutput,
  recording,
  repeated,
  deleted,
  snapshotInFile,
  diagnosis,
} as const satisfies Record<string, () => z.ZodType>

// The environment variables that tell programs the URL and the credentials of a sandbox over http.

export type Secrets = Pick<
  z.output<ReturnType<typeof credential>>,
  'client_id' | 'client_secret' | 'signing_key' | 'webhook_secret'
>

export function variablesOf(
  url: string,
  username: string,
  credential: Secrets,
  adminToken: string | undefined,
): Record<string, string> {
  return {
    PAYMENTS_SANDBOX_URL: url,
    PAYMENTS_SANDBOX_ACCOUNT: username,
    PAYMENTS_SANDBOX_CLIENT_ID: credential.client_id,
    PAYMENTS_SANDBOX_CLIENT_SECRET: credential.client_secret,
    PAYMENTS_SANDBOX_SIGNING_KEY: credential.signing_key,
    PAYMENTS_SANDBOX_WEBHOOK_SECRET: credential.webhook_secret,
    ...(adminToken === undefined ? {} : { PAYMENTS_SANDBOX_ADMIN_TOKEN: adminToken }),
  } satisfies Environment
}
