/** The messages of an inbox: what each tells of, whether its signature holds, and its text. */
import type { InboxMessage } from '../../client/types/control.js'
import { eventAmount } from '../../protocol/platform/event-amount.js'
import { subjectLink } from '../store/route.js'
import { Code, Headers } from './code.js'
import { Moment, Pill, Said } from './text.js'

/** What a webhook of ours tells of; strangers may send anything. */
function subjectOf({ body, headers }: InboxMessage) {
  const { transaction_id, data } = (body ?? {}) as { transaction_id?: unknown; data?: Record<string, unknown> | null }
  const fields = typeof data === 'object' && data !== null ? data : {}
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null)
  const event = headers['x-webhook-event'] ?? ''
  const { amount, currency } = eventAmount(data)
  // A refund has an id of its own, under which nothing can be looked up.
  const id = event.startsWith('chargeback.')
    ? text('infraction_id')
    : (text('original_transaction_id') ?? transaction_id)
  return {
    href: typeof id === 'string' ? subjectLink(event, id) : null,
    id: typeof id === 'string' ? id : null,
    externalId: text('external_id'),
    amount: amount === null ? null : `${amount} ${currency ?? ''}`,
  }
}

/** `order-7 · 25.00 BRL` */
const aboutText = (row: InboxMessage): string => {
  const { id, externalId, amount } = subjectOf(row)
  return [externalId ?? id, amount].filter((word) => word !== null).join(' · ')
}

const About = ({ row }: { row: InboxMessage }) => {
  const { href, id } = subjectOf(row)
  return href === null || id === null ? null : (
    <a href={href}>
      About <Said>{id}</Said>
    </a>
  )
}

export const Messages = ({ rows }: { rows: readonly InboxMessage[] }) => (
  <ul class="messages">
    {rows.map((row) => (
      <li key={`${row.received_at} ${row.headers['x-webhook-id'] ?? ''} ${row.headers['x-webhook-timestamp'] ?? ''}`}>
        <details>
          <summary>
            <strong>
              <Said>{row.headers['x-webhook-event'] ?? 'No webhook of ours'}</Said>
            </strong>
            {row.signature_valid === null ? (
              <Pill status="Not signed" />
            ) : (
              <Pill
                status={row.signature_valid ? 'Signature holds' : 'Signature wrong'}
                tone={row.signature_valid ? 'ok' : 'bad'}
              />
            )}
            <Said>{aboutText(row)}</Said>
            <span class="push faint">
              <Moment iso={row.received_at} />
            </span>
          </summary>
          <p>
            <About row={row} />
          </p>
          <Code text={row.raw} label="Body" what="the body" />
          <Headers headers={row.headers} label="Headers" />
        </details>
      </li>
    ))}
  </ul>
)
