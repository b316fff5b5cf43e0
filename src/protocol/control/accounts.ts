/** Control routes of accounts, their balances, credentials, limits and fees. */

import * as z from 'zod'
import { timeZone } from '../../base/time-zone.js'
import { byCurrency } from '../platform/currencies.js'
import { postingTypeNames } from '../platform/entry-types.js'
import {
  bool,
  choice,
  dateTimeUtc,
  decimal,
  integerInQuery,
  looseAmount,
  text,
  usernamePattern,
  usernameRule,
} from '../platform/fields.js'
import { operations } from '../platform/limits.js'
import {
  balance,
  currency,
  currencyChoice,
  currencyField,
  filterText,
  listOf,
  model,
  pageByNameQuery,
  pageCursor,
  route,
} from './route.js'

export const credential = model('Credential', () =>
  z.strictObject({
    client_id: z.string(),
    client_secret: z.string(),
    signing_key: z.string(),
    webhook_secret: z.string(),
    postback_url: z.string().nullable().describe('Webhook URL of the credential'),
    active: z.boolean(),
  }),
)

export const account = model('Account', () =>
  z.strictObject({
    username: z.string(),
    name: z.string(),
    document: z.string(),
    created_at: dateTimeUtc(),
    balances: z.strictObject(byCurrency(balance)),
    credentials: z.tuple([credential()], credential()).describe('At least one credential'),
  }),
)
export type Account = z.output<ReturnType<typeof account>>

const limit = () =>
  z.strictObject({ ...priced(), min_amount: decimal(), max_amount: decimal(), daily_limit: decimal() })
const fee = () => z.strictObject({ ...priced(), fixed: decimal(), percent: decimal() })
const priced = () => ({ currency: currency(), operation: z.enum(operations) })

const accountDetails = model('AccountDetails', () =>
  account().extend({
    limits: z.array(limit()).describe('What applies now, in each currency'),
    fees: z.array(fee()).describe('What applies now, in each currency'),
  }),
)

const credentialChange = () =>
  z.strictObject({
    postback_url: z.string('must be a string').nullable().optional(),
    webhook_secret: text(200).optional(),
    active: bool().optional(),
  })

const balances = () =>
  z.strictObject(byCurrency(() => looseAmount().optional())).meta({ unknownCode: 'INVALID_CURRENCY' })

const username = () => z.string('must be a string').regex(usernamePattern, usernameRule)

const rule = { currency: currencyField, operation: () => choice(operations) }

const limitChange = () =>
  z.strictObject({
    currency: rule.currency(),
    operation: rule.operation(),
    min_amount: looseAmount().optional(),
    max_amount: looseAmount().optional(),
    daily_limit: looseAmount().optional(),
  })

const feeChange = () =>
  z.strictObject({
    currency: rule.currency(),
    operation: rule.operation(),
    fixed: looseAmount().optional(),
    percent: looseAmount().optional(),
  })

/** Where days begin, unless a caller says otherwise. */
export const statementTimeZone = 'America/Sao_Paulo'

const statementFormats = ['json', 'csv'] as const

const statementEntry = model('StatementEntry', () =>
  z.strictObject({
    date: z.string().describe('`YYYY-MM-DD`'),
    time: z.string().describe('`HH:MM:SS`'),
    entry_id: z.int().describe('Id of the ledger entry; postings with the same `entry_id` were made together'),
    transaction_id: z.string().nullable().describe('Transaction of the account; null if a balance was set'),
    external_id: z.string().nullable(),
    type: z.enum(postingTypeNames),
    description: z.string(),
    currency: currency(),
    amount: decimal().describe('Negative if it reduces `available`'),
    balance: decimal().describe('`available` of this currency after the posting'),
  }),
)
export type StatementEntry = z.output<ReturnType<typeof statementEntry>>

/** The columns of the CSV, in order: `Object.keys` does not keep the names of the schema. */
export const statementColumns = () => Object.keys(statementEntry().shape) as (keyof StatementEntry)[]

const statementSums = () =>
  z
    .union([decimal(), z.strictObject(byCurrency(decimal))])
    .describe('One amount if `currency` is given, otherwise one for each currency')

const statement = model('Statement', () =>
  z.strictObject({
    opening: statementSums(),
    entries: z.array(statementEntry()),
    closing: statementSums(),
    next: z.string().nullable().optional().describe('With `limit`: the cursor of the older page, or null'),
  }),
)

const zone = () =>
  filterText().refine(
    (name) => name === undefined || timeZone(name) !== null,
    'must be a time zone, such as Europe/Lisbon',
  )

export const accountRoutes = {
  listAccounts: route('GET /accounts', {
    summary: 'All accounts with their credentials',
    query: pageByNameQuery,
    answer: () => listOf(account()),
  }),
  createAccount: route('POST /accounts', {
    errors: ['INVALID_AMOUNT', 'INVALID_CURRENCY', 'INVALID_POSTBACK_URL'],
    summary: 'Create an account',
    body: () =>
      z.strictObject({
        username: username().optional().describe('Generated if omitted'),
        name: text(120).optional(),
        document: text(18).optional(),
        balances: balances().optional(),
        credential: credentialChange().optional(),
      }),
    answer: account,
    example: { username: 'shop', balances: { BRL: '500.00' } },
  }),
  readAccount: route('GET /accounts/{username}', {
    summary: 'One account with its limits and fees',
    answer: accountDetails,
  }),
  changeAccount: route('PATCH /accounts/{username}', {
    errors: ['INVALID_AMOUNT', 'INVALID_CURRENCY'],
    summary: 'Change limits and fees',
    body: () => z.strictObject({ limits: z.array(limitChange()).optional(), fees: z.array(feeChange()).optional() }),
    answer: account,
    example: { limits: [{ currency: 'BRL', operation: 'cashin', max_amount: '500.00' }] },
  }),
  setBalances: route('PUT /accounts/{username}/balances', {
    errors: ['INVALID_AMOUNT', 'INVALID_CURRENCY'],
    summary: 'Set the available balances by a posting',
    body: balances,
    answer: account,
    example: { BRL: '500.00' },
  }),
  readStatement: route('GET /accounts/{username}/statement', {
    summary: 'Account statement: every posting that changes `available`, in order, as JSON or CSV',
    query: () =>
      z.strictObject({
        currency: currencyChoice().optional().describe('Default: all currencies'),
        from: filterText().describe('First day, or a time in ISO 8601 with a UTC offset (default: the first posting)'),
        to: filterText().describe('Last day, inclusive, or a time (default: the last posting)'),
        format: choice(statementFormats).optional().describe('`csv`: the entries as `text/csv` (default: `json`)'),
        time_zone: zone().describe(
          `Time zone of days and times, which the CSV names if it is given (default: \`${statementTimeZone}\`)`,
        ),
        limit: integerInQuery(1, 500)
          .optional()
          .describe('Only so many entries, newest first, as JSON (default: all entries, oldest first)'),
        after: pageCursor().describe('The value of `next` from an earlier page; requires `limit`'),
      }),
    answer: statement,
    alsoMedia: ['text/csv'],
    streamed: true,
  }),
  createCredential: route('POST /accounts/{username}/credentials', {
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Create another credential',
    body: credentialChange,
    answer: credential,
    example: { postback_url: 'http://127.0.0.1:4020/webhooks' },
  }),
  changeCredential: route('PATCH /credentials/{client_id}', {
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Change a credential',
    body: credentialChange,
    answer: credential,
    example: { active: false },
  }),
} as const
