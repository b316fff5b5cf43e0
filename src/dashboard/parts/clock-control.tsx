/** The clock with all that it can do: its mode, how far to advance it, and what would happen on the way. */
import { parseDuration } from '../../base/duration.js'
import { keysOf } from '../../base/keys.js'
import { jobTable } from '../../protocol/platform/transitions.js'
import { type Body, failureOf, type Failure as Refusal } from '../api.js'
import { dateOf, sentence, timeOf, webhookJob } from '../format.js'
import { t } from '../language.js'
import { advance, attempt, cancelAdvance, send } from '../store/commands.js'
import { typedIn, useEffect, useState } from '../store/hooks.js'
import {
  clockTopics,
  type Distance,
  type Reading,
  takeDistance,
  useClockQuery,
  useNow,
  useQuery,
} from '../store/query.js'
import { link } from '../store/route.js'
import { Button, Icon, Input } from './forms/controls.js'
import { Failure, Loaded } from './layout.js'
import { Moment } from './text.js'

type Target = Body<'POST /clock/advance'>

/** How far: the name of the choice, and the target. */
const choices: readonly (readonly [label: string, by: string])[] = [
  ['1 min', '1m'],
  ['10 min', '10m'],
  ['1 hour', '1h'],
  ['1 day', '1d'],
  ['1 week', '7d'],
]

interface Plan {
  /** Text of the button. */
  label: string
  target: Target
  /** Time on the clock where it ends; undefined if only the last job decides. */
  toMs?: number | undefined
}

/** null: the text is not a duration or a time yet, or the clock has passed the time. */
function planOf(choice: string, typed: string, nowMs: number, nextDue: string | null): Plan | null {
  if (choice === 'idle') return { label: 'Advance until idle', target: { until: 'idle' } }
  if (choice === 'next')
    return nextDue === null
      ? null
      : { label: 'Advance to the next job', target: { to: nextDue }, toMs: Date.parse(nextDue) }
  // A date picker returns no time zone, and omits seconds that are zero.
  const toMs =
    choice === 'to' ? Date.parse(`${typed}Z`) : nowMs + (parseDuration(choice === 'by' ? typed : choice) ?? Number.NaN)
  if (!(toMs > nowMs)) return null
  if (choice === 'to') return { label: 'Advance to this time', target: { to: new Date(toMs).toISOString() }, toMs }
  const by = choice === 'by' ? typed : choice
  return { label: t`Advance by ${t(choices.find(([, own]) => own === by)?.[0] ?? by)}`, target: { by }, toMs }
}

const noPlan = (choice: string, typed: string): string =>
  choice === 'next'
    ? 'No job is scheduled.'
    : choice === 'to' && typed !== ''
      ? 'The clock has passed this time. Enter a later one.'
      : 'Enter how far to advance the clock.'

export const ClockControl = () => <Loaded of={useClockQuery()}>{(reading) => <Control reading={reading} />}</Loaded>

