/** Why a webhook failed: beside the list of failed webhooks, and at the top of its page. */
import { useState } from 'hono/jsx/dom'
import type { Webhook, WebhookSummary } from '../../client/types/control.js'
import { outcomeWords } from '../../protocol/platform/outcomes.js'
import { eventName } from '../format.js'
import { attempt, send } from '../store/commands.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { AttemptComparison } from './attempt-comparison.js'
import { AttemptList } from './attempts.js'
import { Code } from './code.js'
import { Button } from './forms/controls.js'
import { Empty, Loaded, Panel } from './layout.js'
import { Due, WrappedText } from './text.js'

export const redeliver = (id: string): Promise<void> =>
  attempt(() => send('POST /webhooks/{id}/redeliver', { params: { id } }), 'Sent again, with the same id and body')

/** The last attempt, unless it succeeded. */
export const FailureReason = ({ webhook: { attempts, url, next_attempt_at: nextAt } }: { webhook: Webhook }) => {
  const last = attempts.at(-1)
  if (last === undefined || last.outcome === 'ok') return null
  const times = attempts.length === 1 ? 'once' : `${attempts.length} times`
  return (
    <div class="failure reason">
      <p>
        <strong>
          Not delivered:{' '}
          {last.status === null ? outcomeWords[last.outcome] : `the receiver answered with HTTP ${last.status}`}
        </strong>
      </p>
      <p>
        It was sent {times} to <WrappedText>{url ?? ''}</WrappedText>.{' '}
        {nextAt === null ? (
          'No further attempt follows.'
        ) : (
          <>
            The next attempt follows <Due iso={nextAt} over="a moment" />.
          </>
        )}
      </p>
      {last.response_body === null || last.response_body === '' ? null : (
        <Code text={last.response_body} label="Response of the receiver" noun="the response" />
      )}
    </div>
  )
}

export const Attempts = ({ webhook: { attempts, url } }: { webhook: Webhook }) => {
  const [comparing, compare] = useState(false)
  const Shown = comparing ? AttemptComparison : AttemptList
  const toggle = (
    <Button pressed={comparing} onClick={() => compare(!comparing)}>
      Compare attempts
    </Button>
  )
  return (
    <Panel title="Attempts" tools={attempts.length < 2 ? undefined : toggle}>
      {attempts.length > 0 ? <Shown attempts={attempts} /> : <NoAttempt url={url} />}
    </Panel>
  )
}

const NoAttempt = ({ url }: Pick<Webhook, 'url'>) =>
  url !== null ? (
    <Empty title="Not sent yet" />
  ) : (
    <Empty title="The event has no webhook URL">
      It was not sent. Set a URL in <a href={link('accounts')}>Accounts</a>, then redeliver it.
    </Empty>
  )

export const FailedWebhook = ({ row: { id, event, source } }: { row: WebhookSummary }) => {
  const query = useQuery('GET /webhooks/{id}', { params: { id } }, ['webhook'])
  return (
    <div class="column sticky">
      <Panel
        title={eventName(event, source)}
        tools={
          <>
            <a class="button" href={link('webhooks', id)}>
              Open
            </a>
            <Button tone="primary" onClick={() => redeliver(id)}>
              Redeliver
            </Button>
          </>
        }
      >
        <Loaded of={query}>{(webhook) => <FailureReason webhook={webhook} />}</Loaded>
      </Panel>
      {query.data === undefined ? null : <Attempts webhook={query.data} />}
    </div>
  )
}
