/** Why a webhook failed: beside the list of failed webhooks, and at the top of its page. */
import type { Webhook, WebhookSummary } from '../../client/types/control.js'
import { outcomeWords } from '../../protocol/platform/outcomes.js'
import { eventName } from '../format.js'
import { attempt, send } from '../store/commands.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { Code } from './code.js'
import { Button } from './forms/controls.js'
import { Loaded, Panel } from './layout.js'
import { Countdown, WrappedText } from './text.js'

export const redeliver = (id: string): Promise<void> =>
  attempt(() => send('POST /webhooks/{id}/redeliver', { params: { id } }), 'Sent again, with the same id and body')

/** The last attempt, unless it succeeded. */
export const FailureReason = ({ webhook: { attempts, url, next_attempt_at: nextAt } }: { webhook: Webhook }) => {
  const last = attempts.at(-1)
  if (last === undefined || last.outcome === 'ok') return null
  const times = attempts.length === 1 ? 'Once' : `${attempts.length} times`
  return (
    <div class="failure reason">
      <p>
        <strong>
          Not delivered:{' '}
          {last.status === null ? outcomeWords[last.outcome] : `the receiver answered with HTTP ${last.status}`}
        </strong>
      </p>
      <p>
        {times}, at <WrappedText>{url ?? ''}</WrappedText>.{' '}
        {nextAt === null ? (
          'No further attempt follows.'
        ) : (
          <>
            The next attempt follows in <Countdown iso={nextAt} over="a moment" />.
          </>
        )}
      </p>
      {last.response_body === null || last.response_body === '' ? null : (
        <Code text={last.response_body} label="Response of the receiver" noun="the response" />
      )}
    </div>
  )
}

export const FailedWebhook = ({ row: { id, event } }: { row: WebhookSummary }) => (
  <div class="column sticky">
    <Panel
      title={eventName(event)}
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
      <Loaded of={useQuery('GET /webhooks/{id}', { params: { id } }, ['webhook'])}>
        {(webhook) => (
          <>
            <FailureReason webhook={webhook} />
            <Code text={webhook.body} label="Body" noun="the body" />
          </>
        )}
      </Loaded>
    </Panel>
  </div>
)
