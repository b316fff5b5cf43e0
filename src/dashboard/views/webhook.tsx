/** One event: its body, every attempt to deliver it, and how a receiver checks its signature. */
import type { Webhook } from '../../client/types/control.js'
import { AttemptList } from '../parts/attempts.js'
import { Code } from '../parts/code.js'
import { Id } from '../parts/copy.js'
import { Empty, Facts, Head, Loaded, Panel } from '../parts/layout.js'
import { SignatureCheck } from '../parts/signature-check.js'
import { subjectLink } from '../parts/tables/webhooks.js'
import { Countdown, Moment, Pill, Said } from '../parts/text.js'
import { attempt, send } from '../store/commands.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

export const WebhookView = ({ id }: { id: string }) => {
  const query = useQuery('GET /webhooks/{id}', { params: { id } }, ['webhook', 'workspace'])
  return (
    <Loaded of={query}>
      {(row) => (
        <>
          <Title row={row} />
          <div class="columns">
            <div class="column wide">
              <Panel title="Attempts">
                {row.attempts.length === 0 ? (
                  <Empty title={row.url === null ? 'There was no address to send it to' : 'Not sent yet'}>
                    {row.url === null ? (
                      <>
                        Set one in <a href={link('accounts')}>Accounts</a>, then redeliver it.
                      </>
                    ) : null}
                  </Empty>
                ) : (
                  <AttemptList attempts={row.attempts} />
                )}
              </Panel>
              <Panel title="Body">
                <Code text={row.body} label="The same in every attempt" what="the body" />
              </Panel>
            </div>
            <div class="column">
              <Panel title="Delivery">
                <DeliveryFacts row={row} />
              </Panel>
            </div>
          </div>
          <SignatureCheck row={row} />
        </>
      )}
    </Loaded>
  )
}

const Title = ({ row }: { row: Webhook }) => (
  <Head
    title={row.event}
    heading={
      <>
        {row.event} <Pill status={row.status} />
      </>
    }
    crumb={{ href: link('webhooks'), text: 'Webhooks' }}
  >
    <button
      type="button"
      class="button primary"
      onClick={() =>
        attempt(
          () => send('POST /webhooks/{id}/redeliver', { params: { id: row.id } }),
          'Sent again, with the same id and body',
        )
      }
    >
      Redeliver
    </button>
  </Head>
)

const DeliveryFacts = ({ row }: { row: Webhook }) => (
  <Facts
    rows={[
      ['id', <Id id={row.id} what="the event id" />],
      [
        'about',
        <a href={subjectLink(row.event, row.subject_id)}>
          <code>
            <Said>{row.subject_id}</Said>
          </code>
        </a>,
      ],
      ['external_id', row.external_id === null ? null : <Said>{row.external_id}</Said>],
      ['url', row.url === null ? <span class="faint">none set</span> : <Said>{row.url}</Said>],
      ['created_at', <Moment iso={row.created_at} />],
      ['attempts', <span class="num">{row.attempts.length}</span>],
      [
        'next attempt in',
        row.next_attempt_at === null ? null : <Countdown iso={row.next_attempt_at} over="a moment" />,
      ],
    ]}
  />
)
