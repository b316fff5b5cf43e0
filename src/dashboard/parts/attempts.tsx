/** All attempts to deliver an event: request, answer, duration. */
import type { WebhookAttempt } from '../../client/types/control.js'
import { outcomeWords } from '../../protocol/platform/outcomes.js'
import { Code, Headers } from './code.js'
import { Chaos, Duration, HttpStatus, Moment, Pill } from './text.js'

export const AttemptList = ({ attempts }: { attempts: readonly WebhookAttempt[] }) => (
  <ol class="attempts">
    {attempts.map((attempt) => (
      <li key={String(attempt.number)}>
        <details>
          <summary>
            <span class="num">#{attempt.number}</span>
            <Pill status={outcomeWords[attempt.outcome]} tone={attempt.outcome === 'ok' ? 'ok' : 'bad'} />
            {attempt.status === null ? null : <HttpStatus status={attempt.status} />}
            <Duration ms={attempt.duration_ms} />
            <Chaos faults={attempt.chaos} />
            <span class="push faint">
              <Moment iso={attempt.at} />
            </span>
          </summary>
          {attempt.detail === null ? null : <p>{attempt.detail}</p>}
          <Headers headers={attempt.request_headers} label="Request headers" />
          {attempt.response_body === null || attempt.response_body === '' ? (
            <p class="faint">The response had no body.</p>
          ) : (
            <Code text={attempt.response_body} label="Answer" noun="the response" />
          )}
        </details>
      </li>
    ))}
  </ol>
)
