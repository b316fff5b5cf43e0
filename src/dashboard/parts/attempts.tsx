/** The attempts to deliver an event: request, response, duration, and why they failed. */
import type { Webhook, WebhookAttempt } from '../../client/types/control.js'
import { outcomeWords } from '../../protocol/platform/failures.js'
import { duration, moment, sentence } from '../format.js'
import { t } from '../language.js'
import { useState } from '../store/hooks.js'
import { reasonOf } from '../store/redelivery.js'
import { link } from '../store/route.js'
import { Code, Headers } from './code.js'
import { Button, Details, Select } from './forms/controls.js'
import { Empty, Panel } from './layout.js'
import { type Column, Table } from './table.js'
import { Due, Duration, Fault, HttpStatus, Moment, WrappedText } from './text.js'

/** Whether the receiver did with the attempt what it should: accept a right one, refuse an altered one. */
export const isRightly = ({ verdict, outcome }: WebhookAttempt): boolean =>
  verdict === undefined ? outcome === 'ok' : verdict === 'rightly_refused'

/** The name of the built-in inbox that a URL leads to; undefined if it leads elsewhere. */
export const inboxName = (url: string | null): string | undefined => url?.split('/_sandbox/inbox/')[1]

/** The built-in inbox accepts what it gets, so that what it answered is no fault of an app. */
export const isInbox = (url: string | null): boolean => inboxName(url) !== undefined

/** The loopback host has several names. */
const withOneHost = (url: string) => url.replace(/^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/])/, '$1localhost')

export const isSameInbox = (url: string | null, own: string): boolean =>
  url !== null && withOneHost(url) === withOneHost(own)

interface Answered {
  attempt: WebhookAttempt
  url: string | null
}

/** The response of the receiver at `url` in a few words, and whether it is right. */
export const OutcomeText = ({ attempt, url }: Answered) => (
  <>
    <Response {...attempt} />{' '}
    {attempt.verdict === undefined ? null : isRightly(attempt) ? (
      <span class="faint">Refused, as it should be</span>
    ) : (
      <strong class={isInbox(url) ? 'faint' : 'bad-text'}>
        {attempt.faults?.includes('tamper: timestamp')
          ? 'Accepted although the timestamp is too old; expected 401'
          : 'Accepted although the signature is wrong; expected 401'}
        {isInbox(url) ? '. The built-in inbox accepts everything; point the webhook at your app to test it.' : null}
      </strong>
    )}
  </>
)

/** The same where several receivers can stand: the built-in inbox, which is no app, is named. */
export const Outcome = (answered: Answered) => (
  <>
    {isInbox(answered.url) ? <span class="faint">Built-in inbox:</span> : null} <OutcomeText {...answered} />
  </>
)

const Response = ({ status, outcome, duration_ms: ms }: WebhookAttempt) => (
  <span class="row">
    {status === null ? (
      <span class="bad-text">{sentence(t(outcomeWords[outcome]))}</span>
    ) : (
      <>
        Response <HttpStatus of={{ status }} />
      </>
    )}{' '}
    <Duration ms={ms} />
  </span>
)

type ChosenAttempt = Omit<Parameters<typeof Select>[0], 'choices'> & { attempts: readonly WebhookAttempt[] }

export const AttemptSelect = ({ attempts, ...chosen }: ChosenAttempt) => (
  <Select {...chosen} choices={attempts.map(({ number }) => [String(number), t`Attempt ${number}`] as const)} />
)

/** What was done to an attempt before it was sent. */
export const AttemptFault = ({ of: { chaos, faults = chaos } }: { of: WebhookAttempt }) => (
  <Fault of={{ chaos, faults }} />
)

