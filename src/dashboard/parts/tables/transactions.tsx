/** Transactions as rows: on the overview and in their own view. */
import type { Transaction } from '../../../client/types/control.js'
import { kindName } from '../../format.js'
import { link } from '../../store/route.js'
import { Icon } from '../icon.js'
import { Moment, Money, None, Pill, Said } from '../text.js'
import { type Column, Table } from './table.js'

/** Who is on the other side, as far as it is known. */
function other(row: Transaction): string | null {
  if (row.type === 'transfer') return row.direction === 'received' ? row.from_user : row.to_user
  if (row.type === 'conversion') return null
  const person = row.type === 'cashin' ? row.payer : row.receiver
  return person?.name ?? row.wallet ?? null
}

/** What it is, and for a transfer which way it went. */
export const titleOf = (row: Transaction): string =>
  row.type === 'transfer' ? `Transfer ${row.direction}` : kindName(row.type)

/** Of a conversion both. */
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

const columns: readonly Column<Transaction>[] = [
  {
    name: 'Transaction',
    cell: (row) => (
      <a class="row-link" href={link('transactions', row.transaction_id)}>
        <strong>{titleOf(row)}</strong>
        <code class="faint">{row.transaction_id}</code>
      </a>
    ),
  },
  { name: 'Status', badge: true, cell: (row) => <Pill status={row.status} /> },
  { name: 'Amount', end: true, cell: (row) => <Amounts row={row} /> },
  { name: 'Counterparty', spare: 'small', cell: (row) => <Optional text={other(row)} /> },
  { name: 'external_id', cell: (row) => <Optional text={row.external_id} /> },
  { name: 'Account', spare: 'medium', cell: (row) => row.account },
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
