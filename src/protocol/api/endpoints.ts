/** Every endpoint of the faked API (§4): routes, checks, OpenAPI and the typed client follow from this table. */

import type * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import type { Basis } from './basis.js'
import type { ErrorCode } from './errors.js'
import type { Operation, rates } from './limits.js'
import * as requests from './requests.js'
import * as responses from './responses.js'

interface EndpointRow {
  method: 'GET' | 'POST'
  path: string
  title: string
  auth: 'basic' | 'bearer'
  /** Financial routes are signed as well (§5.2). */
  hmac?: true
  /** Where the request schema applies. */
  input: 'json' | 'query' | 'multipart' | 'none'
  request: z.ZodObject
  response: z.ZodObject
  /** 200 unless said. */
  status?: 202
  rate?: keyof typeof rates
  /** What a scenario calls it in `on.operation`. */
  operation?: Operation | 'wallet' | 'dispute_reply'
  /** Beyond those that every endpoint has. */
  errors: readonly ErrorCode[]
  basis: Basis
}

const amountErrors = ['INVALID_AMOUNT', 'INVALID_CURRENCY'] as const
const limitErrors = ['BELOW_MIN_LIMIT', 'EXCEEDS_MAX_LIMIT', 'LIMIT_EXCEEDED', 'DUPLICATE_EXTERNAL_ID'] as const
const provider = ['PROVIDER_ERROR'] as const

