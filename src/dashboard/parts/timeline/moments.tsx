/** How each kind of moment is shown in its lane, and what would happen next: jobs, and attempts of events. */
import type { Child } from 'hono/jsx/dom'
import { formatAmount, parseAmount } from '../../../base/money.js'
import type { DueJob, HistoryEntry, Posting, WebhookAttempt, WebhookSummary } from '../../../client/types/control.js'
import { webhookRetryDelaysMs } from '../../../protocol/platform/limits.js'
import { isDropped } from '../../../protocol/platform/payments.js'
import { webhookJob } from '../../format.js'
import { t } from '../../language.js'
import { advance, attempt } from '../../store/commands.js'
import { useQuery } from '../../store/query.js'
import { link } from '../../store/route.js'
import { actorOf, stepText } from '../../store/steps.js'
import type { ObjectActivity, Moment as StoryMoment } from '../../store/timeline.js'
import { AttemptDetails, AttemptFault, isRightly, Outcome } from '../attempts.js'
import { Code } from '../code.js'
import { Button } from '../forms/controls.js'
import { Loaded } from '../layout.js'
import { DisputePill, Due, Fault, Money, Pill, WebhookPill, WrappedText } from '../text.js'
import { bodyOf, Call, type Called, Creator, Lost, PaidTwice, Result } from './calls.js'

/** The sum of amounts with equally many decimals. */
function sumOf(amounts: readonly string[]): string {
  const scale = amounts[0]?.split('.')[1]?.length ?? 0
  const parsed = amounts.map((amount) => parseAmount(amount, scale))
  return formatAmount(
    parsed.reduce((sum, one) => sum + (one.ok ? one.minor : 0n), 0n),
    scale,
  )
}

/** Postings come in pairs: from a balance, to another. */
const isOfFee = (row: Posting | undefined) => row?.bucket === 'fees' || row?.type?.includes('_fee') === true

const Postings = ({ rows }: { rows: readonly Posting[] }) =>
  [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const own = rows.filter((row) => row.currency === currency)
    return (
      <ul key={currency} class="postings" aria-label={t`Postings in ${currency}`}>
        {own.map((row, index) => (
          <li key={String(index)}>
            <span>
              <span translate="no">{row.account}</span> <span class="faint">{row.bucket}</span>
              {isOfFee(row) || isOfFee(own[index ^ 1]) ? <span class="faint"> · Fee</span> : null}
            </span>
            <Money amount={row.amount} />
          </li>
        ))}
        <li class="faint">
          Sum, {currency} <Money amount={sumOf(own.map(({ amount }) => amount))} />
        </li>
      </ul>
    )
  })

export interface Shown {
  /** Where the message goes; `none` for what happens inside the platform. */
  arrow: 'right' | 'left' | 'none'
  /** A broken arrow ends between the lanes. */
  tone?: 'failed' | 'broken' | undefined
  app?: Child
  platform?: Child
  more?: { name: string; render: () => Child } | undefined
}

interface Context {
  transaction: Called | undefined
  /** Name of the payer, if known. */
  payer: string | null | undefined
  /** Whether an attempt names its event, as there are several. */
  namesEvents: boolean
}

