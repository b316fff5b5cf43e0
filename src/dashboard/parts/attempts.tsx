/** All attempts to deliver an event: request, response, duration. */
import type { WebhookAttempt } from '../../client/types/control.js'
import { outcomeWords } from '../../protocol/platform/failures.js'
import { sentence } from '../format.js'
import { t } from '../language.js'
import { Code, Headers } from './code.js'
import { Duration, Fault, HttpStatus, Moment } from './text.js'

/** The response of the receiver in a few words. */
export const Outcome = ({ attempt: { status, outcome, duration_ms: ms, chaos } }: { attempt: WebhookAttempt }) => (
  <span class="row">
    {status === null ? (
      <span class="bad-text">{sentence(t(outcomeWords[outcome]))}</span>
    ) : (
      <>
        Response <HttpStatus of={{ status }} />
      </>
    )}{' '}
    <Duration ms={ms} /> <Fault of={{ chaos, faults: chaos }} />
  </span>
)

/** Headers as sent, and the response of the receiver. */
export const AttemptDetails = ({
  attempt: { status, detail, request_headers, response_body },
}: {
  attempt: WebhookAttempt
}) => (
  <>
    {detail === null ? null : <p>{detail}</p>}
    {response_body === null || response_body === '' ? (
      <p class="faint">{status === null ? 'No response was received.' : 'The receiver sent an empty body.'}</p>
    ) : (
      <Code text={response_body} label="Response" noun="the response" />
    )}
    <Headers headers={request_headers} label="Request headers" />
  </>
)

export const AttemptList = ({ attempts }: { attempts: readonly WebhookAttempt[] }) => (
  <ol class="attempts">
    {attempts.map((attempt) => (
      <li key={String(attempt.number)}>
        <details>
          <summary>
            <span class="num">#{attempt.number}</span>
            <Outcome attempt={attempt} />
            <span class="push faint">
              <Moment iso={attempt.at} />
            </span>
          </summary>
          <AttemptDetails attempt={attempt} />
        </details>
      </li>
    ))}
  </ol>
)
