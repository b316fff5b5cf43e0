/** The messages of an inbox: subject, signature check, body. */
import type { InboxMessage } from '../../client/types/control.js'
import { summarizeEvent } from '../../protocol/platform/event-summary.js'
import { lowerCaseWebhookHeaders } from '../../protocol/platform/headers.js'
import { eventName, readableAmount } from '../format.js'
import { subjectLink } from '../store/route.js'
import { Code, Headers } from './code.js'
import { Moment, Pill, WrappedText } from './text.js'

/** The subject of a webhook. Messages of strangers may contain anything. */
function subjectOf({ body, headers }: InboxMessage) {
  const { transaction_id, data } = (body ?? {}) as { transaction_id?: unknown; data?: Record<string, unknown> | null }
  const fields = typeof data === 'object' && data !== null ? data : {}
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null)
  const event = headers[lowerCaseWebhookHeaders.event] ?? ''
  const { amount, currency, source } = summarizeEvent(data)
  // The id of a refund is not the id of an object.
  const id = event.startsWith('chargeback.')
    ? text('infraction_id')
    : (text('original_transaction_id') ?? transaction_id)
  return {
    title: /^[a-z]+\.[a-z]+$/.test(event) ? eventName(event, source) : 'Not a webhook of this sandbox',
    noun: event.startsWith('chargeback.') ? 'Dispute' : event.startsWith('wallet.') ? 'Wallet' : 'Transaction',
    href: typeof id === 'string' ? subjectLink(event, id) : null,
    id: typeof id === 'string' ? id : null,
    externalId: text('external_id'),
    amount: amount === null ? null : `${readableAmount(amount)} ${currency ?? ''}`,
  }
}

/** `order-7 · 25.00 BRL` */
const subjectText = (row: InboxMessage): string => {
  const { id, externalId, amount } = subjectOf(row)
  return [externalId ?? id, amount].filter((word) => word !== null).join(' · ')
}

const About = ({ row }: { row: InboxMessage }) => {
  const { noun, href, id } = subjectOf(row)
  return href === null || id === null ? null : (
    <a href={href}>
      {noun} <WrappedText>{id}</WrappedText>
    </a>
  )
}

export const Messages = ({ rows }: { rows: readonly InboxMessage[] }) => (
  <ul class="messages inbox">
    {rows.map((row) => (
      <li
        key={`${row.received_at} ${row.headers[lowerCaseWebhookHeaders.id] ?? ''} ${row.headers[lowerCaseWebhookHeaders.timestamp] ?? ''}`}
      >
        <details>
          <summary>
            <strong>
              <WrappedText>{subjectOf(row).title}</WrappedText>{' '}
              <code class="faint">
                <WrappedText>{row.headers[lowerCaseWebhookHeaders.event] ?? ''}</WrappedText>
              </code>
            </strong>
            {row.signature_valid === null ? (
              <Pill status="Not signed" />
            ) : (
              <Pill
                status={row.signature_valid ? 'Signature valid' : 'Signature wrong'}
                tone={row.signature_valid ? 'ok' : 'bad'}
              />
            )}
            <WrappedText>{subjectText(row)}</WrappedText>
            <span class="push faint">
              <Moment iso={row.received_at} />
            </span>
          </summary>
          <p>
            <About row={row} />
          </p>
          <Code text={row.raw} label="Body" noun="the body" />
          <Headers headers={row.headers} label="Headers" />
        </details>
      </li>
    ))}
  </ul>
)
