/** What would happen to an object next, and when: its scheduled jobs and the next attempts of its events. */
import type { DueJob } from '../../../client/types/control.js'
import { webhookJob } from '../../format.js'
import { t } from '../../language.js'
import { advance, attempt } from '../../store/commands.js'
import type { ObjectActivity } from '../../store/timeline.js'
import { Button } from '../forms/controls.js'
import { Due } from '../text.js'
import { attemptText } from './moments.js'

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
      text: href === undefined ? jobTexts[job] : t`Disputed: ${t(jobTexts[job]).toLowerCase()}`,
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
          {waits.find(([action]) => activity.allowed.includes(action))?.[1] ?? 'Nothing scheduled'}
        </span>
      ) : (
        <>
          <Subject row={next} /> <Due iso={next.at} over="a moment" />
        </>
      )}
    </p>
  )
}

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
            <Button
              tone="quiet"
              accessibleName={t`Advance the clock to this time: ${t(row.text)}`}
              onClick={() => attempt(() => advance({ to: row.at }))}
            >
              Advance the clock to this time
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
