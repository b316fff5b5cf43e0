/** The request log: the calls of the integrator, newest first. */
import { FirstCharge } from '../parts/first-charge.js'
import { listView } from '../parts/list-view.js'
import { RowLink } from '../parts/table.js'
import { Duration, HttpStatus, Moment, None, Pill, WrappedText } from '../parts/text.js'
import { link } from '../store/route.js'

const warned = (count: number) => (count === 1 ? '1 warning' : `${count} warnings`)

export const RequestsView = listView({
  source: 'GET /requests',
  title: 'Request log',
  noun: 'request',
  watch: ['request', 'workspace'],
  filters: [
    { name: 'status', label: 'HTTP status' },
    { name: 'error_code', label: 'Error code' },
    { name: 'method', label: 'Method', choices: ['GET', 'POST'] },
    { name: 'path', label: 'Path' },
    { name: 'account', label: 'Account' },
    { name: 'warnings', label: 'Warnings', choices: ['true', 'false'] },
  ],
  table: {
    label: 'Requests',
    keyOf: (row) => row.request_id,
    columns: [
      {
        name: 'Request',
        cell: (row) => (
          <RowLink
            href={link('requests', row.request_id)}
            name={<WrappedText clamp>{`${row.method} ${row.path}`}</WrappedText>}
            id={row.request_id}
          />
        ),
      },
      { name: 'Response', badge: true, cell: (row) => <HttpStatus status={row.status} /> },
      { name: 'Error', cell: (row) => (row.error_code === null ? <None /> : <code>{row.error_code}</code>) },
      {
        name: 'Warnings',
        cell: ({ warnings }) =>
          warnings.length === 0 ? (
            <None />
          ) : (
            <span title={warnings.map(({ message }) => message).join(' ')}>
              <Pill status={warned(warnings.length)} tone="warning" />
            </span>
          ),
      },
      { name: 'Account', cell: (row) => row.account ?? <None /> },
      { name: 'Took', alignEnd: true, cell: (row) => <Duration ms={row.duration_ms} /> },
      { name: 'At', alignEnd: true, cell: (row) => <Moment iso={row.at} /> },
    ],
  },
  empty: () => <FirstCharge title="No request yet" />,
})
