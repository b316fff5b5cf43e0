/** One event: body, delivery attempts, and signature check. */
import type { Webhook } from '../../client/types/control.js'
import { eventName } from '../format.js'
import { Code } from '../parts/code.js'
import { Id } from '../parts/copy.js'
import { detailView } from '../parts/detail-view.js'
import { Attempts, FailureReason, redeliver } from '../parts/failed-webhook.js'
import { Button } from '../parts/forms/controls.js'
import { Facts, Panel } from '../parts/layout.js'
import { SignatureCheck } from '../parts/signature-check.js'
import { Countdown, Moment, Pill, WrappedText } from '../parts/text.js'
import { link, subjectLink } from '../store/route.js'

export const WebhookView = detailView({
  source: 'GET /webhooks/{id}',
  watch: ['webhook', 'workspace'],
  title: (row) => eventName(row.event),
  heading: (row) => (
    <>
      {eventName(row.event)} <code class="title-kind small">{row.event}</code> <Pill status={row.status} />
    </>
  ),
  crumb: () => ({ href: link('webhooks'), text: 'Webhooks' }),
  actions: ({ row: { id, status } }) => (
    <Button tone={status === 'failed' ? 'primary' : 'plain'} onClick={() => redeliver(id)}>
      Redeliver
    </Button>
  ),
  main: ({ row }) => (
    <>
      <FailureReason webhook={row} />
      <Attempts webhook={row} />
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

const DeliveryFacts = ({ row }: { row: Webhook }) => (
  <Facts
    rows={[
      ['id', <Id id={row.id} noun="the event id" />],
      [
        'about',
        <a href={subjectLink(row.event, row.subject_id)}>
          <code>
            <WrappedText>{row.subject_id}</WrappedText>
          </code>
        </a>,
      ],
      ['external_id', row.external_id === null ? null : <WrappedText>{row.external_id}</WrappedText>],
      ['url', row.url === null ? <span class="faint">none set</span> : <WrappedText>{row.url}</WrappedText>],
      ['created_at', <Moment iso={row.created_at} />],
      ['attempts', <span class="num">{row.attempts.length}</span>],
      [
        'next attempt in',
        row.next_attempt_at === null ? null : <Countdown iso={row.next_attempt_at} over="a moment" />,
      ],
    ]}
  />
)
