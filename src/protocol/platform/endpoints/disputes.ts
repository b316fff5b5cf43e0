/** Endpoints of PIX disputes (MED), called infractions in paths. */

import { exampleAtUtc, exampleChargeId, exampleE2eId, exampleInfractionId } from '../emulated-interface.js'
import { disputeWindowMs, formatDays } from '../limits.js'
import * as requests from '../requests.js'
import * as responses from '../responses.js'
import { type Rows, usual } from './row.js'

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
