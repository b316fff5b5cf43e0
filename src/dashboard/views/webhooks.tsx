/** The list of events with the state of their delivery. */
import type { WebhookSummary } from '../../client/types/control.js'
import { type TransitionRow, transitions } from '../../protocol/platform/transitions.js'
import { baseUrl } from '../api.js'
import { controlCurl } from '../curl.js'
import { NextStep } from '../parts/first-charge.js'
import { listView } from '../parts/list-view.js'
import { RowLink, type TableSpec } from '../parts/table.js'
import { Countdown, Moment, Money, None, Pill, WrappedText } from '../parts/text.js'
import { link, subjectLink } from '../store/route.js'

/** The number of attempts is shown if there was more than one, or if another one follows. */
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

const Subject = ({ row: { event, subject_id, external_id } }: { row: WebhookSummary }) => (
  <a class="row-link" href={subjectLink(event, subject_id)}>
    {external_id === null ? null : <WrappedText clamp>{external_id}</WrappedText>}
    <code class={external_id === null ? '' : 'faint'}>
      <WrappedText clamp>{subject_id}</WrappedText>
    </code>
  </a>
)

const table: TableSpec<WebhookSummary> = {
  label: 'Webhooks',
  keyOf: (row) => row.id,
  columns: [
    { name: 'Event', cell: (row) => <RowLink href={link('webhooks', row.id)} name={row.event} id={row.id} /> },
    { name: 'Status', badge: true, cell: (row) => <Delivery row={row} /> },
    { name: 'Transaction', cell: (row) => <Subject row={row} /> },
    {
      name: 'Amount',
      alignEnd: true,
      cell: ({ amount, currency }) =>
        amount === null || currency === null ? <None /> : <Money amount={amount} currency={currency} />,
    },
    {
      name: 'To',
      spare: 'medium',
      cell: (row) =>
        row.url === null ? <span class="faint">no webhook URL</span> : <WrappedText clamp>{row.url}</WrappedText>,
    },
    { name: 'Created', alignEnd: true, cell: (row) => <Moment iso={row.created_at} /> },
  ],
}

/** For panels that are narrower than a view. */
export const briefWebhooks: TableSpec<WebhookSummary> = {
  ...table,
  columns: table.columns.filter(({ name }) => name !== 'To'),
}

/** In the order of the table of transitions. */
const events = [...new Set(transitions.flatMap((row: TransitionRow) => row.event ?? []))]

export const WebhooksView = listView({
  source: 'GET /webhooks',
  title: 'Webhooks',
  noun: 'webhook',
  watch: ['webhook', 'workspace'],
  filters: [
    { name: 'status', label: 'Status', choices: ['pending', 'queued', 'delivered', 'failed'] },
    { name: 'event', label: 'Event', choices: events },
    { name: 'transaction_id', label: 'transaction_id' },
    { name: 'external_id', label: 'external_id' },
  ],
  table,
  empty: () => (
    <NextStep
      title="No webhook yet"
      curl={({ client_id }) =>
        controlCurl('PATCH', `/credentials/${client_id}`, { postback_url: `${baseUrl}/_sandbox/inbox/main` })
      }
    >
      Webhooks are sent when a payment changes. This command sends them to the built-in{' '}
      <a href={link('inbox')}>inbox</a>. Set your own address in <a href={link('accounts')}>Accounts</a>.
    </NextStep>
  ),
})
