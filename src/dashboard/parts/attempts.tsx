/** Every attempt to deliver an event: what was sent, what came back, how long it took. */
import type { WebhookAttempt } from '../../client/types/control.js'
import { Code, Headers } from './code.js'
import { HttpStatus, Moment, Pill, Took } from './text.js'

const outcomes: Record<string, string> = {
  ok: 'Delivered',
  http_error: 'Refused by the receiver',
  timeout: 'No answer within 10 s',
  connect_timeout: 'No connection within 5 s',
  refused: 'Connection refused',
  reset: 'Connection broke off',
  dns: 'Name not found',
  tls: 'Certificate not accepted',
  insecure_url: 'Address not allowed',
  no_url: 'No address set',
}

export const AttemptList = ({ attempts }: { attempts: readonly WebhookAttempt[] }) => (
  <ol class="attempts">
    {attempts.map((attempt) => (
      <li key={String(attempt.number)}>
        <details>
          <summary>
            <span class="num">#{attempt.number}</span>
            <Pill
              status={outcomes[attempt.outcome] ?? attempt.outcome}
              tone={attempt.outcome === 'ok' ? 'ok' : 'bad'}
            />
            {attempt.status === null ? null : <HttpStatus status={attempt.status} />}
            <Took ms={attempt.duration_ms} />
            <span class="push faint">
              <Moment iso={attempt.at} />
            </span>
          </summary>
          {attempt.detail === null ? null : <p>{attempt.detail}</p>}
          <Headers headers={attempt.request_headers} label="Request headers" />
          {attempt.response_body === null || attempt.response_body === '' ? (
            <p class="faint">The answer had no body.</p>
          ) : (
            <Code text={attempt.response_body} label="Answer" what="the answer" />
          )}
        </details>
      </li>
    ))}
  </ol>
)
