/** What happened to an object, in two lanes, your app and the platform, joined by arrows; below it, what happens next. */
import type { Child } from 'hono/jsx/dom'
import type { ObjectKind } from '../../../protocol/platform/transitions.js'
import { dayOf, longDayOf, span, timeOf } from '../../format.js'
import { t } from '../../language.js'
import { useState } from '../../store/hooks.js'
import { type Query, useQuery } from '../../store/query.js'
import { callsOfRun, type ObjectActivity, type StoryCall, type TimelineEntry, useStory } from '../../store/timeline.js'
import { Loaded, Panel } from '../layout.js'
import { type Called, runIn } from './calls.js'
import { type Shown, shownOf, Upcoming } from './moments.js'

interface TimelineProps {
  kind: ObjectKind
  activity: ObjectActivity
  /** Calls of the platform API that concern the object, if it can have some. */
  calls?: Query<{ data: readonly StoryCall[] }>
  /** Name of the payer, if known. */
  payer?: string | null | undefined
  /** The transaction, which a lost response names. */
  transaction?: Called | undefined
}

interface TransactionProps extends TimelineProps {
  calls: Query<{ data: readonly StoryCall[] }>
  transaction: Called
}

/** The timeline of a transaction: what a run of a scenario created has what that run did. */
export const TransactionTimeline = (props: TransactionProps) => {
  const run = runIn(props.transaction)
  return run === undefined ? <Timeline {...props} /> : <TimelineOfRun {...props} run={run} />
}

const TimelineOfRun = ({ run: id, calls, ...props }: TransactionProps & { run: string }) => {
  const run = useQuery('GET /runs/{id}', { params: { id } }, ['run'])
  const made = run.data === undefined ? [] : callsOfRun(run.data, props.transaction.transaction_id)
  const data = (run.data ?? run.error) && calls.data && { data: [...calls.data.data, ...made] }
  return <Timeline {...props} calls={{ ...calls, data }} />
}

export const Timeline = ({ kind, activity, calls, payer, transaction }: TimelineProps) => (
  <Panel title="Timeline">
    <Loaded of={{ data: useStory(kind, activity, calls === undefined ? [] : calls.data?.data), error: calls?.error }}>
      {(entries) => <Story {...{ entries, activity, payer, transaction }} />}
    </Loaded>
  </Panel>
)

interface StoryProps extends Pick<TimelineProps, 'activity' | 'payer' | 'transaction'> {
  entries: readonly TimelineEntry[]
}

const Story = ({ entries, activity, payer, transaction }: StoryProps) => (
  <div class="story">
    {entries[0] === undefined ? null : <p class="story-day">{longDayOf(entries[0].atMs)}</p>}
    <div class="story-row story-lanes none" aria-hidden="true">
      <span />
      <span class="story-app">Your app</span>
      <span class="story-arrow" />
      <span class="story-platform">Platform</span>
    </div>
    <ol>
      {entries.flatMap((entry, index) => {
        const before = entries[index - 1]
        const isNewDay = before !== undefined && dayOf(before.atMs) !== dayOf(entry.atMs)
        return [
          isNewDay ? (
            <li key={`day ${entry.key}`} class="story-day">
              {longDayOf(entry.atMs)}
            </li>
          ) : null,
          <Row
            key={entry.key}
            shown={shownOf(entry.moment, { payer, transaction, namesEvents: activity.events.length > 1 })}
            time={<Time entry={entry} before={before} />}
          />,
        ]
      })}
    </ol>
    <Upcoming activity={activity} />
  </div>
)

/** As the clock shows it, so that the difference of two shown times is the one beside them. */
const inSeconds = (atMs: number) => Math.floor(atMs / 1000) * 1000

/** The time, unless it is that of the row above, and how much later that is. */
const Time = ({ entry: { atMs }, before }: { entry: TimelineEntry; before: TimelineEntry | undefined }) =>
  before !== undefined && timeOf(before.atMs) === timeOf(atMs) && dayOf(before.atMs) === dayOf(atMs) ? null : (
    <time class="num" dateTime={new Date(atMs).toISOString()}>
      {timeOf(atMs)}
      {before === undefined ? null : <span class="story-gap">+{span(inSeconds(atMs) - inSeconds(before.atMs))}</span>}
    </time>
  )

interface RowProps {
  shown: Shown
  time: Child
}

/** The details are rendered once they are open. */
const Row = ({ shown: { arrow, tone, app, platform, more }, time }: RowProps) => {
  const [open, setOpen] = useState(false)
  const label = open ? t`Hide ${more?.name ?? ''}` : t`Show ${more?.name ?? ''}`
  return (
    <li class={`story-row ${arrow} ${tone ?? ''}`}>
      <span class="story-at">{time}</span>
      <div class="story-app" data-lane={t`Your app`}>
        {app}
      </div>
      <span class="story-arrow" />
      <div class="story-platform">{platform}</div>
      {more === undefined ? null : (
        <button
          type="button"
          class="quiet story-toggle"
          aria-expanded={open ? 'true' : 'false'}
          aria-label={label}
          title={label}
          onClick={() => setOpen(!open)}
        >
          JSON
        </button>
      )}
      {open && more !== undefined ? <div class="story-more">{more.render()}</div> : null}
    </li>
  )
}