export function shownOf(moment: StoryMoment, { payer, transaction, namesEvents }: Context): Shown {
  switch (moment.kind) {
    case 'request':
      return {
        ...{ arrow: 'right', more: bodyOf(moment.entry, 'request') },
        app: (
          <>
            <Call entry={moment.entry} />
            <PaidTwice entry={moment.entry} by="earlier" />
          </>
        ),
      }
    case 'response': {
      const isLost = isDropped(moment.entry)
      return {
        arrow: 'left',
        tone: isLost ? 'broken' : moment.entry.status < 400 ? undefined : 'failed',
        app: isLost ? <Lost {...moment} transaction={transaction} /> : null,
        platform: <Result entry={moment.entry} transaction={transaction} />,
        more: bodyOf(moment.entry, 'response'),
      }
    }
    case 'step':
      if (actorOf(moment.step) === 'you' && moment.row.from !== null)
        return { arrow: 'right', app: <strong>{stepText(moment.step)}</strong>, platform: <Step {...moment} /> }
      return {
        arrow: 'none',
        app: moment.isUncalled && transaction ? <Creator of={transaction} /> : null,
        platform: <Step {...moment} payer={payer} transaction={transaction} />,
      }
    case 'dispute':
      return { arrow: 'none', platform: <DisputeStep {...moment} /> }
    case 'event':
      return eventOf(moment.event, moment.attempt)
    case 'attempt':
      return {
        ...attemptOf(moment.event, moment.attempt),
        platform: (
          <span>
            {moment.isCopy ? 'Sent again after it was acknowledged' : attemptText(moment.attempt.number)}
            {namesEvents ? <code class="faint"> {moment.event.event}</code> : null} <State {...moment} />{' '}
            <AttemptFault of={moment.attempt} />
          </span>
        ),
      }
  }
}

/** `Attempt 2 of 6`. Redeliveries by hand come on top. */
function attemptText(number: number): string {
  const most = webhookRetryDelaysMs.length + 1
  return number <= most ? t`Attempt ${number} of ${most}` : t`Attempt ${number}`
}

interface StepProps {
  step: string
  row: HistoryEntry
  postings: readonly Posting[]
  payer?: string | null | undefined
  transaction?: Called | undefined
}

const Step = ({ step, row, postings, payer, transaction }: StepProps) => {
  const by = actorOf(step)
  return (
    <div class="story-step">
      <p class="row">
        {by === 'you' && row.from !== null ? null : <strong>{stepText(step)}</strong>}{' '}
        {step.startsWith('dispute.') ? (
          <DisputePill status={row.to} />
        ) : (
          <Pill status={row.to} of={step.split('.')[0]} />
        )}
        {by !== 'payer' ? null : (
          <span class="faint">
            {payer ? (
              <>
                by <WrappedText>{payer}</WrappedText>
              </>
            ) : (
              'by the payer'
            )}
          </span>
        )}
      </p>
      {step === 'cashout.fail' && transaction?.error_code ? (
        <p>
          <code>{transaction.error_code}</code> {t(transaction.error_message ?? '')}
        </p>
      ) : null}
      <Postings rows={postings} />
    </div>
  )
}

/** A charge has one dispute at a time: the newest one that had been opened by then. */
const DisputeStep = ({ step, event, to }: Extract<StoryMoment, { kind: 'dispute' }>) => {
  const disputes = useQuery('GET /disputes', { query: { transaction_id: event.transaction_id } }, [])
  const own = disputes.data?.data.find((row) => Date.parse(row.created_at) <= Date.parse(event.created_at))
  return (
    <div class="story-step">
      <p class="row">
        <strong>
          {own === undefined ? stepText(step) : <a href={link('disputes', own.infraction_id)}>{stepText(step)}</a>}
        </strong>{' '}
        <DisputePill status={to} />
      </p>
      {own === undefined ? null : <DisputePostings id={own.infraction_id} step={step} />}
    </div>
  )
}

const DisputePostings = ({ id, step }: { id: string; step: string }) => {
  const { data } = useQuery('GET /disputes/{id}', { params: { id } }, ['dispute'])
  return <Postings rows={data?.ledger.filter(({ memo }) => memo === step) ?? []} />
}

/** What an attempt led to: the last one to the state of the event, an earlier one at most to an acknowledgement. */
const State = ({ event, attempt }: Omit<Extract<StoryMoment, { kind: 'event' }>, 'kind'>) =>
  (attempt?.number ?? 0) === event.attempts ? (
    <WebhookPill row={event} />
  ) : attempt?.outcome === 'ok' && isRightly(attempt) ? (
    <Pill status="delivered" />
  ) : null

