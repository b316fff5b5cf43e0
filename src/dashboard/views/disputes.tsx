/** Disputes, with their deadlines counting down on the sandbox's clock. */
import type { Dispute } from '../../client/types/control.js'
import { controlCurl } from '../curl.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, Filters, isFiltered, Pager, Table } from '../parts/tables/table.js'
import { Countdown, DisputePill, Moment, Money, None, Said } from '../parts/text.js'
import { type Filter, useList } from '../store/list.js'
import { link, type Route } from '../store/route.js'

const columns: readonly Column<Dispute>[] = [
  {
    name: 'Dispute',
    cell: (row) => (
      <a class="row-link" href={link('disputes', row.infraction_id)}>
        <strong>{row.type}</strong>
        <code class="faint">{row.infraction_id}</code>
      </a>
    ),
  },
  { name: 'Status', badge: true, cell: (row) => <DisputePill status={row.status} /> },
  { name: 'Amount', end: true, cell: (row) => <Money amount={row.amount} currency={row.currency} /> },
  { name: 'Reason', cell: (row) => <Said clamp>{row.reason ?? '–'}</Said> },
  {
    name: 'Time to answer',
    end: true,
    cell: (row) => (row.status === 'open' ? <Countdown iso={row.deadline_at} over="passed" /> : <None />),
  },
  { name: 'Opened', end: true, cell: (row) => <Moment iso={row.created_at} /> },
]

const filters: readonly Filter<'GET /disputes'>[] = [
  { name: 'status', label: 'Status', choices: ['open', 'responded', 'confirmed', 'won', 'lost', 'canceled'] },
  { name: 'account', label: 'Account' },
]

export const DisputesView = ({ route }: { route: Route }) => {
  const page = useList('GET /disputes', route, filters, ['dispute', 'workspace'])
  return (
    <>
      <Head title="Disputes" />
      <Filters route={route} filters={filters} />
      <Panel flush>
        <Loaded of={page}>
          {({ data, next }) =>
            data.length === 0 ? (
              isFiltered(route) ? (
                <Empty title="No dispute matches">Choose other filters.</Empty>
              ) : (
                <Empty title="No dispute yet" curl={controlCurl('POST', '/trigger', { action: 'dispute.open' })}>
                  A payer can dispute a confirmed PIX charge: open one from the charge, or with this command, which
                  takes the newest one.
                </Empty>
              )
            ) : (
              <>
                <Table label="Disputes" columns={columns} rows={data} keyOf={(row) => row.infraction_id} />
                <Pager route={route} next={next} count={data.length} />
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
