/** What would happen to an object next, and when: its scheduled jobs and the next attempts of its events. */
import type { DueJob } from '../../../client/types/control.js'
import { webhookJob } from '../../format.js'
import { advance, attempt } from '../../store/commands.js'
import type { ObjectActivity } from '../../store/story.js'
import { Button } from '../forms/controls.js'
import { Due } from '../text.js'
import { attemptText } from './moments.js'

interface Upcoming {
  at: string
  text: string
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
    ...due.map(({ job, at }) => ({ at, text: jobTexts[job] })),
    ...events.flatMap(({ event, attempts, next_attempt_at: at, status }) =>
      at === null
        ? []
        : [
            {
              at,
              text: `${webhookJob(event)}, ${status === 'queued' ? 'in the queue' : attemptText(attempts + 1).toLowerCase()}`,
            },
          ],
    ),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** The soonest in a few words, for the bar of actions. */
export const NextUp = ({ life }: { life: ObjectActivity }) => {
  const [next] = upcomingOf(life)
  return (
    <p class="next-up">
      {next === undefined ? (
        <span class="faint">{life.allowed.includes('cashin.pay') ? 'Waits for the payer' : 'Nothing scheduled'}</span>
      ) : (
        <>
          {next.text} <Due iso={next.at} over="a moment" />
        </>
      )}
    </p>
  )
}

export const Upcoming = ({ life }: { life: ObjectActivity }) => {
  const rows = upcomingOf(life)
  return rows.length === 0 ? null : (
    <section class="story-next" aria-label="Next">
      <h3>Next</h3>
      <ul>
        {rows.map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            <span>{text}</span>
            <span class="faint num">
              <Due iso={at} over="a moment" />
            </span>
            <Button
              tone="quiet"
              accessibleName={`Advance the clock to this time: ${text}`}
              onClick={() => attempt(() => advance({ to: at }))}
            >
              Advance the clock to this time
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
