/** One event: body, delivery attempts, and signature check. */
import type { Webhook } from '../../client/types/control.js'
import { labelOf } from '../../protocol/platform/fields.js'
import { eventName } from '../format.js'
import { Code } from '../parts/code.js'
import { Id } from '../parts/copy.js'
import { detailView } from '../parts/detail-view.js'
import { Attempts, FailureReason, redeliver } from '../parts/failed-webhook.js'
import { Button } from '../parts/forms/controls.js'
import { Facts, Panel } from '../parts/layout.js'
import { SignatureCheck } from '../parts/signature-check.js'
import { Due, Moment, WebhookPill, WrappedText } from '../parts/text.js'
import { link, subjectLink } from '../store/route.js'

export const [WebhookView, WebhookPreview] = detailView({
  source: 'GET /webhooks/{id}',
  watch: ['webhook', 'workspace'],
  title: (row) => eventName(row.event, row.source),
  heading: (row) => (
    <>
      {eventName(row.event, row.source)} <code class="title-kind small">{row.event}</code> <WebhookPill row={row} />
    </>
  ),
  crumb: () => ({ href: link('webhooks'), text: 'Webhooks' }),
  actionBar: ({ row: { id, status, next_attempt_at: next } }) => (
    <section class="action-bar" aria-label="Actions">
      {next === null ? null : (
        <p class="next-up">
          Next attempt <Due iso={next} over="a moment" />
        </p>
      )}
      <Button tone={status === 'failed' ? 'primary' : 'plain'} onClick={() => redeliver(id)}>
        Redeliver
      </Button>
    </section>
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
      ['Id', <Id id={row.id} noun="the event id" />],
      [
        row.event.startsWith('wallet.') ? 'Fixed wallet' : 'Transaction',
        <a href={subjectLink(row.event, row.subject_id)}>
          <code>
            <WrappedText>{row.subject_id}</WrappedText>
          </code>
        </a>,
      ],
      [labelOf('external_id'), row.external_id === null ? null : <WrappedText>{row.external_id}</WrappedText>],
      ['URL', row.url === null ? <span class="faint">none set</span> : <WrappedText>{row.url}</WrappedText>],
      ['Created', <Moment iso={row.created_at} dated />],
      ['Attempts', <span class="num">{row.attempts.length}</span>],
    ]}
  />
)
