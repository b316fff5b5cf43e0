/** The list of transactions, and the cells that other views share with it. */
import type { Transaction } from '../../client/types/control.js'
import { currencyNames } from '../../protocol/platform/currencies.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { kindName } from '../format.js'
import { FirstCharge, NewButtons } from '../parts/first-charge.js'
import { Icon } from '../parts/icon.js'
import { listView } from '../parts/list-view.js'
import { RowLink, type TableSpec } from '../parts/table.js'
import { Moment, Money, Optional, Pill } from '../parts/text.js'
import { link } from '../store/route.js'

/** The other party, if known. */
function counterpartyOf(row: Transaction): string | null {
  if (row.type === 'transfer') return row.direction === 'received' ? row.from_user : row.to_user
  if (row.type === 'conversion') return null
  const person = row.type === 'cashin' ? row.payer : row.receiver
  return person?.name ?? row.wallet ?? null
}

/** The kind of a transaction; for an internal transfer with its direction. */
export const titleOf = (row: Transaction): string =>
  row.type === 'transfer' ? `${kindName(row.type)} ${row.direction}` : kindName(row.type)

/** The amount; for a conversion both amounts. */
export const Amounts = ({ row }: { row: Transaction }) => (
  <>
    <Money amount={row.amount} currency={row.currency} />
    {row.type === 'conversion' ? (
      <span class="converted">
        {' '}
        <Icon name="call" /> <Money amount={row.amount_to} currency={row.currency_to} />
      </span>
    ) : null}
  </>
)

const table: TableSpec<Transaction> = {
  label: 'Transactions',
  keyOf: (row) => row.transaction_id,
  columns: [
    {
      name: 'Transaction',
      cell: (row) => (
        <RowLink href={link('transactions', row.transaction_id)} name={titleOf(row)} id={row.transaction_id} />
      ),
    },
    { name: 'Status', badge: true, cell: (row) => <Pill status={row.status} /> },
    { name: 'Amount', alignEnd: true, cell: (row) => <Amounts row={row} /> },
    { name: 'Counterparty', spare: 'small', cell: (row) => <Optional text={counterpartyOf(row)} /> },
    { name: 'external_id', cell: (row) => <Optional text={row.external_id} /> },
    { name: 'Account', spare: 'medium', cell: (row) => row.account },
    { name: 'Created', alignEnd: true, cell: (row) => <Moment iso={row.created_at} /> },
  ],
}

/** For panels that are narrower than a view. */
export const briefTransactions: TableSpec<Transaction> = {
  ...table,
  columns: table.columns.filter(({ name }) => name !== 'external_id' && name !== 'Account'),
}

export const TransactionsView = listView({
  source: 'GET /transactions',
  title: 'Transactions',
  noun: 'transaction',
  watch: ['transaction', 'workspace'],
  filters: [
    { name: 'type', label: 'Type', choices: operations },
    { name: 'status', label: 'Status', choices: statusesOf(...operations) },
    { name: 'currency', label: 'Currency', choices: currencyNames },
    { name: 'external_id', label: 'external_id' },
    { name: 'account', label: 'Account' },
  ],
  table,
  empty: () => <FirstCharge title="No transaction yet" />,
  tools: <NewButtons kinds={['charge', 'withdrawal', 'transfer', 'conversion']} />,
})
