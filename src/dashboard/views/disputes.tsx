/** The list of disputes, with their deadlines on the sandbox's clock. */
import { statusesOf } from '../../protocol/platform/transitions.js'
import { controlCurl } from '../curl.js'
import { sentence, statusName } from '../format.js'
import { Empty } from '../parts/layout.js'
import { listView } from '../parts/list-view.js'
import { RowLink } from '../parts/table.js'
import { Countdown, DisputePill, Money, None, Optional, TimeOfDay } from '../parts/text.js'
import { Reference } from '../parts/transactions.js'
import { link } from '../store/route.js'
import { DisputePreview } from './dispute.js'

export const DisputesView = listView({
  source: 'GET /disputes',
  title: 'Disputes',
  noMatch: 'No dispute matches',
  watch: ['dispute', 'workspace'],
  counted: ['dispute'],
  filters: [
    {
      ...{ name: 'status', label: 'Status', choices: statusesOf('dispute'), chips: true },
      words: (status) => statusName(status, 'Disputes'),
    },
    { name: 'account', label: 'Account' },
  ],
  table: {
    label: 'Disputes',
    keyOf: (row) => row.infraction_id,
    at: (row) => row.created_at,
    columns: [
      {
        ...{ name: 'Amount', alignEnd: true, card: 'title' },
        cell: (row) => (
          <RowLink href={link('disputes', row.infraction_id)} id={row.infraction_id}>
            <Money amount={row.amount} currency={row.currency} />
          </RowLink>
        ),
      },
      { name: 'Status', card: 'badge', cell: (row) => <DisputePill status={row.status} /> },
      { name: 'Type', spare: 'medium', cell: (row) => sentence(row.type.toLowerCase()) },
      { name: 'Reason', spare: 'small', card: 'line', cell: (row) => <Optional text={row.reason} /> },
      {
        ...{ name: 'Charge', card: 'sub' },
        cell: (row) => (
          <>
            <span>
              <Reference row={row} />
            </span>{' '}
            {row.payer?.name == null ? null : (
              <span class="second">
                <Optional text={row.payer.name} />
              </span>
            )}{' '}
            {row.status === 'open' ? (
              <span class="on-card on-medium">
                <Countdown iso={row.deadline_at} over="No time left to reply" left=" left to reply" />
              </span>
            ) : null}
          </>
        ),
      },
      {
        ...{ name: 'Time left to reply', alignEnd: true, spare: 'medium' },
        cell: (row) => (row.status === 'open' ? <Countdown iso={row.deadline_at} over="passed" /> : <None />),
      },
      { name: 'Opened', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.created_at} /> },
    ],
  },
  preview: DisputePreview,
  empty: () => (
    <Empty title="No dispute yet" curl={controlCurl('POST', '/trigger', { action: 'dispute.open', create: true })}>
      A payer can dispute a paid PIX charge. <a href={link('new', 'charge')}>Create a charge</a>, pay it, and open the
      dispute from its page. Or run this command: it creates and pays a charge, and opens a dispute of it.
    </Empty>
  ),
})
