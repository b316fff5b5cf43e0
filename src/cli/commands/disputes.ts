/** `payments-sandbox disputes`: lists disputes, and shows one in full. */

import type { Command } from 'commander'
import { joinWords } from '../../base/text.js'
import type { Dispute, DisputeDetails } from '../../client/types/control.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import type { CommandUsages } from '../command.js'
import { defineList, jsonOutputsOfList, type ListCommand } from '../lists.js'
import { dim, paintState } from '../terminal/style.js'
import { type Column, shortTime } from '../terminal/table.js'
import { formatObject } from './transactions.js'

const columns: readonly Column<Dispute>[] = [
  { title: 'CREATED', of: (row) => row.created_at, short: shortTime, paint: (_value, text) => dim(text) },
  { title: 'ID', of: (row) => row.infraction_id },
  { title: 'STATUS', of: (row) => row.status, paint: paintState },
  { title: 'AMOUNT', of: (row) => row.amount, align: 'right' },
  { title: 'CURRENCY', of: (row) => row.currency },
  { title: 'TRANSACTION', of: (row) => row.transaction_id },
  { title: 'DEADLINE', of: (row) => row.deadline_at },
  { title: 'ACCOUNT', of: (row) => row.account },
]

const list: ListCommand<Dispute, DisputeDetails> = {
  path: '/_sandbox/disputes',
  columns,
  empty: 'no disputes; payments-sandbox trigger dispute.open opens a dispute about the newest paid PIX charge',
  filters: {
    status: `filter by status: ${joinWords(statusesOf('dispute'), 'or')}`,
    transaction_id: 'filter by charge',
    account: 'filter by account',
  },
  matchesChange: (change) => change.type === 'dispute',
  idOf: (row) => row.infraction_id,
  format: formatObject,
}

export const usages: CommandUsages = {
  disputes: {
    jsonOutputs: jsonOutputsOfList('listDisputes', 'readDispute'),
    examples: { 'payments-sandbox disputes --status open': 'list disputes that await a reply' },
  },
}

export const define = (command: Command) => defineList(command, list)
