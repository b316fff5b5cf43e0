/** Puts each webhook where its change happened, because it can arrive after later calls. */
import { type Fields, minuteMs, parseMoment } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'
import { isCall, type RecordedCall } from '../har/recording.js'
import { observedIn } from '../judge/event-fields.js'
import { causes } from './causes.js'
import { isTimed, timeIn } from './pace.js'
import type { RecordedEvents } from './recorded-events.js'

/** A webhook that says an earlier time has a wrong time, such as one of another zone. */
const mostLateMs = 20 * minuteMs

type Entry = RecordedCall | Exchange

/** `skewMs` is how far the platform's clock is ahead of the recorder's. */
export function inOrderOfChanges(
  entries: readonly Entry[],
  bodies: ReadonlyMap<Entry, Fields | null>,
  hooks: RecordedEvents,
  skewMs: number,
): Entry[] {
  const placed: { entry: Entry; atMs: number }[] = []
  let offsetMs = skewMs
  for (const entry of entries) {
    const body = bodies.get(entry) ?? null
    const said = timeIn(body)
    const saidMs = typeof said === 'string' ? parseMoment(said) : null
    const arrivedMs = entry.startedMs + offsetMs
    const atMs = saidMs ?? arrivedMs
    if (isCall(entry) && saidMs !== null && isTimed(body)) offsetMs = saidMs - entry.startedMs
    let at = placed.length
    const seesEarlier =
      isCall(entry) || arrivedMs - atMs > mostLateMs ? () => true : seesUnchanged(entry, hooks, bodies)
    for (let before = placed[at - 1]; before !== undefined && before.atMs > atMs; before = placed[at - 1]) {
      if (seesEarlier(before.entry)) break
      at--
    }
    placed.splice(at, 0, { entry, atMs })
  }
  return placed.map(({ entry }) => entry)
}

/** Whether an entry shows the object of a webhook before its change. Changes that a call makes stay after that call. */
function seesUnchanged(
  hook: Entry,
  hooks: RecordedEvents,
  bodies: ReadonlyMap<Entry, Fields | null>,
): (entry: Entry) => boolean {
  const { event, data } = hooks.startingAt(hook) ?? { event: null, data: {} }
  const row = event === null ? undefined : causes[event]
  if (event === null || row === undefined || event === 'chargeback.responded') return () => true
  const id = data.infraction_id ?? data[row.subject]
  const status = data.status ?? event.slice(event.indexOf('.') + 1)
  return (entry) => isCall(entry) && observedIn(bodies.get(entry)).some((one) => one.id === id && one.status !== status)
}
