/** Endpoints about the account itself, and about its disputes. */

import { exampleAt, exampleAtUtc, exampleChargeId, exampleE2eId, exampleInfractionId } from '../emulated-interface.js'
import { disputeWindowMs, formatDays } from '../limits.js'
import * as requests from '../requests.js'
import * as responses from '../responses.js'
import { type Rows, usual } from './row.js'

const accountRead = {
  ...usual,
  method: 'GET',
  input: 'none',
  request: requests.nothing,
  errors: [],
  tag: 'Account',
  examples: {},
} as const

export const account = {
  transactionList: {
    ...usual,
    path: '/v2/account/transactions/list',
    title: 'List transactions',
    request: requests.transactionList,
    response: responses.transactionList,
    errors: [],
    tag: 'Account',
    about:
      'Returns the transactions of the account, newest first. Compare the list with your records from time to time: do not rely on webhooks alone.',
    examples: {
      page: { summary: 'The newest', value: { page: 1, page_size: 20 } },
      filtered: {
        summary: 'Paid charges of one month',
        value: {
          page: 1,
          page_size: 50,
          type: 'cashin',
          status: 'confirmed',
          currency: 'BRL',
          from_date: '2026-11-01',
          to_date: '2026-11-30',
        },
      },
    },
    answer: {
      items: [
        {
          transaction_id: 'tx_0000006edwet49dxy2db',
          external_id: 'transfer-3001',
          type: 'transfer',
          status: 'confirmed',
          source: null,
          currency: 'BRL',
          currency_type: 'fiat',
          network: null,
          amount: 25,
          fee: 0,
          created_at: exampleAt,
          updated_at: exampleAt,
          direction: 'sent',
          from_user: 'merchant',
          to_user: 'customer',
          description: 'Shared dinner',
        },
      ],
      pagination: { page: 1, page_size: 20, total: 1, total_pages: 1 },
    },
  },
  balance: {
    ...accountRead,
    path: '/v2/account/balance',
    title: 'Balances',
    response: responses.balance,
    about: 'Returns the available, blocked and pending balance in every currency.',
    answer: {
      balances: [
        { currency: 'BRL', currency_type: 'fiat', available: 9711, blocked: 150, pending: 162 },
        { currency: 'BTC', currency_type: 'crypto', available: 0.1, blocked: 0, pending: 0 },
      ],
    },
  },
  profile: {
    ...accountRead,
    path: '/v2/account/profile',
    title: 'Profile',
    response: responses.profile,
    basis: 'assumed',
    about: 'Returns the account that the token belongs to.',
    answer: {
      username: 'merchant',
      name: 'Merchant Demo Ltda',
      document: '12ABC34501DE35',
      created_at: exampleAtUtc,
      webhook_url: null,
    },
  },
  limits: {
    ...accountRead,
    path: '/v2/account/limits',
    title: 'Limits',
    response: responses.limits,
    basis: 'assumed',
    about:
      'Returns the minimum, maximum and daily limit for each currency and operation, and the part of the daily limit that is used today.',
    answer: {
      limits: [
        {
          currency: 'BRL',
          operation: 'cashin',
          min_amount: 1,
          max_amount: 100000,
          daily_limit: 1000000000,
          daily_used: 150,
        },
      ],
    },
  },
  fees: {
    ...accountRead,
    path: '/v2/account/fees',
    title: 'Fees',
    response: responses.fees,
    basis: 'assumed',
    about: 'Returns the fee of each operation in each currency.',
    answer: {
      fees: [
        { currency: 'BRL', operation: 'cashin', fixed: 0, percent: 1 },
        { currency: 'BRL', operation: 'cashout', fixed: 1, percent: 0 },
      ],
    },
  },
} as const satisfies Rows

// Endpoints of PIX disputes (MED), called infractions in paths.

const file = {
  name: 'receipt.pdf',
  size: 14,
  type: 'application/pdf',
  sha256: '41047511265df5e9b90e0a1ac183f776c3a642232bb34a17907b5f2cfc9d498e',
} as const

const infraction = {
  infraction_id: exampleInfractionId,
  transaction_id: exampleChargeId,
  type: 'REFUND_REQUEST',
  status: 'open',
  amount: 150,
  currency: 'BRL',
  e2e_id: exampleE2eId,
  reason: 'The payer does not recognize the transaction',
  deadline_at: '2026-11-28T15:00:00.000Z',
  created_at: exampleAtUtc,
  resolved_at: null,
} as const

export const disputes = {
  infractionList: {
    ...usual,
    method: 'GET',
    path: '/v2/account/infractions',
    title: 'List disputes',
    input: 'query',
    request: requests.infractionList,
    response: responses.infractionList,
    errors: [],
    tag: 'Disputes',
    about: 'Returns the PIX disputes (MED) of charges of the account, newest first.',
    examples: { open: { summary: 'Open disputes', value: { page: 1, page_size: 50, status: 'open' } } },
    answer: { items: [infraction], pagination: { page: 1, page_size: 50, total: 1, total_pages: 1 } },
  },
  infractionDetail: {
    ...usual,
    method: 'GET',
    path: '/v2/account/infractions/detail',
    title: 'Read a dispute',
    input: 'query',
    request: requests.infractionDetail,
    response: responses.infractionDetail,
    errors: ['MISSING_REQUIRED_FIELD', 'NOT_FOUND'],
    tag: 'Disputes',
    about: 'Returns one dispute with its replies.',
    examples: { detail: { summary: 'One dispute', value: { id: exampleInfractionId } } },
    answer: {
      ...infraction,
      status: 'responded',
      replies: [{ reply_id: 1, message: 'The goods were delivered.', files: [file], created_at: exampleAtUtc }],
    },
  },
  infractionReply: {
    ...usual,
    path: '/v2/account/infractions/reply',
    title: 'Reply to a dispute',
    input: 'multipart',
    request: requests.infractionReply,
    response: responses.infractionReply,
    operation: 'dispute_reply',
    errors: ['MISSING_REQUIRED_FIELD', 'NOT_FOUND', 'INVALID_TRANSITION'],
    tag: 'Disputes',
    about: `Registers the reply of the merchant, with evidence. Only one reply is accepted, within ${formatDays(disputeWindowMs)} after the dispute was opened.`,
    examples: {
      reply: {
        summary: 'A reply',
        value: {
          id: exampleInfractionId,
          message: 'The goods were delivered on 19 November; the receipt is attached.',
        },
      },
    },
    answer: {
      infraction_id: exampleInfractionId,
      transaction_id: exampleChargeId,
      reply_id: 1,
      status: 'responded',
      files: [file],
      responded_at: exampleAtUtc,
    },
  },
} as const satisfies Rows
