/** The list of transactions. */
import { currencyNames } from '../../protocol/platform/currencies.js'
import { labelOf } from '../../protocol/platform/fields.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { kindName, statusName } from '../format.js'
import { FirstCharge, NewButtons } from '../parts/first-charge.js'
import { listView } from '../parts/list-view.js'
import { transactionTable } from '../parts/transactions.js'
import { TransactionPreview } from './transaction.js'

export const TransactionsView = listView({
  source: 'GET /transactions',
  title: 'Transactions',
  noMatch: 'No transaction matches',
  watch: ['transaction', 'workspace'],
  counted: operations,
  filters: [
    {
      ...{ name: 'status', label: 'Status', choices: statusesOf(...operations), chips: true },
      // The API has no confirmed conversions.
      words: (status) => (status === 'completed' ? 'Completed conversions' : statusName(status, 'Transactions')),
    },
    { name: 'type', label: 'Type', choices: operations, words: kindName },
    { name: 'currency', label: 'Currency', choices: currencyNames },
    { name: 'external_id', label: labelOf('external_id') },
    { name: 'account', label: 'Account' },
  ],
  table: transactionTable,
  preview: TransactionPreview,
  empty: () => <FirstCharge title="No transaction yet" />,
  tools: <NewButtons kinds={['charge', 'withdrawal', 'transfer', 'conversion']} />,
})