function eventOf(event: WebhookSummary, attempt: WebhookAttempt | undefined): Shown {
  const head = (
    <span class="row">
      <a href={link('webhooks', event.id)}>
        <code>{event.event}</code>
      </a>{' '}
      <State {...{ event, attempt }} /> <Fault of={event} />
    </span>
  )
  if (attempt !== undefined) return { ...attemptOf(event, attempt), platform: head }
  return {
    arrow: 'none',
    app: event.url === null ? <span class="faint">No webhook URL</span> : null,
    platform: head,
    more: { name: t`the JSON of ${event.event}`, render: () => <EventBody id={event.id} /> },
  }
}

const attemptOf = ({ event, url }: WebhookSummary, attempt: WebhookAttempt): Shown => ({
  arrow: 'left',
  tone: isRightly(attempt) ? undefined : 'failed',
  app: <Outcome attempt={attempt} url={url} />,
  more: {
    name: t`the JSON of attempt ${attempt.number} of ${event}`,
    render: () => <AttemptDetails attempt={attempt} />,
  },
})

const EventBody = ({ id }: { id: string }) => (
  <Loaded of={useQuery('GET /webhooks/{id}', { params: { id } }, [])}>
    {({ body }) => <Code text={body} label="Event" noun="the body" />}
  </Loaded>
)

interface Upcoming {
  at: string
  text: string
  href?: string | undefined
  /** Whether it concerns the object itself rather than a webhook. */
  isOwn: boolean
}

const jobTexts: Record<DueJob['job'], string> = {
  expire: 'Expires',
  settle: 'Settles',
  deadline: 'The time to reply ends',
  scenario: 'The scenario continues',
  deliver: 'Sends an event',
}

/** The soonest first. */
export function upcomingOf({ due, events }: ObjectActivity): Upcoming[] {
  return [
    ...due.map(({ job, at, href }) => ({
      ...{ at, href, isOwn: true },
      text: href === undefined || job === 'scenario' ? jobTexts[job] : t`Disputed: ${t(jobTexts[job]).toLowerCase()}`,
    })),
    ...events.flatMap(({ event, attempts, next_attempt_at: at, status }) =>
      at === null
        ? []
        : [
            {
              at,
              isOwn: false,
              text: `${webhookJob(event)}, ${status === 'queued' ? t('in the queue') : t(attemptText(attempts + 1)).toLowerCase()}`,
            },
          ],
    ),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

const Subject = ({ row: { text, href } }: { row: Upcoming }) =>
  href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>

/** What the object waits for, by an action that it allows. */
const waits = [
  ['cashin.pay', 'Waits for the payer'],
  ['dispute.win', 'Waits for the decision of the platform'],
] as const

/** The soonest in a few words, for the bar of actions: what acts on the object comes before its webhooks. */
export const NextUp = ({ activity }: { activity: ObjectActivity }) => {
  const rows = upcomingOf(activity)
  const next = rows.find(({ isOwn }) => isOwn) ?? rows[0]
  return (
    <p class="next-up">
      {next === undefined ? (
        <span class="faint">
          {activity.isPartial === true
            ? '\u2007'
            : (waits.find(([action]) => activity.allowed.includes(action))?.[1] ?? 'Nothing scheduled')}
        </span>
      ) : (
        <>
          <Subject row={next} /> <Due iso={next.at} over="a moment" />
        </>
      )}
    </p>
  )
}

export const AdvanceTo = ({ iso: to, accessibleName }: { iso: string | undefined; accessibleName?: string }) =>
  to === undefined ? null : (
    <Button tone="quiet" accessibleName={accessibleName} onClick={() => attempt(() => advance({ to }))}>
      Advance the clock to this time
    </Button>
  )

export const Upcoming = ({ activity }: { activity: ObjectActivity }) => {
  const rows = upcomingOf(activity)
  return rows.length === 0 ? null : (
    <section class="story-next" aria-label="Next">
      <h3>Next</h3>
      <ul>
        {rows.map((row) => (
          <li key={`${row.at} ${row.text}`}>
            <Subject row={row} />
            <span class="faint num">
              <Due iso={row.at} over="a moment" />
            </span>
            <AdvanceTo iso={row.at} accessibleName={t`Advance the clock to this time: ${t(row.text)}`} />
          </li>
        ))}
      </ul>
    </section>
  )
}
