/** One dispute: amount, deadline, replies. */
import type { DisputeDetails } from '../../client/types/control.js'
import { sentence } from '../format.js'
import { t } from '../language.js'
import { Id } from '../parts/copy.js'
import { detailView } from '../parts/detail-view.js'
import { Fields } from '../parts/fields.js'
import { ActionBar } from '../parts/forms/actions.js'
import { Panel } from '../parts/layout.js'
import { DisputePill, Moment, Money, WrappedText } from '../parts/text.js'
import { Timeline } from '../parts/timeline/timeline.js'
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
  actionBar: ({ row }) => <ActionBar activity={row} id={row.infraction_id} kind="dispute" />,
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
