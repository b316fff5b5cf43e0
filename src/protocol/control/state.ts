/** Control routes of the whole sandbox: health, ledger, reset, sample data, workspaces, settings. */
import * as z from 'zod'
import { keysOf, tableOf } from '../../base/keys.js'
import { choice, dateTimeUtc, integerInJson, integerInQuery } from '../platform/fields.js'
import { chaosSchema } from '../settings/chaos.js'
import { databaseHolders } from '../settings/process.js'
import { account } from './accounts.js'
import { clockState } from './clock.js'
import { balance, currency, filterText, listOf, model, route } from './route.js'

/** Limits of a hosted workspace that are counts, with their defaults. */
export const hostedLimits = {
  calls_per_second: 50,
  /** Limit of each address without authentication. */
  stranger_calls_per_minute: 120,
  webhooks_per_minute: 300,
  /** Each sends some hundred webhooks in addition to the limit above. */
  certifications_per_hour: 20,
  snapshots: 5,
} as const
export const hostedLimitNames = keysOf(hostedLimits)

const hosted = model('Hosted', () =>
  z
    .strictObject({
      deleted_at: dateTimeUtc().describe('Time when it is deleted if nobody uses it before'),
      limits: z.strictObject({
        ...tableOf(hostedLimitNames, () => z.int()),
        stranger_calls_per_minute: z.int().describe('Limit of each address without authentication'),
        storage_bytes: z.int(),
      }),
      storage_bytes: z.int().describe('Storage in use'),
    })
    .describe('Limits of a hosted workspace, and the time when it is deleted'),
)
export type Hosted = z.output<ReturnType<typeof hosted>>

export const emulatedVersion = () =>
  z
    .strictObject({ version: z.string(), date: z.iso.date().describe('Day on which the documentation was read') })
    .describe('Version of the platform API that the sandbox emulates')

const health = model('Health', () =>
  z
    .strictObject({
      status: z.literal('ok'),
      version: z.string().optional().describe('Version of the sandbox'),
      interface: emulatedVersion().optional(),
      workspace: z.string().optional(),
      clock: clockState().optional(),
      database_driver: z.enum(databaseHolders).optional(),
      process: z
        .strictObject({ pid: z.int(), started_at: dateTimeUtc() })
        .optional()
        .describe('Process of the sandbox; missing in a Durable Object'),
      hosted: hosted().optional(),
    })
    .describe('Only the status if an admin token is required and the caller does not send it'),
)

const ledger = model('Ledger', () =>
  z.strictObject({
    balanced: z.boolean(),
    accounts: z.array(z.strictObject({ username: z.string(), currency: currency(), ...balance().shape })),
  }),
)

export const stateRoutes = {
  readHealth: route('GET /health', {
    summary: 'Whether the sandbox works and its database is writable',
    answer: health,
  }),
  readLedger: route('GET /ledger', { summary: 'Recompute every balance from its postings', answer: ledger }),
  rotateAdminToken: route('POST /admin-token', {
    summary: 'Rotate the admin token: the old one becomes invalid immediately, the new one is shown only once',
    answer: () => z.strictObject({ admin_token: z.string() }),
  }),
  reset: route('POST /reset', {
    summary: 'Return to the state right after start',
    answer: () =>
      z.strictObject({
        status: z.literal('ok'),
        workspace: z.string(),
        clock: clockState(),
        accounts: z.array(account()),
      }),
  }),
} as const

const workspace = model('WorkspaceAddress', () => z.strictObject({ name: z.string(), base_url: z.string() }))

/** Largest page. */
export const maxWorkspaces = 1000

