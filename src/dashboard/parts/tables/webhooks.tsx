/** Webhooks as rows. */
import type { WebhookSummary } from '../../../client/types/control.js'
import { link } from '../../store/route.js'
import { Countdown, Moment, Money, None, Pill, Said } from '../text.js'
import { type Column, Table } from './table.js'

/** An event of a dispute names the dispute in its body, and the charge as what it is about. */
export const subjectLink = (event: string, id: string): string => {
  if (event.startsWith('wallet.')) return link('wallets', id)
  return link(event.startsWith('chargeback.') && !id.startsWith('tx_') ? 'disputes' : 'transactions', id)
}

/** How often it was tried is told where it was more than once. */
const Delivery = ({ row: { status, attempts, next_attempt_at } }: { row: WebhookSummary }) => (
  <span class="stacked">
    <Pill status={status} />
    {attempts < 2 && next_attempt_at === null ? null : (
      <span class="faint small">
        {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
        {next_attempt_at === null ? null : (
          <>
            , next in <Countdown iso={next_attempt_at} over="a moment" />
          </>
        )}
      </span>
    )}
  </span>
)

const columns: readonly Column<WebhookSummary>[] = [
  {
    name: 'Event',
    cell: (row) => (
      <a class="row-link" href={link('webhooks', row.id)}>
        <strong>{row.event}</strong>
        <code class="faint">{row.id}</code>
      </a>
    ),
  },
  { name: 'Status', badge: true, cell: (row) => <Delivery row={row} /> },
  {
    name: 'About',
    cell: (row) => (
      <a class="row-link" href={subjectLink(row.event, row.subject_id)}>
        {row.external_id === null ? null : <Said clamp>{row.external_id}</Said>}
        <code class={row.external_id === null ? '' : 'faint'}>
          <Said clamp>{row.subject_id}</Said>
        </code>
      </a>
    ),
  },
  {
    name: 'Amount',
    end: true,
    cell: (row) =>
      row.amount === null || row.currency === null ? <None /> : <Money amount={row.amount} currency={row.currency} />,
  },
  {
    name: 'To',
    spare: 'medium',
    cell: (row) => (row.url === null ? <span class="faint">no address set</span> : <Said clamp>{row.url}</Said>),
  },
  { name: 'Created', end: true, cell: (row) => <Moment iso={row.created_at} /> },
]

const brief = columns.filter(({ name }) => name !== 'To')

export const WebhookTable = ({ rows, short }: { rows: readonly WebhookSummary[]; short?: boolean }) => (
  <Table label="Webhooks" columns={short === true ? brief : columns} rows={rows} keyOf={(row) => row.id} />
)
