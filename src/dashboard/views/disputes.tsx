/** The list of disputes, with their deadlines on the sandbox's clock. */
import { statusesOf } from '../../protocol/platform/transitions.js'
import { controlCurl } from '../curl.js'
import { Empty } from '../parts/layout.js'
import { listView } from '../parts/list-view.js'
import { RowLink } from '../parts/table.js'
import { Countdown, DisputePill, Moment, Money, None, WrappedText } from '../parts/text.js'
import { link } from '../store/route.js'

export const DisputesView = listView({
  source: 'GET /disputes',
  title: 'Disputes',
  noun: 'dispute',
  watch: ['dispute', 'workspace'],
  filters: [
    { name: 'status', label: 'Status', choices: statusesOf('dispute') },
    { name: 'account', label: 'Account' },
  ],
  table: {
    label: 'Disputes',
    keyOf: (row) => row.infraction_id,
    columns: [
      {
        name: 'Dispute',
        cell: (row) => <RowLink href={link('disputes', row.infraction_id)} name={row.type} id={row.infraction_id} />,
      },
      { name: 'Status', badge: true, cell: (row) => <DisputePill status={row.status} /> },
      { name: 'Amount', alignEnd: true, cell: (row) => <Money amount={row.amount} currency={row.currency} /> },
      { name: 'Reason', cell: (row) => <WrappedText clamp>{row.reason ?? '–'}</WrappedText> },
      {
        name: 'Time left to reply',
        alignEnd: true,
        cell: (row) => (row.status === 'open' ? <Countdown iso={row.deadline_at} over="passed" /> : <None />),
      },
      { name: 'Opened', alignEnd: true, cell: (row) => <Moment iso={row.created_at} /> },
    ],
  },
  empty: () => (
    <Empty title="No dispute yet" curl={controlCurl('POST', '/trigger', { action: 'dispute.open' })}>
      A payer can dispute a confirmed PIX charge: open one from the charge, or with this command, which uses the newest
      one.
    </Empty>
  ),
})
