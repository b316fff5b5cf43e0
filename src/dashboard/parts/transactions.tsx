/** The rows of transactions, and their cells that other tables share. */
import type { Transaction } from '../../client/types/control.js'
import { kindName } from '../format.js'
import { t } from '../language.js'
import { link } from '../store/route.js'
import { Icon } from './forms/controls.js'
import { OnCard, OnMedium, RowLink, ShortId, type TableSpec } from './table.js'
import { Money, None, Optional, Pill, TimeOfDay, WrappedText } from './text.js'

/** The other party, if known. */
function counterpartyOf(row: Transaction): string | null {
  if (row.type === 'transfer') return row.direction === 'received' ? row.from_user : row.to_user
  if (row.type === 'conversion') return null
  // The wallet of a deposit is the merchant's own.
  return row.type === 'cashin' ? (row.payer?.name ?? null) : (row.receiver?.name ?? row.wallet ?? null)
}

/** The kind of a transaction: a transfer with its direction, and a charge that no call created by its own name. */
export function titleOf(row: Transaction): string {
  return row.type === 'transfer' ? t(`Internal transfer ${row.direction}`) : kindName(row.type, row.source)
}

/** Why a withdrawal failed. */
const reasonOf = (row: Transaction) =>
  row.type === 'cashout' && row.error_message !== null ? t(row.error_message) : null

/** What was refunded, if that is a part of the amount. */
const refundedPart = (row: Transaction) =>
  (row.type === 'cashin' || row.type === 'cashout') && row.amount_refunded !== row.amount
    ? row.amount_refunded
    : undefined

/** The amount; for a conversion both amounts; what was paid or came back of it, if that is a part. */
export const Amounts = ({ row }: { row: Transaction }) => {
  const refunded = refundedPart(row)
  const whole = row.type === 'cashin' && refunded === undefined ? row.amount_requested : undefined
  const isOverpaid = Number(row.amount) > Number(whole)
  return (
    <>
      <Money amount={row.amount} currency={row.currency} />
      {row.type === 'conversion' ? (
        <span class="converted">
          {' '}
          <Icon name="call" /> <Money amount={row.amount_to} currency={row.currency_to} />
        </span>
      ) : null}
      {whole === undefined ? null : (
        <span class="converted">
          {isOverpaid ? ' instead of ' : ' of '}
          <Money amount={whole} currency={row.currency} />
          {isOverpaid ? '' : ' paid'}
        </span>
      )}
      {refunded === undefined ? null : (
        <span class="converted">
          {' '}
          <Money amount={refunded} currency={row.currency} /> refunded
        </span>
      )}
    </>
  )
}

/** Characters of a reference that fit beside the kind of a transaction on a phone. */
const longestReference = 24

/** Your reference, else the id; of a long one its beginning and its end. */
export const Reference = ({ row }: { row: { external_id: string | null; transaction_id: string | null } }) =>
  row.external_id !== null && row.external_id.length > longestReference && /^[!-~]+$/.test(row.external_id) ? (
    <ShortId id={row.external_id} />
  ) : row.external_id !== null ? (
    <WrappedText clamp>{row.external_id}</WrappedText>
  ) : row.transaction_id === null ? (
    <None />
  ) : (
    <ShortId id={row.transaction_id} noun="the transaction id" />
  )

export const transactionTable: TableSpec<Transaction> = {
  label: 'Transactions',
  keyOf: (row) => row.transaction_id,
  at: (row) => row.created_at,
  columns: [
    {
      ...{ name: 'Amount', alignEnd: true, card: 'title' },
      cell: (row) => (
        <RowLink href={link('transactions', row.transaction_id)} id={row.transaction_id}>
          <Amounts row={row} />
        </RowLink>
      ),
    },
    {
      ...{ name: 'Status', card: 'badge' },
      cell: (row) => <Pill status={row.status} of={row.type} source={row.source} />,
    },
    {
      ...{ name: 'Type' },
      cell: (row) => (
        <>
          {titleOf(row)} <OnMedium>{row.account}</OnMedium>
        </>
      ),
    },
    {
      ...{ name: 'Counterparty', card: 'sub' },
      cell: (row) => (
        <>
          <OnCard>{titleOf(row)}</OnCard>{' '}
          <OnCard>
            <Reference row={row} />
          </OnCard>{' '}
          {reasonOf(row) === null ? (
            <Optional text={counterpartyOf(row)} />
          ) : (
            <>
              <span class="off-card">
                <Optional text={counterpartyOf(row)} />
              </span>{' '}
              <span class="second">
                <Optional text={reasonOf(row)} />
              </span>
            </>
          )}
        </>
      ),
    },
    { name: 'Reference', spare: 'small', cell: (row) => <Reference row={row} /> },
    { name: 'Account', spare: 'medium', cell: (row) => row.account },
    { name: 'Time', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.created_at} /> },
  ],
}