/** Headers as sent, and the response of the receiver. */
export const AttemptDetails = ({
  attempt: { status, detail, request_headers, request_body, signed_body, response_body },
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
    {request_body === null ? null : (
      <Code
        text={request_body}
        original={signed_body}
        label={signed_body === undefined ? 'Request body' : 'Request body, altered after it was signed'}
        noun="the body"
      />
    )}
    <Headers headers={request_headers} label="Request headers" />
  </>
)

const AttemptList = ({ attempts, url }: Pick<Webhook, 'attempts' | 'url'>) => (
  <ol class="attempts">
    {attempts.map((attempt) => (
      <li key={String(attempt.number)}>
        <details>
          <summary>
            <span class="num">#{attempt.number}</span>
            <Outcome attempt={attempt} url={url} /> <AttemptFault of={attempt} />
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

// Two attempts of one webhook side by side: what differs in what was sent and what came back, then what is equal.

/** Every field of an attempt as text. Headers stand under their own names. */
const fieldsOf = (attempt: WebhookAttempt): Record<string, string> => ({
  Time: `${moment(attempt.at, null)}.${attempt.at.slice(20, 23)}`,
  Outcome: t(outcomeWords[attempt.outcome]),
  'HTTP status': String(attempt.status ?? t('none')),
  Duration: duration(attempt.duration_ms),
  Response: attempt.response_body ?? '',
  Body: attempt.request_body ?? '',
  ...attempt.request_headers,
})

const AttemptComparison = ({ attempts }: Pick<Webhook, 'attempts' | 'url'>) => {
  const [pair, choose] = useState<readonly string[]>(attempts.slice(-2).map(({ number }) => String(number)))
  const [left = {}, right = {}] = pair.map((one) => {
    const found = attempts.find(({ number }) => String(number) === one)
    return found === undefined ? {} : fieldsOf(found)
  })
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  const different = names.filter((name) => left[name] !== right[name])
  const equal = names.filter((name) => !different.includes(name))
  const columnOf = (name: string, side: Record<string, string>) => ({
    name,
    cell: (field: string) => <WrappedText>{side[field] ?? ''}</WrappedText>,
  })
  const [first, second] = [columnOf(t`Attempt ${pair[0] ?? ''}`, left), columnOf(t`Attempt ${pair[1] ?? ''}`, right)]
  return (
    <>
      <div class="row">
        {['First attempt', 'Second attempt'].map((side, index) => (
          <AttemptSelect
            key={side}
            attempts={attempts}
            accessibleName={side}
            value={pair[index] ?? ''}
            choose={(chosen) => choose(pair.map((one, at) => (at === index ? chosen : one)))}
          />
        ))}
      </div>
      <p>{differenceText(different)}</p>
      {different.length === 0 ? null : (
        <div class="differences">
          <Fields label="Comparison of two attempts" rows={different} columns={[first, second]} />
        </div>
      )}
      <Details summary={equal.length === 1 ? '1 equal field' : t`${equal.length} equal fields`}>
        {() => <Fields label="Equal fields" rows={equal} columns={[columnOf('Both attempts', left)]} />}
      </Details>
    </>
  )
}

/** Two attempts are always made at different times. */
function differenceText(fields: readonly string[]): string {
  const notable = fields.filter((field) => field !== 'Time' && field !== 'Duration')
  return notable.length === 0
    ? 'Both attempts sent the same request and got the same response.'
    : t`The attempts differ in: ${notable.map((field) => t(field)).join(', ')}.`
}

const Fields = ({ label, rows, columns }: { label: string; rows: readonly string[]; columns: Column<string>[] }) => (
  <Table
    {...{ label, rows }}
    keyOf={(field) => field}
    columns={[{ name: 'Field', cell: (field) => field }, ...columns]}
  />
)

/** The last attempt, unless the receiver did with it what it should. */
export const FailureReason = ({ webhook: { attempts, url, next_attempt_at: nextAt } }: { webhook: Webhook }) => {
  const last = attempts.at(-1)
  if (last === undefined || last.outcome === 'ok' || last.verdict !== undefined) return null
  const times = attempts.length === 1 ? 'once' : t`${attempts.length} times`
  return (
    <div class="failure reason">
      <p>
        <strong>Not delivered: {reasonOf(last)}</strong>
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
      {attempts.length > 0 ? <Shown attempts={attempts} url={url} /> : <NoAttempt url={url} />}
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
