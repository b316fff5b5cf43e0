/** One dispute: amount, deadline, replies. */
import type { DisputeDetails } from '../../client/types/control.js'
import { detailView } from '../parts/detail-view.js'
import { Fields } from '../parts/fields.js'
import { Actions } from '../parts/forms/actions.js'
import { Button } from '../parts/forms/controls.js'
import { Panel } from '../parts/layout.js'
import { Countdown, DisputePill, Moment, Money, WrappedText } from '../parts/text.js'
import { Timeline } from '../parts/timeline.js'
import { advance, attempt } from '../store/commands.js'
import { link } from '../store/route.js'

const omittedFields = 'history events ledger allowed replies status amount currency transaction_id'.split(' ')

export const DisputeView = detailView({
  source: 'GET /disputes/{id}',
  watch: ['dispute', 'webhook', 'workspace'],
  title: (row) => `Dispute over ${row.amount} ${row.currency}`,
  heading: (row) => (
    <>
      <span class="title-kind">Dispute</span> <Money amount={row.amount} currency={row.currency} />{' '}
      <DisputePill status={row.status} />
    </>
  ),
  crumb: () => ({ href: link('disputes'), text: 'Disputes' }),
  actions: ({ row }) => <Actions allowed={row.allowed} id={row.infraction_id} kind="dispute" />,
  main: ({ row }) => (
    <Panel title="Timeline">
      <Timeline kind="dispute" life={row} calls={[]} />
    </Panel>
  ),
  side: ({ row }) => (
    <>
      {row.status === 'open' ? (
        <Panel title="Time left to reply">
          <p class="big num">
            <Countdown iso={row.deadline_at} over="passed" />
          </p>
          <Button onClick={() => attempt(() => advance({ to: row.deadline_at }))}>Advance to the deadline</Button>
        </Panel>
      ) : null}
      <Panel title="Details">
        <Fields
          rows={[
            ['transaction_id', <a href={link('transactions', row.transaction_id)}>{row.transaction_id}</a>],
            ...Object.entries(row).filter(([name]) => !omittedFields.includes(name)),
          ]}
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