const Control = ({ reading }: { reading: Reading }) => {
  const [{ choice, typed }, setDistance] = useState(takeDistance)
  const [error, setError] = useState<Refusal | null>(null)
  const plan = planOf(choice, typed, reading.nowMs, reading.next_due)
  useEffect(() => {
    document.querySelector<HTMLElement>('.clock-control :checked')?.focus()
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    if (plan === null) return
    setError(null)
    // The clock has reached a given time, which is none to advance to any more.
    const reset = () => choice === 'to' && setDistance(takeDistance())
    advance(plan.target).then(reset, (thrown: unknown) => setError(failureOf(thrown)))
  }
  return (
    <form class="clock-control" onSubmit={submit} novalidate>
      <Mode frozen={reading.mode === 'manual'} />
      <Choices {...{ choice, typed }} choose={setDistance} idle={reading.next_due === null} />
      <div class="row">
        <button type="submit" class="button primary" disabled={plan === null}>
          {plan?.label ?? 'Advance'}
        </button>
        {reading.advancing === null ? null : (
          <>
            <Button onClick={() => attempt(cancelAdvance)}>Cancel</Button>
            <span class="faint">Advancing; waiting for {reading.advancing.in_flight.length} webhooks</span>
          </>
        )}
      </div>
      {error === null ? null : <Failure error={error} />}
      {/* Last, because it grows and shrinks: the button stays where it is. */}
      {plan === null ? <p class="faint">{noPlan(choice, typed)}</p> : <Preview toMs={plan.toMs} />}
    </form>
  )
}

const Mode = ({ frozen }: { frozen: boolean }) => (
  <div class="clock-mode">
    <p>
      <ClockNow />
      {frozen
        ? 'The clock is frozen. Time moves only when you advance it, so nothing expires, settles or is sent again meanwhile.'
        : 'The clock runs with real time. Jobs run when they are due.'}
    </p>
    <ModeButton frozen={frozen} />
  </div>
)

const ClockNow = () => {
  const nowMs = useNow()
  return (
    <strong class="clock-now num">
      {dateOf(nowMs, null)} {timeOf(nowMs)} UTC
    </strong>
  )
}

interface ChoicesProps extends Distance {
  choose: (distance: Distance) => void
  /** No job is scheduled. */
  idle: boolean
}

const Choices = ({ choice, typed, choose, idle }: ChoicesProps) => {
  const radio = (value: string, label: string, disabled = false) => (
    <label key={value} class="chip">
      <input
        type="radio"
        name="target"
        {...{ value, disabled }}
        checked={choice === value}
        onChange={() => choose({ choice: value, typed: '' })}
      />{' '}
      {label}
    </label>
  )
  const onInput = (event: Event) => choose({ choice, typed: typedIn(event) })
  return (
    <>
      <fieldset class="chips">
        <legend>Advance by</legend>
        {choices.map(([label, by]) => radio(by, label))}
        {radio('by', 'Other')}
      </fieldset>
      <fieldset class="chips">
        <legend>or to</legend>
        {radio('next', 'The next job', idle)}
        {radio('idle', 'The last job', idle)}
        {radio('to', 'A given time')}
      </fieldset>
      {choice === 'by' ? (
        <label class="row" for="clock-by">
          Duration <Input key="by" id="clock-by" value={typed} placeholder="90s, 45m, 2h, 3d" onInput={onInput} />
        </label>
      ) : choice === 'to' ? (
        <label class="row" for="clock-to">
          Time in UTC <Input key="to" id="clock-to" type="datetime-local" value={typed} step="any" onInput={onInput} />
        </label>
      ) : null}
    </>
  )
}

export const ModeButton = ({ frozen }: { frozen: boolean }) => (
  <Button onClick={() => attempt(() => send('PUT /clock', { body: { mode: frozen ? 'realtime' : 'manual' } }))}>
    <Icon name={frozen ? 'play' : 'pause'} />
    {frozen ? 'Resume' : 'Freeze'}
  </Button>
)

/** The jobs that are shown; the sentence counts all. */
const shownJobs = 100

const Preview = ({ toMs }: { toMs: number | undefined }) => {
  const query = { limit: shownJobs, ...(toMs === undefined ? {} : { to: new Date(toMs).toISOString() }) }
  const jobs = useQuery('GET /clock/jobs', { query }, clockTopics)
  return (
    <div class="clock-preview" aria-live="polite">
      <Loaded of={jobs}>
        {({ data, counts }) => {
          const words = keysOf(jobTable).flatMap((kind) => {
            const count = counts[kind] ?? 0
            return count === 0 ? [] : [`${count} ${t(jobTable[kind][count === 1 ? 'one' : 'many'])}`]
          })
          const total = Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0)
          return (
            <>
              <p>
                {words.length === 0
                  ? 'No job is due until then.'
                  : t`Jobs that run, at least ${total}: ${words.join(', ')}. Those that they cause run too: webhooks, and retries of webhooks that fail.`}
              </p>
              {data.length === 0 ? null : <JobList rows={data} />}
              {total > data.length ? <p class="faint">and {total - data.length} more</p> : null}
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

const viewOf = {
  expire: 'transactions',
  settle: 'transactions',
  deliver: 'webhooks',
  deadline: 'disputes',
  scenario: 'runs',
}

type Job = { at: string; job: keyof typeof viewOf; id: string; event: string | null }

const JobList = ({ rows }: { rows: readonly Job[] }) => (
  <ol class="job-list">
    {rows.map(({ at, job, id, event }) => (
      <li key={`${at} ${job} ${id}`}>
        <Moment iso={at} />
        <a href={link(viewOf[job], id)}>{event === null ? sentence(t(jobTable[job].one)) : webhookJob(event)}</a>
        <code class="faint">{id}</code>
      </li>
    ))}
  </ol>
)