export const endpoints = {
  token: {
    method: 'POST',
    path: '/v2/oauth/token',
    title: 'Get an access token',
    auth: 'basic',
    input: 'json',
    request: requests.token,
    response: responses.token,
    errors: [
      'INVALID_CREDENTIALS',
      'IP_BLOCKED_TEMPORARILY',
      'CREDENTIAL_INACTIVE',
      'RATE_LIMIT_EXCEEDED',
      'MISSING_REQUIRED_FIELD',
    ],
    basis: 'spec',
  },
  cashin: {
    method: 'POST',
    path: '/v2/transactions/cashin',
    title: 'Create a charge',
    auth: 'bearer',
    input: 'json',
    request: requests.cashin,
    response: responses.cashin,
    rate: 'cashin',
    operation: 'cashin',
    basis: 'spec',
    errors: [
      'MISSING_REQUIRED_FIELD',
      ...amountErrors,
      'UNSUPPORTED_CHAIN',
      'INVALID_POSTBACK_URL',
      'INVALID_SPLIT_CONFIG',
      ...limitErrors,
      'RATE_LIMIT_EXCEEDED',
      ...provider,
    ],
  },
  cashout: {
    method: 'POST',
    path: '/v2/transactions/cashout',
    title: 'Withdraw',
    auth: 'bearer',
    hmac: true,
    input: 'json',
    request: requests.cashout,
    response: responses.cashout,
    status: 202,
    operation: 'cashout',
    basis: 'spec',
    errors: [
      'MISSING_REQUIRED_FIELD',
      ...amountErrors,
      'UNSUPPORTED_CHAIN',
      ...limitErrors,
      'INSUFFICIENT_BALANCE',
      ...provider,
    ],
  },
  pixPayment: {
    method: 'POST',
    path: '/v2/pix/payment',
    title: 'Withdraw by PIX (legacy)',
    auth: 'bearer',
    hmac: true,
    input: 'json',
    request: requests.pixPayment,
    response: responses.cashout,
    status: 202,
    operation: 'cashout',
    basis: 'spec',
    errors: ['MISSING_REQUIRED_FIELD', 'INVALID_AMOUNT', ...limitErrors, 'INSUFFICIENT_BALANCE', ...provider],
  },
  wallet: {
    method: 'POST',
    path: '/v2/transactions/wallet',
    title: 'Create a fixed wallet',
    auth: 'bearer',
    input: 'json',
    request: requests.wallet,
    response: responses.wallet,
    operation: 'wallet',
    errors: ['MISSING_REQUIRED_FIELD', 'INVALID_CURRENCY', 'UNSUPPORTED_CHAIN', ...provider],
    basis: 'spec',
  },
  transfer: {
    method: 'POST',
    path: '/v2/internal_transfers/payment',
    title: 'Transfer to another account',
    auth: 'bearer',
    hmac: true,
    input: 'json',
    request: requests.transfer,
    response: responses.transfer,
    operation: 'transfer',
    basis: 'spec',
    errors: [
      'MISSING_REQUIRED_FIELD',
      ...amountErrors,
      ...limitErrors,
      'INSUFFICIENT_BALANCE',
      'SELF_TRANSFER_BLOCKED',
      'NOT_FOUND',
    ],
  },
  rate: {
    method: 'POST',
    path: '/v2/conversions/rate',
    title: 'Ask the rate of a conversion',
    auth: 'bearer',
    input: 'json',
    request: requests.conversion,
    response: responses.rate,
    errors: ['MISSING_REQUIRED_FIELD', ...amountErrors],
    basis: 'spec',
  },
  simulate: {
    method: 'POST',
    path: '/v2/conversions/simulate',
    title: 'Simulate a conversion',
    auth: 'bearer',
    input: 'json',
    request: requests.conversion,
    response: responses.simulation,
    errors: ['MISSING_REQUIRED_FIELD', ...amountErrors],
    basis: 'spec',
  },
  conversion: {
    method: 'POST',
    path: '/v2/conversions/new',
    title: 'Convert between balances',
    auth: 'bearer',
    hmac: true,
    input: 'json',
    request: requests.conversion,
    response: responses.conversion,
    operation: 'conversion',
    errors: ['MISSING_REQUIRED_FIELD', ...amountErrors, ...limitErrors, 'INSUFFICIENT_BALANCE'],
    basis: 'spec',
  },
  transactionList: {
    method: 'POST',
    path: '/v2/account/transactions/list',
    title: 'List transactions',
    auth: 'bearer',
    input: 'json',
    request: requests.transactionList,
    response: responses.transactionList,
    errors: [],
    basis: 'spec',
  },
  balance: {
    method: 'GET',
    path: '/v2/account/balance',
    title: 'Balances',
    auth: 'bearer',
    input: 'none',
    request: requests.nothing,
    response: responses.balance,
    errors: [],
    basis: 'spec',
  },
  profile: {
    method: 'GET',
    path: '/v2/account/profile',
    title: 'Profile',
    auth: 'bearer',
    input: 'none',
    request: requests.nothing,
    response: responses.profile,
    errors: [],
    basis: 'assumed',
  },
  limits: {
    method: 'GET',
    path: '/v2/account/limits',
    title: 'Limits',
    auth: 'bearer',
    input: 'none',
    request: requests.nothing,
    response: responses.limits,
    errors: [],
    basis: 'assumed',
  },
  fees: {
    method: 'GET',
    path: '/v2/account/fees',
    title: 'Fees',
    auth: 'bearer',
    input: 'none',
    request: requests.nothing,
    response: responses.fees,
    errors: [],
    basis: 'assumed',
  },
  infractionList: {
    method: 'GET',
    path: '/v2/account/infractions',
    title: 'List disputes',
    auth: 'bearer',
    input: 'query',
    request: requests.infractionList,
    response: responses.infractionList,
    errors: [],
    basis: 'spec',
  },
  infractionDetail: {
    method: 'GET',
    path: '/v2/account/infractions/detail',
    title: 'Read a dispute',
    auth: 'bearer',
    input: 'query',
    request: requests.infractionDetail,
    response: responses.infractionDetail,
    errors: ['MISSING_REQUIRED_FIELD', 'NOT_FOUND'],
    basis: 'spec',
  },
  infractionReply: {
    method: 'POST',
    path: '/v2/account/infractions/reply',
    title: 'Reply to a dispute',
    auth: 'bearer',
    input: 'multipart',
    request: requests.infractionReply,
    response: responses.infractionReply,
    operation: 'dispute_reply',
    errors: ['MISSING_REQUIRED_FIELD', 'NOT_FOUND', 'INVALID_TRANSITION'],
    basis: 'spec',
  },
} as const satisfies Record<string, EndpointRow>

export type EndpointName = keyof typeof endpoints
export const endpointNames = keysOf(endpoints)
export type Endpoint = EndpointRow
export type RequestOf<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['request']>
export type ResponseOf<Name extends EndpointName> = z.output<(typeof endpoints)[Name]['response']>

/** What a success is answered with. */
export const statusOf = ({ status }: Endpoint): 200 | 202 => status ?? 200
