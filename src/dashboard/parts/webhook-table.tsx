/** Webhooks as rows. */
import type { WebhookSummary } from '../../client/types/control.js'
import { link } from '../store/route.js'
import { type Column, Table } from './table.js'
import { Countdown, Moment, Money, None, Pill, Said } from './text.js'

/** An event of a dispute names the dispute in its body, and the charge as what it is about. */
export const subjectLink = (event: string, id: string): string => {
  if (event.startsWith('wallet.')) return link('wallets', id)
  return link(event.startsWith('chargeback.') && !id.startsWith('tx_') ? 'disputes' : 'transactions', id)
}

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
  { name: 'Status', badge: true, cell: (row) => <Pill status={row.status} /> },
  { name: 'Attempts', end: true, cell: (row) => <span class="num">{row.attempts}</span> },
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
    name: 'Next attempt',
    cell: (row) => (row.next_attempt_at === null ? <None /> : <Countdown iso={row.next_attempt_at} over="now" />),
  },
  {
    name: 'To',
    cell: (row) => (row.url === null ? <span class="faint">no address set</span> : <Said clamp>{row.url}</Said>),
  },
  { name: 'Created', end: true, cell: (row) => <Moment iso={row.created_at} /> },
]

const brief = columns.filter(({ name }) => name !== 'To' && name !== 'Next attempt' && name !== 'Attempts')

export const WebhookTable = ({ rows, short }: { rows: readonly WebhookSummary[]; short?: boolean }) => (
  <Table label="Webhooks" columns={short === true ? brief : columns} rows={rows} keyOf={(row) => row.id} />
)
