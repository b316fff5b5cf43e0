/** The sandbox's clock above every view: its time, its mode and the next job. It opens the control of the clock. */
import { useState } from 'hono/jsx/dom'
import { dayOf, shortDayOf, timeOf } from '../../format.js'
import { useClock, useNow } from '../../store/clock.js'
import { ClockControl, ModeButton } from '../clock-control.js'
import { Icon } from '../icon.js'
import { Due, Pill } from '../text.js'

export const Clock = () => {
  const reading = useClock()
  const nowMs = useNow()
  const [open, setOpen] = useState(false)
  if (reading === undefined) return <div class="clock" />
  const frozen = reading.mode === 'manual'
  return (
    <section class={`clock${frozen ? ' frozen' : ''}`} aria-label="The sandbox's clock">
      <button type="button" class="clock-face" popovertarget="clock-panel">
        <Icon name="clock" />
        <span class="visually-hidden">Clock:</span> <span class="clock-day num">{dayOf(nowMs)}</span>{' '}
        <span class="clock-short-day num">{shortDayOf(nowMs)}</span>{' '}
        <strong class="clock-time num">{timeOf(nowMs)}</strong> <span class="faint">UTC</span>
        <Pill status={frozen ? 'Frozen' : 'Real time'} tone={frozen ? 'info' : undefined} />
        <span class="clock-due">
          {reading.advancing !== null ? (
            'advancing…'
          ) : reading.next_due === null ? (
            'nothing scheduled'
          ) : (
            <>
              next job <Due iso={reading.next_due} over="0 s" />
            </>
          )}
        </span>
        <Icon name="down" />
      </button>
      <ModeButton frozen={frozen} />
      <div
        id="clock-panel"
        class="clock-panel"
        popover="auto"
        aria-label="Clock controls"
        role="dialog"
        onToggle={(event: Event) => setOpen(event instanceof ToggleEvent && event.newState === 'open')}
      >
        {open ? <ClockControl /> : null}
      </div>
    </section>
  )
}
