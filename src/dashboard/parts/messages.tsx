/** The messages of an inbox: a row each, and one of them with its body. */
import type { InboxMessage } from '../../client/types/control.js'
import { summarizeEvent } from '../../protocol/platform/event-summary.js'
import { lowerCaseWebhookHeaders } from '../../protocol/platform/headers.js'
import { eventName } from '../format.js'
import { t } from '../language.js'
import { useQuery } from '../store/query.js'
import { subjectLink } from '../store/route.js'
import { useAttempts } from '../store/timeline.js'
import { OutcomeText } from './attempts.js'
import { Code, Headers } from './code.js'
import { Details, Icon } from './forms/controls.js'
import { Facts, Panel } from './layout.js'
import { OnCard, RowLink, ShortId, type TableSpec } from './table.js'
import { ExactMoment, Money, None, Pill, TimeOfDay, WrappedText } from './text.js'

/** The subject of a webhook. Messages of strangers may contain anything. */
function subjectOf({ body, headers }: InboxMessage) {
  const { transaction_id, data } = (body ?? {}) as { transaction_id?: unknown; data?: Record<string, unknown> | null }
  const fields = typeof data === 'object' && data !== null ? data : {}
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null)
  const event = headers[lowerCaseWebhookHeaders.event] ?? ''
  const { amount, currency, source } = summarizeEvent(data)
  // The id of a refund is not the id of an object.
  const id = text('original_transaction_id') ?? transaction_id
  return {
    title: /^[a-z]+\.[a-z]+$/.test(event) ? eventName(event, source) : 'Not a webhook of this sandbox',
    noun: event.startsWith('wallet.') ? 'Wallet' : 'Transaction',
    href: typeof id === 'string' ? subjectLink(event, id) : null,
    id: typeof id === 'string' ? id : null,
    externalId: text('external_id'),
    event,
    amount: amount === null ? null : <Money amount={amount} currency={currency ?? ''} />,
  }
}

const identityOf = ({ received_at: at, headers }: InboxMessage): string =>
  [at, headers[lowerCaseWebhookHeaders.id], headers[lowerCaseWebhookHeaders.timestamp]].join(' ')

/** A key for each message, newest first: copies are counted from the oldest, so that new ones change no key. */
export function keysOfMessages(rows: readonly InboxMessage[]): ReadonlyMap<InboxMessage, string> {
  const counts = new Map<string, number>()
  return new Map(
    rows.toReversed().map((row) => {
      const identity = identityOf(row)
      const copy = (counts.get(identity) ?? 0) + 1
      counts.set(identity, copy)
      return [row, `${identity} ${copy}`]
    }),
  )
}

const SignaturePill = ({ row: { signature_valid: isValid } }: { row: InboxMessage }) =>
  isValid === null ? (
    <Pill status="Not signed" />
  ) : (
    <Pill status={isValid ? 'Signature valid' : 'Signature wrong'} tone={isValid ? 'ok' : 'bad'} />
  )

/** `hrefOf` is the address that shows a message, by its key. */
export const messageTable = (
  keyOf: (row: InboxMessage) => string,
  hrefOf: (key: string) => string,
): TableSpec<InboxMessage> => ({
  label: 'Messages',
  keyOf,
  at: (row) => row.received_at,
  columns: [
    {
      ...{ name: 'Event', card: 'title' },
      cell: (row) => {
        const { title, event } = subjectOf(row)
        return (
          <RowLink href={hrefOf(keyOf(row))}>
            <WrappedText>{title}</WrappedText>{' '}
            <code class="faint">
              <WrappedText clamp>{event}</WrappedText>
            </code>
          </RowLink>
        )
      },
    },
    { name: 'Signature', card: 'badge', cell: (row) => <SignaturePill row={row} /> },
    {
      ...{ name: 'Reference', card: 'sub' },
      cell: (row) => {
        const { id, externalId, amount } = subjectOf(row)
        return (
          <>
            {externalId !== null ? (
              <WrappedText clamp>{externalId}</WrappedText>
            ) : id === null ? (
              <None />
            ) : (
              <ShortId id={id} />
            )}
            {amount === null ? null : <OnCard>{amount}</OnCard>}
          </>
        )
      },
    },
    {
      ...{ name: 'Amount', alignEnd: true },
      cell: (row) => subjectOf(row).amount ?? <None />,
    },
    { name: 'Time', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={row.received_at} /> },
  ],
})

/** What the inbox answered, which the attempt of the webhook says: nothing for the message of a stranger. */
const Answer = ({ id, row: { headers, received_at: receivedAt } }: { id: string; row: InboxMessage }) => {
  const sent = useQuery('GET /webhooks', { query: { transaction_id: id } }, ['webhook', 'workspace']).data?.data ?? []
  const webhook = sent.find((one) => one.id === headers[lowerCaseWebhookHeaders.id])
  const attempts = useAttempts(webhook === undefined ? [] : [webhook])?.[webhook?.id ?? ''] ?? []
  const attempt = attempts.findLast(({ at }) => Date.parse(at) <= Date.parse(receivedAt))
  return attempt === undefined ? <None /> : <OutcomeText attempt={attempt} url={webhook?.url ?? null} />
}

/** One message: what it is about, its body, its headers. */
export const Message = ({ row, all }: { row: InboxMessage; all: string }) => {
  const { title, event, href, noun, id } = subjectOf(row)
  return (
    <div class="column sticky">
      <a class="crumb message-back" href={all}>
        <Icon name="back" /> All messages
      </a>
      <Panel title={<WrappedText>{title}</WrappedText>} tools={<SignaturePill row={row} />}>
        <Facts
          rows={[
            ['Event', event === '' ? null : <code>{<WrappedText>{event}</WrappedText>}</code>],
            ['Received', <ExactMoment iso={row.received_at} />],
            ['Answer', id === null ? null : <Answer id={id} row={row} />],
            [
              noun,
              href === null || id === null ? null : (
                <a href={href}>
                  <code>
                    <WrappedText>{id}</WrappedText>
                  </code>
                </a>
              ),
            ],
          ]}
        />
        {row.raw === '' ? <p class="faint">It has no body.</p> : <Code text={row.raw} label="Body" noun="the body" />}
        <Details summary={t`Headers: ${Object.keys(row.headers).length}`}>
          {() => <Headers headers={row.headers} label="Headers" />}
        </Details>
      </Panel>
    </div>
  )
}
