/** The request log: the calls of the integrator, newest first. */
import type { LoggedCall } from '../../client/types/control.js'
import { statusName } from '../format.js'
import { t } from '../language.js'
import { chargeCurl, NextStep } from '../parts/first-charge.js'
import { listView } from '../parts/list-view.js'
import { OnCard, OnMedium, RowLink } from '../parts/table.js'
import { Duration, Fault, HttpStatus, None, Pill, TimeOfDay, WrappedText } from '../parts/text.js'
import { link } from '../store/route.js'
import { RequestPreview } from './request.js'

const Warnings = ({ row: { warnings } }: { row: Pick<LoggedCall, 'warnings'> }) =>
  warnings.length === 0 ? (
    <None />
  ) : (
    <span title={warnings.map(({ message }) => message).join(' ')}>
      <Pill status={warnings.length === 1 ? '1 warning' : t`${warnings.length} warnings`} tone="warning" />
    </span>
  )

export const RequestsView = listView({
  source: 'GET /requests',
  title: 'Request log',
  noMatch: 'No request matches',
  watch: ['request', 'workspace'],
  filters: [
    {
      ...{ name: 'warnings', label: 'Warnings', choices: ['true', 'false'], chips: true },
      words: (choice) =>
        choice === 'true' ? 'With warnings' : choice === 'false' ? 'Without warnings' : statusName(choice, 'Requests'),
    },
    { name: 'status', label: 'HTTP status' },
    { name: 'error_code', label: 'Error code' },
    { name: 'method', label: 'Method', choices: ['GET', 'POST'] },
    { name: 'path', label: 'Path' },
    { name: 'account', label: 'Account' },
  ],
  table: {
    label: 'Requests',
    keyOf: (row) => row.request_id,
    at: (row) => row.at,
    columns: [
      { name: 'Status', card: 'badge', cell: (row) => <HttpStatus of={row} /> },
      {
        ...{ name: 'Request', card: 'title' },
        cell: (row) => (
          <RowLink href={link('requests', row.request_id)} id={row.request_id}>
            <span class="wide-text">
              <WrappedText clamp>{`${row.method} ${row.path}`}</WrappedText>
            </span>
            <OnMedium>
              {row.account} {row.warnings.length === 0 ? null : <Warnings row={row} />}
            </OnMedium>
          </RowLink>
        ),
      },
      {
        ...{ name: 'Error', card: 'sub' },
        cell: (row) => (
          <>
            {row.account === null ? null : <OnCard>{row.account}</OnCard>}{' '}
            {row.error_code === null ? <None /> : <code>{row.error_code}</code>}{' '}
            <OnCard>
              <Fault of={row} />
            </OnCard>
            <OnMedium>
              <Fault of={row} />
            </OnMedium>
            {row.warnings.length === 0 ? null : (
              <OnCard>
                <Warnings row={row} />
              </OnCard>
            )}
          </>
        ),
      },
      { name: 'Warnings', spare: 'medium', cell: (row) => <Warnings row={row} /> },
      { name: 'Account', spare: 'medium', cell: (row) => row.account ?? <None /> },
      { name: 'Fault', spare: 'medium', cell: (row) => <Fault of={row} or={<None />} /> },
      { name: 'Duration', alignEnd: true, spare: 'small', cell: (row) => <Duration ms={row.duration_ms} /> },
      { name: 'Time', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.at} /> },
    ],
  },
  preview: RequestPreview,
  empty: () => (
    <NextStep title="No request yet" curl={(credential) => chargeCurl(credential)}>
      The requests of your app to the platform API appear on this page. This command sends two: one gets a token, and
      one creates a charge.
    </NextStep>
  ),
})
