/** Transactions as rows: on the overview and in their own view. */
import type { Transaction } from '../../protocol/control/objects.js'
import { kindName } from '../format.js'
import { link } from '../store/route.js'
import { type Column, Table } from './table.js'
import { Moment, Money, None, Pill, Said } from './text.js'

/** Who is on the other side, as far as it is known. */
function other(row: Transaction): string | null {
  if (row.type === 'transfer') return row.direction === 'received' ? row.from_user : row.to_user
  if (row.type === 'conversion') return `to ${row.currency_to}`
  const person = row.type === 'cashin' ? row.payer : row.receiver
  return person?.name ?? row.wallet ?? null
}

const columns: readonly Column<Transaction>[] = [
  {
    name: 'Transaction',
    cell: (row) => (
      <a class="row-link" href={link('transactions', row.transaction_id)}>
        <strong>{kindName(row.type)}</strong>
        <code class="faint">{row.transaction_id}</code>
      </a>
    ),
  },
  { name: 'Status', badge: true, cell: (row) => <Pill status={row.status} /> },
  { name: 'Amount', end: true, cell: (row) => <Money amount={row.amount} currency={row.currency} /> },
  { name: 'Counterparty', cell: (row) => <Optional text={other(row)} /> },
  { name: 'external_id', cell: (row) => <Optional text={row.external_id} /> },
  { name: 'Account', cell: (row) => row.account },
  { name: 'Created', end: true, cell: (row) => <Moment iso={row.created_at} /> },
]

const Optional = ({ text }: { text: string | null }) => (text === null ? <None /> : <Said clamp>{text}</Said>)

const brief = columns.filter(({ name }) => name !== 'external_id' && name !== 'Account')

export const TransactionTable = ({ rows, short }: { rows: readonly Transaction[]; short?: boolean }) => (
  <Table
    label="Transactions"
    columns={short === true ? brief : columns}
    rows={rows}
    keyOf={(row) => row.transaction_id}
  />
)
