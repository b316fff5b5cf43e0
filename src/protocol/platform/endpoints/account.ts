/** Endpoints about the account itself. */
import { exampleAt, exampleAtUtc } from '../emulated-interface.js'
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