export const workspaceRoutes = {
  listWorkspaces: route('GET /workspaces', {
    summary: 'The workspaces of this sandbox, by their names, `default` first',
    query: () =>
      z.strictObject({
        limit: integerInQuery(1, maxWorkspaces)
          .optional()
          .describe(`Largest number of rows (default: ${maxWorkspaces})`),
        after: filterText().describe('The `next` of an earlier page'),
      }),
    answer: () => listOf(workspace()),
  }),
  createWorkspace: route('POST /workspaces', {
    summary: 'Create a workspace: an isolated sandbox under /w/{name}',
    body: () => z.strictObject({ name: z.string('must be a string') }),
    answer: () =>
      workspace().extend({
        accounts: z.array(account()),
        admin_token: z
          .string()
          .optional()
          .describe('The admin token of the workspace, if each has its own; shown only once'),
      }),
    example: { name: 'team-a' },
  }),
  deleteWorkspace: route('DELETE /workspaces/{name}', { summary: 'Delete a workspace and everything in it' }),
} as const

export const defaultSeedDays = 30

export const seedNames = ['demo'] as const

export const seedRoutes = {
  seed: route('POST /seed/{name}', {
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Create sample data for a month or another number of days, and advance the clock to its end',
    params: () => z.strictObject({ name: choice(seedNames) }),
    body: () =>
      z.strictObject({
        days: integerInJson(1, 90).optional().describe(`Number of days (default: ${defaultSeedDays})`),
        postback_url: z
          .string()
          .optional()
          .describe('Webhook URL for events without one (default: an inbox of the sandbox)'),
      }),
    answer: () =>
      z.strictObject({
        name: z.enum(seedNames),
        from: dateTimeUtc().describe('Time of the sandbox at the beginning'),
        to: dateTimeUtc().describe('Time of the sandbox now'),
        happened: z.int().describe('Number of charges created, paid, refunded, disputed, …'),
        refused: z.int().describe('Number of rejected actions, for example for insufficient balance'),
      }),
    example: { days: 3 },
  }),
} as const

// Control routes of the settings (values, defaults, sources) and of chaos, which changes while the sandbox runs.

/** The sources of values, from the strongest to the weakest. `option`: an option of the library or of a tool. */
const settingSources = ['option', 'flag', 'environment', 'file', 'default'] as const
export type SettingSource = (typeof settingSources)[number]

const settingState = model('SettingState', () =>
  z.strictObject({
    name: z.string().describe('Key of the configuration file'),
    title: z.string(),
    value: z
      .unknown()
      .describe('A text, a number, a boolean or a table; null if it is not set; `(hidden)` for a secret'),
    default: z.unknown().describe('The value without the setting, in the same form'),
    source: z
      .enum(settingSources)
      .describe('Where the value came from: `option` of the library, `flag`, `environment`, `file` or `default`'),
    is_default: z.boolean(),
    default_text: z.string().describe('The default in words'),
    flag: z.string().nullable().describe('Option of the command line; null if only the configuration file has it'),
    variable: z.string().nullable().describe('Environment variable; null if only the configuration file has it'),
    is_assumption: z
      .boolean()
      .describe('Whether it decides an assumption about the platform, not a property of the sandbox'),
  }),
)

export type SettingState = z.output<ReturnType<typeof settingState>>

/** What the host knows about the settings that it was started with. */
export interface StartedWith {
  sources: Readonly<Partial<Record<string, SettingSource>>>
  /** The settings of the process, which the platform's behavior does not depend on. */
  process: readonly SettingState[]
}

export const settingRoutes = {
  readSettings: route('GET /settings', {
    summary:
      'The settings that the sandbox was started with, their defaults and sources; without `accounts` and secrets',
    answer: () => z.strictObject({ data: z.array(settingState()) }),
  }),
} as const

const chaos = model('Chaos', () => chaosSchema().describe('`{}`: no faults. Each rate is a string such as `1%`'))

export const chaosRoutes = {
  readChaos: route('GET /chaos', { summary: 'Which random faults occur, and how often', answer: chaos }),
  setChaos: route('PUT /chaos', {
    summary: 'Inject random faults from now on; replaces all earlier faults',
    body: chaosSchema,
    answer: chaos,
    example: { seed: 'a', error: '1%', slow: { share: '5%', by: '1s' } },
  }),
  endChaos: route('DELETE /chaos', { summary: 'Stop injecting faults', answer: chaos }),
} as const
