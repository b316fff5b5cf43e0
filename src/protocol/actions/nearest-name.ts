/** Suggests the name that was meant, also where an event was given the name of its action, its result or its object in plain words. */

import { isKeyOf } from '../../base/keys.js'
import { nearest } from '../../base/text.js'
import { type EventName, eventTable } from '../platform/events.js'
import { type TransitionRow, transitions } from '../platform/transitions.js'

const rows: readonly TransitionRow[] = transitions

/** Words of other platforms for an object. */
const objectWords: Readonly<Record<string, readonly string[]>> = {
  cashin: ['charge', 'payment', 'pix', 'wallet'],
  cashout: ['withdrawal', 'payout'],
}
/** Words of other platforms for the end of a transition. */
const resultWords: Readonly<Record<string, readonly string[]>> = {
  confirmed: ['completed', 'paid', 'received', 'settled', 'succeeded'],
  failed: ['rejected', 'declined'],
  open: ['created'],
}

/** `cashin.pay`, `charge.paid` and `cashin.completed` for `cashin.confirmed`; the first event of a name wins. */
function eventsByWords(): Map<string, EventName> {
  const found = new Map<string, EventName>()
  for (const { object, on, to, event } of rows) {
    if (event === undefined) continue
    const [group = ''] = event.split('.')
    for (const first of [object, group, ...(objectWords[object] ?? [])])
      for (const last of [on, to, ...(resultWords[to] ?? [])])
        if (!found.has(`${first}.${last}`)) found.set(`${first}.${last}`, event)
  }
  return found
}

/** The name that a typing error explains, or the event that was meant; null if there is none. */
export function nearestName(text: string, names: readonly string[]): string | null {
  const typed = nearest(text, names)
  if (typed !== null || !names.some((name) => isKeyOf(eventTable, name))) return typed
  const events = eventsByWords()
  const event = events.get(nearest(text, [...events.keys()]) ?? '')
  return names.find((name) => name === event) ?? null
}
