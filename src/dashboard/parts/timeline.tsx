/**
 * The history of an object as a timeline, ordered by cause and then by time: the call that created it, and each change
 * with its postings, events and delivery attempts.
 */

import type { Child } from 'hono/jsx/dom'
import type { HistoryEntry, LoggedCall, Posting, WalletDetails, WebhookSummary } from '../../client/types/control.js'
import type { ObjectKind } from '../../protocol/platform/transitions.js'
import { sentence } from '../format.js'
import { type Causes, findCauses } from '../store/causes.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { AttemptList } from './attempts.js'
import { Code } from './code.js'
import { Details } from './forms/controls.js'
import { Icon, type IconName } from './icon.js'
import { Loaded } from './layout.js'
import { Chaos, Countdown, Duration, HttpStatus, Moment, Money, Pill } from './text.js'

/** The history that every object has in addition to its fields. */
type ObjectLife = Pick<WalletDetails, 'history' | 'events' | 'ledger' | 'allowed'>

interface Item {
  key: string
  at: string
  /** Index of the change that it belongs to. */
  step: number
  /** Order within one change: the call that caused it, the change, its postings, its events, later calls. */
  rank: number
  icon: IconName
  body: Child
}

interface TimelineProps {
  kind: ObjectKind
  life: ObjectLife
  calls: readonly LoggedCall[]
}

export const Timeline = ({ kind, life, calls }: TimelineProps) => {
  const causes = findCauses(kind, life.history)
  const eventSteps = causes.causesOfEvents(life.events)
  const items = [
    ...calls.map((call) => callItem(call, causes)),
    ...life.history.map(historyItem),
    ...groups(life.ledger).map((rows, index) => postingItem(rows, index, causes)),
    ...life.events.map((event, index) => eventItem(event, eventSteps[index] ?? 0)),
  ].sort((a, b) => a.step - b.step || a.rank - b.rank || Date.parse(a.at) - Date.parse(b.at))
  return (
    <ol class="timeline">
      {items.map(({ key, at, icon, body }) => (
        <li key={key}>
          <span class="timeline-icon">
            <Icon name={icon} />
          </span>
          <span class="timeline-at">
            <Moment iso={at} />
          </span>
          <div class="timeline-body">{body}</div>
        </li>
      ))}
    </ol>
  )
}

function callItem(entry: LoggedCall, causes: Causes): Item {
  const { step, isCause } = causes.causeOfCall(entry)
  return {
    ...{ key: entry.request_id, at: entry.at, step, rank: isCause ? 0 : 4 },
    icon: 'call',
    body: <CallBody entry={entry} />,
  }
}

const historyItem = (row: HistoryEntry, index: number): Item => ({
  key: `history-${index}`,
  at: row.at,
  step: index,
  rank: 1,
  icon: 'status',
  body: (
    <p>
      {row.from === null ? (
        <strong>Created</strong>
      ) : (
        <>
          <strong>{sentence(row.action)}</strong>{' '}
          <span class="faint">
            {sentence(row.from)} <Icon name="call" />
          </span>
        </>
      )}{' '}
      {row.to === 'created' ? null : <Pill status={row.to} />}
    </p>
  ),
})

/** Groups postings by entry, each of which sums to zero. */
function groups(postings: readonly Posting[]): Posting[][] {
  const byEntry = new Map<string, Posting[]>()
  for (const posting of postings) {
    const key = String(posting.entry)
    byEntry.set(key, [...(byEntry.get(key) ?? []), posting])
  }
  return [...byEntry.values()]
}

const postingItem = (rows: Posting[], index: number, causes: Causes): Item => ({
  key: `posting-${index}`,
  at: rows[0]?.at ?? '',
  step: rows[0] === undefined ? -1 : causes.causeOfPosting(rows[0]),
  rank: 2,
  icon: 'posting',
  body: (
    <>
      <p>
        Ledger: <span class="faint">{rows[0]?.memo ?? ''}</span>
      </p>
      <ul class="postings">
        {rows.map((row) => (
          <li key={`${row.account} ${row.bucket} ${row.amount}`}>
            <span>
              {row.account} <span class="faint">{row.bucket}</span>
            </span>
            <Money amount={row.amount} currency={row.currency} />
          </li>
        ))}
      </ul>
    </>
  ),
})

const eventItem = (event: WebhookSummary, step: number): Item => ({
  key: event.id,
  at: event.created_at,
  step,
  rank: 3,
  icon: 'webhooks',
  body: <EventBody event={event} />,
})

const EventBody = ({ event }: { event: WebhookSummary }) => {
  const { id, attempts, status } = event
  return (
    <>
      <p>
        <a href={link('webhooks', id)}>
          <strong>{event.event}</strong>
        </a>{' '}
        <Pill status={status} /> <Chaos faults={event.chaos} />{' '}
        {event.next_attempt_at === null ? null : (
          <span class="faint">
            next attempt in <Countdown iso={event.next_attempt_at} over="a moment" />
          </span>
        )}
      </p>
      <Details
        summary={event.url === null ? 'No webhook URL' : `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`}
        opened={attempts > 1}
      >
        {() => <EventAttempts id={id} />}
      </Details>
    </>
  )
}

const EventAttempts = ({ id }: { id: string }) => (
  <Loaded of={useQuery('GET /webhooks/{id}', { params: { id } }, ['webhook'])}>
    {(row) => (
      <>
        <AttemptList attempts={row.attempts} />
        <Code text={row.body} label="Body as sent" noun="the body" />
      </>
    )}
  </Loaded>
)

const CallBody = ({ entry }: { entry: LoggedCall }) => (
  <>
    <p>
      <a href={link('requests', entry.request_id)}>
        <strong>
          {entry.method} {entry.path}
        </strong>
      </a>{' '}
      <HttpStatus status={entry.status} /> <Duration ms={entry.duration_ms} /> <Chaos faults={entry.chaos} />
    </p>
    <Details summary="Request and response">{() => <CallBodies id={entry.request_id} />}</Details>
  </>
)

const CallBodies = ({ id }: { id: string }) => (
  <Loaded of={useQuery('GET /requests/{id}', { params: { id } }, [])}>
    {({ request_body, response_body }) => (
      <>
        {request_body === null ? null : <Code text={request_body} label="Request" noun="the request body" />}
        {response_body === null ? null : <Code text={response_body} label="Response" noun="the response body" />}
      </>
    )}
  </Loaded>
)
