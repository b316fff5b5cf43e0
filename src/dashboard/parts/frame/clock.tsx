/** The sandbox's clock at the top of every view: what time it is there, and the buttons that move it. */
import { useState } from 'hono/jsx/dom'
import type { ClockReading } from '../../../client/types/control.js'
import type { Body } from '../../api.js'
import { dayOf, timeOf } from '../../format.js'
import { useClock, useNow } from '../../store/clock.js'
import { advance, attempt, cancelAdvance, send } from '../../store/commands.js'
import { ask } from '../../store/dialog.js'
import { Button } from '../forms/controls.js'
import { Icon } from '../icon.js'
import { Countdown } from '../text.js'

const leaps = [
  [{ by: '1m' }, '+1 min'],
  [{ by: '10m' }, '+10 min'],
  [{ by: '1d' }, '+1 day'],
  [{ until: 'idle' }, 'Until idle'],
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
        onClick={askMoment}
        title="Set the clock"
        aria-label={`${dayOf(nowMs)} ${timeOf(nowMs)} UTC. Set the clock`}
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
        {leaps.map(([wish, label]) => (
          <Button key={label} onClick={() => attempt(() => advance(wish))}>
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
      'Nothing is due'
    ) : (
      <>
        <strong class="num">{reading.due}</strong> due, next in <Countdown iso={reading.next_due} over="0 s" />
      </>
    )}
  </span>
)

function askMoment(): void {
  ask<Pick<Body<'POST /clock/advance'>, 'to' | 'by'>>({
    title: 'Set the clock',
    text: 'It moves forward only. Everything that falls due runs, in order.',
    fields: [
      { name: 'to', label: 'To this moment', kind: 'moment', hint: 'UTC.' },
      { name: 'by', label: 'Or by this much', hint: 'Seconds, or a text such as 90s, 10m, 2h, 7d.' },
    ],
    submit: 'Move the clock',
    // A picker gives no zone, and leaves out seconds that are zero.
    run: ({ to, by }) => advance({ by, to: to === undefined ? undefined : `${to}Z` }),
  })
}
