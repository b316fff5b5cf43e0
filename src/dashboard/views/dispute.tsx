/** One dispute: what is at stake, how long there is to answer, what was answered. */
import type { DisputeInFull } from '../../client/types/control.js'
import { Fields } from '../parts/fields.js'
import { Actions } from '../parts/forms/actions.js'
import { Head, Loaded, Panel } from '../parts/layout.js'
import { Countdown, DisputePill, Moment, Money, Said } from '../parts/text.js'
import { Timeline } from '../parts/timeline.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

const told = ['history', 'events', 'ledger', 'allowed', 'replies', 'status', 'amount', 'currency', 'transaction_id']

export const DisputeView = ({ id }: { id: string }) => {
  const query = useQuery('GET /disputes/{id}', { params: { id } }, ['dispute', 'webhook', 'workspace'])
  return (
    <Loaded of={query}>
      {(row) => (
        <>
          <Title row={row} />
          <div class="columns">
            <div class="column wide">
              <Panel title="Timeline">
                <Timeline kind="dispute" life={row} calls={[]} />
              </Panel>
            </div>
            <div class="column">
              {row.status === 'open' ? (
                <Panel title="Time to answer">
                  <p class="big num">
                    <Countdown iso={row.deadline_at} over="passed" />
                  </p>
                </Panel>
              ) : null}
              <Panel title="Details">
                <Fields
                  rows={[
                    ['transaction_id', <a href={link('transactions', row.transaction_id)}>{row.transaction_id}</a>],
                    ...Object.entries(row).filter(([name]) => !told.includes(name)),
                  ]}
                />
              </Panel>
              <Replies replies={row.replies} />
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

const Title = ({ row }: { row: DisputeInFull }) => (
  <Head
    title={`Dispute over ${row.amount} ${row.currency}`}
    heading={
      <>
        <span class="title-kind">Dispute</span> <Money amount={row.amount} currency={row.currency} />{' '}
        <DisputePill status={row.status} />
      </>
    }
    crumb={{ href: link('disputes'), text: 'Disputes' }}
  >
    <Actions allowed={row.allowed} id={row.infraction_id} kind="dispute" />
  </Head>
)

const Replies = ({ replies }: { replies: DisputeInFull['replies'] }) =>
  replies.length === 0 ? null : (
    <Panel title="Reply of the merchant">
      {replies.map((reply) => (
        <div key={String(reply.reply_id)} class="reply">
          <p class="long">
            <Said>{reply.message}</Said>
          </p>
          <ul class="plain">
            {reply.files.map((file) => (
              <li key={file.sha256}>
                <Said>{file.name}</Said> <span class="faint num">{file.size} bytes</span>
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
