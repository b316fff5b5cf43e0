/** One event: body, delivery attempts, and signature check. */
import type { Webhook } from '../../client/types/control.js'
import { AttemptList } from '../parts/attempts.js'
import { Code } from '../parts/code.js'
import { Id } from '../parts/copy.js'
import { detailView } from '../parts/detail-view.js'
import { Button } from '../parts/forms/controls.js'
import { Empty, Facts, Panel } from '../parts/layout.js'
import { SignatureCheck } from '../parts/signature-check.js'
import { Countdown, Moment, Pill, WrappedText } from '../parts/text.js'
import { attempt, send } from '../store/commands.js'
import { link, subjectLink } from '../store/route.js'

export const WebhookView = detailView({
  source: 'GET /webhooks/{id}',
  watch: ['webhook', 'workspace'],
  title: (row) => row.event,
  heading: (row) => (
    <>
      {row.event} <Pill status={row.status} />
    </>
  ),
  crumb: () => ({ href: link('webhooks'), text: 'Webhooks' }),
  bar: ({ row: { id, status, next_attempt_at: next } }) => (
    <section class="action-bar" aria-label="Actions">
      {next === null ? null : (
        <p class="next-up">
          Next attempt in <Countdown iso={next} over="a moment" />
        </p>
      )}
      <Button
        tone={status === 'failed' ? 'primary' : 'plain'}
        onClick={() =>
          attempt(
            () => send('POST /webhooks/{id}/redeliver', { params: { id } }),
            'Sent again, with the same id and body',
          )
        }
      >
        Redeliver
      </Button>
    </section>
  ),
  main: ({ row }) => (
    <>
      <Panel title="Attempts">
        {row.attempts.length > 0 ? <AttemptList attempts={row.attempts} /> : <NoAttempt url={row.url} />}
      </Panel>
      <Panel title="Body">
        <Code text={row.body} label="Identical in every attempt" noun="the body" />
      </Panel>
    </>
  ),
  side: ({ row }) => (
    <Panel title="Delivery">
      <DeliveryFacts row={row} />
    </Panel>
  ),
  foot: SignatureCheck,
})

const NoAttempt = ({ url }: Pick<Webhook, 'url'>) =>
  url !== null ? (
    <Empty title="Not sent yet" />
  ) : (
    <Empty title="The event has no webhook URL">
      Set one in <a href={link('accounts')}>Accounts</a>, then redeliver it.
    </Empty>
  )

const DeliveryFacts = ({ row }: { row: Webhook }) => (
  <Facts
    rows={[
      ['Id', <Id id={row.id} noun="the event id" />],
      [
        'About',
        <a href={subjectLink(row.event, row.subject_id)}>
          <code>
            <WrappedText>{row.subject_id}</WrappedText>
          </code>
        </a>,
      ],
      ['Your reference', row.external_id === null ? null : <WrappedText>{row.external_id}</WrappedText>],
      ['URL', row.url === null ? <span class="faint">none set</span> : <WrappedText>{row.url}</WrappedText>],
      ['Created', <Moment iso={row.created_at} />],
      ['Attempts', <span class="num">{row.attempts.length}</span>],
    ]}
  />
)
