/** Webhooks: their list, and one with its body, delivery attempts and signature check. */
import type { Child } from 'hono/jsx/dom'
import type { Webhook, WebhookSummary } from '../../client/types/control.js'
import { labelOf } from '../../protocol/platform/fields.js'
import { baseUrl } from '../api.js'
import { eventName, statusName, walletName } from '../format.js'
import { t } from '../language.js'
import { Attempts, FailureReason, inboxName, isInbox } from '../parts/attempts.js'
import { Code } from '../parts/code.js'
import { detailView } from '../parts/detail-view.js'
import { Button } from '../parts/forms/controls.js'
import { Facts, NextStep, Panel, paidChargeCurl } from '../parts/layout.js'
import { listView } from '../parts/list-view.js'
import { SignatureCheck } from '../parts/signature-check.js'
import { OnCard, OnMedium, RowLink, ShortId, type TableSpec } from '../parts/table.js'
import { CutWithin, Due, Fault, Id, Moment, Money, None, TimeOfDay, WebhookPill, WrappedText } from '../parts/text.js'
import { Reference } from '../parts/transactions.js'
import { attempt } from '../store/commands.js'
import { redeliver } from '../store/redelivery.js'
import { link, subjectLink } from '../store/route.js'
import { sentEvents } from '../store/steps.js'

const Subject = ({ row: { event, subject_id, external_id } }: { row: WebhookSummary }) => (
  <a href={subjectLink(event, subject_id)} title={subject_id}>
    {external_id !== null ? (
      <>
        <Reference row={{ external_id, transaction_id: null }} />
        <span class="visually-hidden"> {subject_id}</span>
      </>
    ) : event.startsWith('wallet.') ? (
      walletName(subject_id)
    ) : (
      <ShortId id={subject_id} />
    )}
  </a>
)

const AttemptCount = ({ row: { attempts, next_attempt_at, url } }: { row: WebhookSummary }) =>
  url === null ? (
    <None />
  ) : (
    <span class="num">
      {attempts}
      {next_attempt_at === null ? null : (
        <span class="faint">
          , next <Due iso={next_attempt_at} over="a moment" />
        </span>
      )}
    </span>
  )

/** Its page also names the scenario. */
const ShortFault = ({ row: { scenario: _, ...row }, or }: { row: WebhookSummary; or?: Child }) => (
  <Fault of={row} or={or} />
)

export const webhookTable: TableSpec<WebhookSummary> = {
  label: 'Webhooks',
  keyOf: (row) => row.id,
  at: (row) => row.created_at,
  columns: [
    { name: 'Status', card: 'badge', cell: (row) => <WebhookPill row={row} /> },
    {
      ...{ name: 'Event', card: 'title' },
      cell: (row) => (
        <RowLink href={link('webhooks', row.id)} id={row.id}>
          {eventName(row.event, row.source)} <code class="faint">{row.event}</code>
        </RowLink>
      ),
    },
    {
      ...{ name: 'Amount', alignEnd: true },
      cell: ({ amount, currency }) =>
        amount === null || currency === null ? <None /> : <Money amount={amount} currency={currency} />,
    },
    {
      ...{ name: 'Transaction', card: 'sub' },
      cell: (row) => (
        <>
          <Subject row={row} />
          <OnMedium>
            <ShortFault row={row} />
          </OnMedium>
          <OnCard>
            <ShortFault row={row} />
          </OnCard>
        </>
      ),
    },
    {
      ...{ name: 'To', spare: 'large' },
      cell: (row) =>
        row.url === null ? (
          <span class="faint">no webhook URL</span>
        ) : (
          <CutWithin>
            {isInbox(row.url) ? t`Inbox ${inboxName(row.url) ?? ''}` : row.url.replace(/^https?:\/\//, '')}
          </CutWithin>
        ),
    },
    { name: 'Fault', spare: 'medium', cell: (row) => <ShortFault row={row} or={<None />} /> },
    { name: 'Attempts', alignEnd: true, spare: 'small', cell: (row) => <AttemptCount row={row} /> },
    { name: 'Time', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.created_at} /> },
  ],
}

export const [WebhookView, WebhookPreview] = detailView({
  source: 'GET /webhooks/{id}',
  watch: ['webhook', 'workspace'],
  title: (row) => eventName(row.event, row.source),
  heading: (row) => (
    <>
      {eventName(row.event, row.source)} <code class="title-kind small">{row.event}</code>{' '}
      <WebhookPill row={{ ...row, attempts: row.attempts.length }} />{' '}
      <Fault of={{ ...row, attempts: row.attempts.length }} />
    </>
  ),
  crumb: () => ({ href: link('webhooks'), text: 'Webhooks' }),
  actionBar: ({ row: { id, status, verdict, next_attempt_at: next } }) => (
    <section class="action-bar" aria-label="Actions">
      <p class="next-up">
        {next === null ? (
          <span class="faint">Nothing scheduled</span>
        ) : (
          <>
            Next attempt <Due iso={next} over="a moment" />
          </>
        )}
      </p>
      <Button
        tone={status === 'failed' && verdict === undefined ? 'primary' : 'plain'}
        onClick={() => attempt(() => redeliver([id]))}
      >
        Redeliver
      </Button>
    </section>
  ),
  main: ({ row }) => (
    <>
      <FailureReason webhook={row} />
      <Attempts webhook={row} />
      <Panel title="Body">
        <Code
          text={row.body}
          original={row.attempts.at(-1)?.signed_body}
          label={
            row.attempts.every(({ signed_body }) => signed_body === undefined)
              ? 'Identical in every attempt'
              : 'Exactly as the last attempt sent it'
          }
          noun="the body"
        />
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

/** The states of a row that a status has beside its own. */
const chipWords: Readonly<Record<string, string>> = { failed: 'Failed or not sent', pending: 'Failing or pending' }

export const webhookStatuses = (status: string): string => chipWords[status] ?? statusName(status, 'Webhooks')

export const WebhooksView = listView({
  source: 'GET /webhooks',
  title: 'Webhooks',
  noMatch: 'No webhook matches',
  watch: ['webhook', 'workspace'],
  filters: [
    {
      ...{ name: 'status', label: 'Status', choices: ['failed', 'pending', 'queued', 'delivered'], chips: true },
      also: { verdict: 'none' },
      words: webhookStatuses,
    },
    {
      ...{ name: 'verdict', label: 'Verdict', choices: ['wrongly_accepted', 'rightly_refused'], chips: true },
      worry: 'wrongly_accepted',
      words: (verdict) => statusName(verdict.replace('_', ' '), 'Webhooks'),
    },
    { name: 'event', label: 'Event', choices: sentEvents, words: eventName },
    { name: 'transaction_id', label: labelOf('transaction_id') },
    { name: 'external_id', label: labelOf('external_id') },
  ],
  counted: ['webhook'],
  table: webhookTable,
  bulk: {
    label: 'Redeliver',
    hint: 'Select webhooks to redeliver them together',
    run: (rows) => redeliver(rows.map(({ id }) => id)),
  },
  preview: WebhookPreview,
  previewsFirst: (route) => route.query.get('status') === 'failed',
  empty: () => (
    <NextStep
      title="No webhook yet"
      curl={(credential) => paidChargeCurl(credential, `${baseUrl}/_sandbox/inbox/main`)}
    >
      Each change of a payment sends a webhook. Set the webhook URL of your app in{' '}
      <a href={link('accounts')}>Accounts</a>. Or run this command: it creates and pays a charge, whose webhook goes to
      the built-in <a href={link('inbox', 'main')}>inbox</a>.
    </NextStep>
  ),
})
