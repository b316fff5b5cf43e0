/** Routes of accounts, their balances, credentials, limits and fees. */

import * as z from 'zod'
import { byCurrency } from '../platform/currencies.js'
import { bool, choice, looseAmount, momentUtc, text } from '../platform/fields.js'
import { operations } from '../platform/limits.js'
import { usernamePattern, usernameRule } from '../platform/names.js'
import { balance, currencyField, listOf, namedPage } from './fields.js'
import { model, route } from './route.js'

export const credential = model('Credential', () =>
  z.strictObject({
    client_id: z.string(),
    client_secret: z.string(),
    signing_key: z.string(),
    webhook_secret: z.string(),
    postback_url: z.string().nullable().describe('Where its webhooks go'),
    active: z.boolean(),
  }),
)

export const account = model('Account', () =>
  z.strictObject({
    username: z.string(),
    name: z.string(),
    document: z.string(),
    created_at: momentUtc(),
    balances: z.strictObject(byCurrency(balance)),
    credentials: z.tuple([credential()], credential()).describe('At least one'),
  }),
)
export type Account = z.output<ReturnType<typeof account>>

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

export const accountRoutes = {
  listAccounts: route({
    method: 'GET',
    path: '/accounts',
    summary: 'All accounts with their credentials',
    query: namedPage,
    answer: () => listOf(account()),
  }),
  createAccount: route({
    method: 'POST',
    path: '/accounts',
    errors: ['INVALID_AMOUNT', 'INVALID_CURRENCY', 'INVALID_POSTBACK_URL'],
    summary: 'Make an account',
    body: () =>
      z.strictObject({
        username: username().optional().describe('Made up where absent'),
        name: text(120).optional(),
        document: text(18).optional(),
        balances: balances().optional(),
        credential: credentialChange().optional(),
      }),
    answer: account,
    example: { username: 'shop', balances: { BRL: '500.00' } },
  }),
  readAccount: route({ method: 'GET', path: '/accounts/{username}', summary: 'One account', answer: account }),
  changeAccount: route({
    method: 'PATCH',
    path: '/accounts/{username}',
    errors: ['INVALID_AMOUNT', 'INVALID_CURRENCY'],
    summary: 'Change limits and fees',
    body: () => z.strictObject({ limits: z.array(limitChange()).optional(), fees: z.array(feeChange()).optional() }),
    answer: account,
    example: { limits: [{ currency: 'BRL', operation: 'cashin', max_amount: '500.00' }] },
  }),
  setBalances: route({
    method: 'PUT',
    path: '/accounts/{username}/balances',
    errors: ['INVALID_AMOUNT', 'INVALID_CURRENCY'],
    summary: 'Set what is available, by a posting',
    body: balances,
    answer: account,
    example: { BRL: '500.00' },
  }),
  createCredential: route({
    method: 'POST',
    path: '/accounts/{username}/credentials',
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Make another credential',
    body: credentialChange,
    answer: credential,
    example: { postback_url: 'http://127.0.0.1:4020/webhooks' },
  }),
  changeCredential: route({
    method: 'PATCH',
    path: '/credentials/{client_id}',
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Change a credential',
    body: credentialChange,
    answer: credential,
    example: { active: false },
  }),
} as const
