/** Control routes of transactions, disputes and wallets, each with its history, and of the search over them. */
import * as z from 'zod'
import { postingTypeNames } from '../platform/entry-types.js'
import { choice, dateTimeUtc, decimal, integerInQuery, text } from '../platform/fields.js'
import { controlDefaults, operations } from '../platform/limits.js'
import {
  cashinItem,
  cashoutItem,
  conversionItem,
  disputeItem,
  replyItem,
  transferItem,
  walletItem,
} from '../platform/responses.js'
import { objectKinds, statusesOf, transitionNames } from '../platform/transitions.js'
import { dueJob } from './clock.js'
import { actionName, currency, currencyChoice, filterText, listOf, model, pageOf, route } from './route.js'
import { webhookSummary } from './webhooks.js'

const account = () => z.string().describe('Username of the account that owns the object')
const ofTransaction = () => ({ postback_url: z.string().nullable(), account: account() })

export const cashin = model('CashinTransaction', () =>
  z.strictObject({
    ...cashinItem(decimal).shape,
    ...ofTransaction(),
    amount_requested: decimal().optional().describe('Amount of the charge, if the payer paid a different one'),
    pay_url: z.string().describe('Page where the payer pays the charge'),
  }),
)
export const cashout = model('CashoutTransaction', () =>
  z.strictObject({ ...cashoutItem(decimal).shape, ...ofTransaction() }),
)
const transfer = model('TransferTransaction', () =>
  z.strictObject({ ...transferItem(decimal).shape, ...ofTransaction() }),
)
export const conversion = model('ConversionTransaction', () =>
  z.strictObject({ ...conversionItem(decimal).shape, ...ofTransaction() }),
)
const transaction = model('Transaction', () =>
  z.discriminatedUnion('type', [cashin(), cashout(), transfer(), conversion()]),
)
export const dispute = model('Dispute', () =>
  z.strictObject({
    ...disputeItem(decimal).shape,
    ...cashinItem(decimal).pick({ external_id: true, payer: true }).shape,
    account: account(),
  }),
)
const wallet = model('Wallet', () => z.strictObject({ ...walletItem().shape, account: account() }))

const transactionStatuses = () => statusesOf(...operations)
const statuses = () => statusesOf(...objectKinds)

const historyEntry = model('HistoryEntry', () =>
  z.strictObject({
    action: z.enum(transitionNames),
    from: z.enum(statuses()).nullable().describe('null if the object was created'),
    to: z.enum(statuses()),
    at: dateTimeUtc(),
  }),
)

const postedBuckets = ['available', 'blocked', 'pending', 'rail', 'fees'] as const
export type PostedBucket = (typeof postedBuckets)[number]

const posting = model('Posting', () =>
  z.strictObject({
    entry: z.int().describe('Postings of one entry sum to zero'),
    account: z.string().describe('A username, or `platform`'),
    bucket: z.enum(postedBuckets),
    currency: currency(),
    amount: decimal(),
    memo: z.string(),
    type: z
      .enum(postingTypeNames)
      .nullable()
      .describe('In the statement of the account; null if it does not change `available`'),
    at: dateTimeUtc(),
  }),
)

/** The history, events and postings of an object, and the actions that it allows now. */
const timelineFields = () => ({
  history: z.array(historyEntry()),
  events: z.array(webhookSummary()),
  ledger: z.array(posting()),
  allowed: z.array(actionName()).describe('Actions that are possible now'),
  due: z
    .array(dueJob())
    .describe('Scheduled jobs of the object, such as its expiry, in order; not those of its webhooks'),
})

const transactionDetails = model('TransactionDetails', () =>
  z.discriminatedUnion('type', [
    cashin().extend(timelineFields()),
    cashout().extend(timelineFields()),
    transfer().extend(timelineFields()),
    conversion().extend(timelineFields()),
  ]),
)
const disputeDetails = model('DisputeDetails', () =>
  dispute().extend({ ...timelineFields(), replies: z.array(replyItem()) }),
)
const walletDetails = model('WalletDetails', () => wallet().extend(timelineFields()))

export const objectRoutes = {
  listTransactions: route('GET /transactions', {
    summary: 'Transactions of every kind, newest first',
    query: () =>
      pageOf({
        type: choice(operations).optional(),
        status: choice(transactionStatuses()).optional(),
        external_id: filterText(),
        account: filterText(),
        currency: currencyChoice().optional(),
        wallet_id: integerInQuery(1, Number.MAX_SAFE_INTEGER)
          .optional()
          .describe('The fixed wallet that received the deposit'),
      }),
    answer: () => listOf(transaction()),
  }),
  readTransaction: route('GET /transactions/{id}', {
    summary: 'One transaction with its history, events and postings',
    answer: transactionDetails,
  }),
  listDisputes: route('GET /disputes', {
    summary: 'Disputes, newest first',
    query: () =>
      pageOf({
        type: filterText(),
        status: choice(statusesOf('dispute')).optional(),
        transaction_id: filterText(),
        account: filterText(),
      }),
    answer: () => listOf(dispute()),
  }),
  readDispute: route('GET /disputes/{id}', { summary: 'One dispute', answer: disputeDetails }),
  listWallets: route('GET /wallets', {
    summary: 'Fixed wallets, newest first',
    query: () => pageOf({ currency: currencyChoice().optional(), account: filterText() }),
    answer: () => listOf(wallet()),
  }),
  readWallet: route('GET /wallets/{id}', { summary: 'One wallet', answer: walletDetails }),
} as const

const searchedFields = [
  'id',
  'external_id',
  'payer',
  'receiver',
  'proof',
  'destination',
  'address',
  'e2e_id',
  'event',
] as const
export type SearchedField = (typeof searchedFields)[number]

const hit = model('SearchHit', () =>
  z.strictObject({
    kind: z.enum(['transaction', 'dispute', 'wallet', 'webhook']),
    id: z.string(),
    title: z.string().describe('The kind of transaction, or the event'),
    status: z.string().nullable(),
    external_id: z.string().nullable().describe('Your reference of a transaction'),
    amount: decimal().nullable(),
    currency: currency().nullable(),
    matched: z.enum(searchedFields),
    value: z.string().describe('Value of the field that matched'),
    at: dateTimeUtc(),
  }),
)
export type SearchHit = z.output<ReturnType<typeof hit>>

export const searchRoutes = {
  search: route('GET /search', {
    summary: 'Find transactions, disputes, fixed wallets and events by id, external_id, payer, proof or address',
    query: () =>
      z.strictObject({
        q: text(200).describe(
          'The beginning of an id or external_id is searched in all objects, any other text in the newest 20,000 objects of each kind',
        ),
        limit: integerInQuery(1, 50)
          .optional()
          .describe(`Largest number of results of each kind (default: ${controlDefaults.found})`),
      }),
    answer: () => listOf(hit()),
  }),
} as const
