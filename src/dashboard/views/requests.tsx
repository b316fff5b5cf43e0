/** The calls of the integrator, newest first. */
import type { LoggedCall } from '../../client/types/control.js'
import { FirstCharge } from '../parts/first-charge.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, Filters, isFiltered, Pager, Table } from '../parts/tables/table.js'
import { HttpStatus, Moment, None, Pill, Said, Took } from '../parts/text.js'
import { type Filter, useList } from '../store/list.js'
import { link, type Route } from '../store/route.js'

const warned = (count: number) => (count === 1 ? '1 warning' : `${count} warnings`)

const columns: readonly Column<LoggedCall>[] = [
  {
    name: 'Call',
    cell: (row) => (
      <a class="row-link" href={link('journal', row.request_id)}>
        <strong>
          <Said clamp>{`${row.method} ${row.path}`}</Said>
        </strong>
        <code class="faint">{row.request_id}</code>
      </a>
    ),
  },
  { name: 'Answer', badge: true, cell: (row) => <HttpStatus status={row.status} /> },
  {
    name: 'Error',
    cell: (row) => (row.error_code === null ? <None /> : <code>{row.error_code}</code>),
  },
  {
    name: 'Warnings',
    cell: (row) =>
      row.warnings.length === 0 ? (
        <None />
      ) : (
        <span title={row.warnings.map(({ message }) => message).join(' ')}>
          <Pill status={warned(row.warnings.length)} tone="wait" />
        </span>
      ),
  },
  { name: 'Account', cell: (row) => row.account ?? <None /> },
  { name: 'Took', end: true, cell: (row) => <Took ms={row.duration_ms} /> },
  { name: 'At', end: true, cell: (row) => <Moment iso={row.at} /> },
]

const filters: readonly Filter<'GET /requests'>[] = [
  { name: 'status', label: 'HTTP status' },
  { name: 'error_code', label: 'Error code' },
  { name: 'method', label: 'Method', choices: ['GET', 'POST'] },
  { name: 'path', label: 'Path' },
  { name: 'account', label: 'Account' },
  { name: 'warnings', label: 'Warnings', choices: ['true', 'false'] },
]

export const JournalView = ({ route }: { route: Route }) => {
  const page = useList('GET /requests', route, filters, ['request', 'workspace'])
  return (
    <>
      <Head title="Journal" />
      <Filters route={route} filters={filters} />
      <Panel flush>
        <Loaded of={page}>
          {({ data, next }) =>
            data.length === 0 ? (
              isFiltered(route) ? (
                <Empty title="No call matches">Choose other filters.</Empty>
              ) : (
                <FirstCharge title="No call of the API yet" />
              )
            ) : (
              <>
                <Table label="Calls" columns={columns} rows={data} keyOf={(row) => row.request_id} />
                <Pager route={route} next={next} count={data.length} />
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
