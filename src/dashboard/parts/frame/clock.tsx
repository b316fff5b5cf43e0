/** The sandbox's clock above every view: its time, and its controls. */
import { useState } from 'hono/jsx/dom'
import type { ClockReading } from '../../../client/types/control.js'
import type { Body } from '../../api.js'
import { dayOf, timeOf } from '../../format.js'
import { useClock, useNow } from '../../store/clock.js'
import { advance, attempt, cancelAdvance, send } from '../../store/commands.js'
import { openForm } from '../../store/dialog.js'
import { Button } from '../forms/controls.js'
import { Icon } from '../icon.js'
import { Countdown } from '../text.js'

const advanceButtons = [
  [{ by: '1m' }, '+1 min'],
  [{ by: '10m' }, '+10 min'],
  [{ by: '1d' }, '+1 day'],
  [{ until: 'idle' }, 'Run all jobs'],
] as const

export const Clock = () => {
  const reading = useClock()
  const nowMs = useNow()
  const [folded, setFolded] = useState(true)
  if (reading === undefined) return <div class="clock" />
  const frozen = reading.mode === 'manual'
  return (
    <section class={`clock${frozen ? ' frozen' : ''}${folded ? ' folded' : ''}`} aria-label="The sandbox's clock">
      <button
        type="button"
        class="clock-face"
        onClick={askClockTime}
        title="Advance the clock"
        aria-label={`${dayOf(nowMs)} ${timeOf(nowMs)} UTC. Advance the clock`}
      >
        <span class="clock-day num">{dayOf(nowMs)}</span> <span class="clock-time num">{timeOf(nowMs)}</span>{' '}
        <span class="faint">UTC</span>
      </button>
      <button
        type="button"
        class="quiet fold"
        aria-expanded={folded ? 'false' : 'true'}
        onClick={() => setFolded(!folded)}
      >
        {folded ? 'Clock controls' : 'Fold'}
      </button>
      <div class="clock-buttons">
        <Button onClick={() => attempt(() => send('PUT /clock', { body: { mode: frozen ? 'realtime' : 'manual' } }))}>
          <Icon name={frozen ? 'play' : 'pause'} />
          {frozen ? 'Resume' : 'Freeze'}
        </Button>
        {advanceButtons.map(([target, label]) => (
          <Button key={label} onClick={() => attempt(() => advance(target))}>
            {label}
          </Button>
        ))}
        {reading.advancing !== null && <Button onClick={() => attempt(cancelAdvance)}>Cancel</Button>}
      </div>
      <Due reading={reading} />
    </section>
  )
}

const Due = ({ reading }: { reading: ClockReading }) => (
  <span class="clock-due">
    {reading.advancing !== null ? (
      <>
        Advancing: <strong class="num">{reading.advancing.in_flight.length}</strong> in flight
      </>
    ) : reading.due === 0 || reading.next_due === null ? (
      'No scheduled jobs'
    ) : (
      <>
        <strong class="num">{reading.due}</strong> scheduled, next in <Countdown iso={reading.next_due} over="0 s" />
      </>
    )}
  </span>
)

function askClockTime(): void {
  openForm<Pick<Body<'POST /clock/advance'>, 'to' | 'by'>>({
    title: 'Advance the clock',
    text: 'The clock moves only forward. All jobs that become due run in order.',
    fields: [
      { name: 'to', label: 'Advance to', kind: 'moment', hint: 'UTC.' },
      { name: 'by', label: 'Or advance by', hint: 'Seconds, or a duration such as 90s, 10m, 2h, 7d.' },
    ],
    submit: 'Advance',
    // A date picker returns no time zone, and omits seconds that are zero.
    run: ({ to, by }) => advance({ by, to: to === undefined ? undefined : `${to}Z` }),
  })
}
