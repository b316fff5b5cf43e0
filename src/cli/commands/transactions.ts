/** `payments-sandbox transactions` and `disputes`: list them, and show one with its history, events and postings. */
import { joinWords } from '../../base/text.js'
import type {
  Dispute,
  DisputeDetails,
  HistoryEntry,
  Posting,
  Transaction,
  TransactionDetails,
  WalletDetails,
  WebhookSummary,
} from '../../client/types/control.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import type { CommandFile, Sandbox } from '../command.js'
import { defineList, jsonOutputsOfList, type ListCommand } from '../lists.js'
import {
  bold,
  type Column,
  dim,
  formatFields,
  paintState,
  replaceControls,
  shortTime,
  table,
} from '../terminal/style.js'

const columns: readonly Column<Transaction>[] = [
  { title: 'CREATED', of: (row) => row.created_at, short: shortTime, paint: (_value, text) => dim(text) },
  { title: 'TYPE', of: (row) => row.type },
  { title: 'STATUS', of: (row) => row.status, paint: paintState },
  { title: 'AMOUNT', of: (row) => row.amount, align: 'right' },
  { title: 'CURRENCY', of: (row) => row.currency },
  { title: 'ID', of: (row) => row.transaction_id },
  { title: 'EXTERNAL ID', of: (row) => row.external_id },
  { title: 'ACCOUNT', of: (row) => row.account },
]

/** Finds a transaction, dispute or wallet by its id, so that one command serves all of them. */
async function find(sandbox: Sandbox, id: string): Promise<ObjectDetails> {
  const params = { id }
  try {
    return await sandbox.call('GET /transactions/{id}', { params })
  } catch (error) {
    for (const route of ['GET /disputes/{id}', 'GET /wallets/{id}'] as const) {
      const found = await sandbox.call(route, { params }).catch(() => undefined)
      if (found !== undefined) return found
    }
    throw error
  }
}

type ObjectDetails = TransactionDetails | DisputeDetails | WalletDetails

const list: ListCommand<Transaction, ObjectDetails> = {
  path: '/_sandbox/transactions',
  columns,
  empty: 'no transactions yet',
  filters: {
    type: `filter by type: ${joinWords(operations, 'or')}`,
    status: `filter by status: ${joinWords(statusesOf(...operations), 'or')}`,
    external_id: 'filter by your own identifier',
    account: 'filter by account',
    currency: 'filter by currency',
  },
  matchesChange: (change) => change.type === 'transaction',
  idOf: (row) => row.transaction_id,
  find,
  format: formatObject,
}

export const transactions: CommandFile = {
  usages: {
    transactions: {
      jsonOutputs: jsonOutputsOfList('listTransactions', 'readTransaction'),
      examples: {
        'payments-sandbox transactions --type cashin --status pending': 'list the newest unpaid charges',
        'payments-sandbox transactions tx_0000001w6e31d7kfxvrm':
          'show one transaction with its history, events and postings',
        'payments-sandbox transactions --follow': 'print each new or changed transaction',
      },
    },
  },
  define: (command) => defineList(command, list),
}

const separateFields = ['history', 'events', 'ledger', 'allowed', 'due']
const inWords = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'object' ? JSON.stringify(value) : String(value)

function formatObject(thing: ObjectDetails): string {
  const mainFields = Object.entries(thing).filter(([key]) => !separateFields.includes(key))
  const history: readonly Column<HistoryEntry>[] = [
    { title: 'AT', of: (row) => row.at, paint: (_value, text) => dim(text) },
    { title: 'ACTION', of: (row) => row.action },
    { title: 'FROM', of: (row) => row.from },
    { title: 'TO', of: (row) => row.to, paint: paintState },
  ]
  const events: readonly Column<WebhookSummary>[] = [
    { title: 'EVENT', of: (row) => row.event },
    { title: 'ID', of: (row) => row.id },
    { title: 'DELIVERY', of: (row) => row.status, paint: paintState },
    { title: 'ATTEMPTS', of: (row) => row.attempts, align: 'right' },
  ]
  const ledger: readonly Column<Posting>[] = [
    { title: 'ENTRY', of: (row) => row.entry, align: 'right' },
    { title: 'ACCOUNT', of: (row) => row.account },
    { title: 'BUCKET', of: (row) => row.bucket },
    { title: 'AMOUNT', of: (row) => row.amount, align: 'right' },
    { title: 'CURRENCY', of: (row) => row.currency },
    { title: 'MEMO', of: (row) => row.memo },
  ]
  return [
    formatFields(mainFields.map(([key, value]) => [key, inWords(value)])),
    `\n${bold('History')}\n${table(history, thing.history, 'none')}`,
    `\n${bold('Events')}\n${table(events, thing.events, 'none')}`,
    `\n${bold('Ledger')}\n${table(ledger, thing.ledger, 'no postings')}`,
    thing.due.map(({ job, at }) => `\n${dim('scheduled:')} ${job} at ${at}`).join(''),
    `\n${dim('possible now:')} ${replaceControls(thing.allowed.join(', ')) || 'nothing, this status is final'}\n`,
  ].join('')
}

const disputeColumns: readonly Column<Dispute>[] = [
  { title: 'CREATED', of: (row) => row.created_at, short: shortTime, paint: (_value, text) => dim(text) },
  { title: 'ID', of: (row) => row.infraction_id },
  { title: 'STATUS', of: (row) => row.status, paint: paintState },
  { title: 'AMOUNT', of: (row) => row.amount, align: 'right' },
  { title: 'CURRENCY', of: (row) => row.currency },
  { title: 'TRANSACTION', of: (row) => row.transaction_id },
  { title: 'DEADLINE', of: (row) => row.deadline_at },
  { title: 'ACCOUNT', of: (row) => row.account },
]

const disputeList: ListCommand<Dispute, DisputeDetails> = {
  path: '/_sandbox/disputes',
  columns: disputeColumns,
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

export const disputes: CommandFile = {
  usages: {
    disputes: {
      jsonOutputs: jsonOutputsOfList('listDisputes', 'readDispute'),
      examples: { 'payments-sandbox disputes --status open': 'list disputes that await a reply' },
    },
  },
  define: (command) => defineList(command, disputeList),
}
