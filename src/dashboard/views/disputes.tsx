/** Disputes: their list, with deadlines on the sandbox's clock, and one with its amount, deadline and replies. */

import type { DisputeDetails } from '../../client/types/control.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { disputeStatus, sentence, statusName } from '../format.js'
import { t } from '../language.js'
import { detailView } from '../parts/detail-view.js'
import { ActionBar } from '../parts/forms/actions.js'
import { Empty, Fields, Panel } from '../parts/layout.js'
import { listView } from '../parts/list-view.js'
import { OnCard, OnMedium, RowLink } from '../parts/table.js'
import { Countdown, DisputePill, Id, Moment, Money, None, Optional, TimeOfDay, WrappedText } from '../parts/text.js'
import { Timeline } from '../parts/timeline/timeline.js'
import { Reference } from '../parts/transactions.js'
import { controlCurl } from '../platform-api.js'
import { link } from '../store/route.js'

const omittedFields = 'history events ledger allowed due replies status amount currency'.split(' ')

export const [DisputeView, DisputePreview] = detailView({
  source: 'GET /disputes/{id}',
  watch: ['dispute', 'webhook', 'workspace'],
  title: (row) => t`Dispute over ${row.amount} ${row.currency}`,
  heading: (row) => (
    <>
      <span class="title-kind">Dispute</span> <Money amount={row.amount} currency={row.currency} />{' '}
      <DisputePill status={row.status} />
    </>
  ),
  crumb: () => ({ href: link('disputes'), text: 'Disputes' }),
  actionBar: ({ row }) => <ActionBar activity={row} id={row.infraction_id} kind="dispute" of={row} />,
  main: ({ row }) => <Timeline kind="dispute" activity={row} />,
  side: ({ row }) => (
    <>
      <Panel title="Details">
        <Fields
          rows={Object.entries({
            ...row,
            type: sentence(row.type.toLowerCase()),
            transaction_id: (
              <a href={link('transactions', row.transaction_id)}>
                <code>{row.transaction_id}</code>
              </a>
            ),
            external_id: row.external_id === null ? null : <Id id={row.external_id} noun="the external id" />,
            infraction_id: <Id id={row.infraction_id} noun="the dispute id" />,
          }).filter(([name]) => !omittedFields.includes(name))}
        />
      </Panel>
      <Replies replies={row.replies} />
    </>
  ),
})

const Replies = ({ replies }: { replies: DisputeDetails['replies'] }) =>
  replies.length === 0 ? null : (
    <Panel title="Reply of the merchant">
      {replies.map((reply) => (
        <div key={String(reply.reply_id)} class="reply">
          <p class="long">
            <WrappedText>{reply.message}</WrappedText>
          </p>
          <ul class="plain-list">
            {reply.files.map((file) => (
              <li key={file.sha256}>
                <WrappedText>{file.name}</WrappedText> <span class="faint num">{file.size} bytes</span>
              </li>
            ))}
          </ul>
          <p class="faint">
            <Moment iso={reply.created_at} />
          </p>
        </div>
      ))}
    </Panel>
  )

const TimeLeft = ({ row }: { row: { deadline_at: string } }) => (
  <Countdown iso={row.deadline_at} over="No time left to reply" left=" left to reply" />
)

export const DisputesView = listView({
  source: 'GET /disputes',
  title: 'Disputes',
  noMatch: 'No dispute matches',
  watch: ['dispute', 'workspace'],
  counted: ['dispute'],
  filters: [
    {
      ...{ name: 'status', label: 'Status', choices: statusesOf('dispute'), chips: true },
      words: (status) => statusName(disputeStatus(status), 'Disputes'),
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
              <OnCard>
                <TimeLeft row={row} />
              </OnCard>
            ) : null}
          </>
        ),
      },
      {
        ...{ name: 'Time left to reply', alignEnd: true, spare: 'medium' },
        cell: (row) => (row.status === 'open' ? <Countdown iso={row.deadline_at} over="passed" /> : <None />),
      },
      {
        ...{ name: 'Opened', alignEnd: true, card: 'aside' },
        cell: (row) => (
          <>
            <TimeOfDay iso={row.created_at} />
            {row.status === 'open' ? (
              <OnMedium>
                <TimeLeft row={row} />
              </OnMedium>
            ) : null}
          </>
        ),
      },
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
