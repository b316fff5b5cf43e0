/** The webhooks of a recording: attempts grouped by event, ordered by first attempt. */

import { type EventName, eventTable, lowerCaseWebhookHeaders } from '../../../inside/platform.js'
import { type Fields, fieldsIn, fieldsOfJson, isKeyOf, JsonNumber, mapRows, parseJson } from '../../../inside/values.js'
import type { Exchange } from '../har/exchange.js'

export interface RecordedEvent {
  /** The recorded requests that deliver this event, by time. */
  attempts: [Exchange, ...Exchange[]]
  /** null if it is not a JSON object. */
  body: Fields | null
  /** null if it is not a documented event. */
  event: EventName | null
  /** `data` of the body. Numbers become text, because amounts are documented as text. */
  data: Fields
}

export class RecordedEvents {
  /** By the first attempt. */
  readonly #byEntry = new Map<Exchange, RecordedEvent>()
  readonly #byObject = new Map<string, Fields>()

  constructor(entries: readonly Exchange[]) {
    const byIdOrBody = new Map<string, RecordedEvent>()
    for (const entry of entries) {
      const id = entry.headers.get(lowerCaseWebhookHeaders.id) ?? ''
      const hook = byIdOrBody.get(id === '' ? `${entry.body}` : id) ?? byIdOrBody.get(`${entry.body}`)
      if (hook !== undefined) {
        hook.attempts.push(entry)
        continue
      }
      const newHook = hookOf(entry)
      byIdOrBody.set(id, newHook)
      byIdOrBody.set(`${entry.body}`, newHook)
      this.#byEntry.set(entry, newHook)
      this.#index(newHook)
    }
    for (const hook of this.all()) if (hook.event === null) hook.event = this.#intendedEvent(hook)
  }

  /** The documented event that a webhook with another name stands for, unless that was sent too. */
  #intendedEvent({ body, data }: RecordedEvent): EventName | null {
    const name = `${String(body?.event).split('.')[0]}.${String(data.status)}`
    const { transaction_id: id } = data
    const isIntended = isKeyOf(eventTable, name) && typeof id === 'string' && this.findData(name, id) === undefined
    return isIntended ? name : null
  }

  /** The event whose first attempt is this entry. */
  startingAt = (entry: Exchange): RecordedEvent | undefined => this.#byEntry.get(entry)
  all = (): RecordedEvent[] => [...this.#byEntry.values()]
  /** The `data` of a webhook, by event and platform id. */
  findData = (event: EventName, id: string): Fields | undefined => this.#byObject.get(`${event} ${id}`)
  /** Whether at least `leastEvents` have this name, and a field has the same value in all of them. */
  isConstant(event: EventName, [field, leastEvents]: readonly [field: string, leastEvents: number]): boolean {
    const values = this.all().flatMap(({ event: name, data }) => (name === event ? [data[field]] : []))
    return values.length >= leastEvents && new Set(values).size === 1
  }

  #index({ event, data }: RecordedEvent): void {
    if (event === null) return
    for (const name of ['transaction_id', 'original_transaction_id', 'original_conversion_id', 'infraction_id']) {
      const id = data[name]
      if (typeof id === 'string') this.#byObject.set(`${event} ${id}`, data)
    }
  }
}

function hookOf(entry: Exchange): RecordedEvent {
  const body = bodyOf(entry.body ?? '')
  const name = body === null ? undefined : body.event
  const header = entry.headers.get(lowerCaseWebhookHeaders.event)
  const event = [name, header].find((one): one is EventName => typeof one === 'string' && isKeyOf(eventTable, one))
  return { attempts: [entry], body, event: event ?? null, data: numbersAsText(fieldsIn(body?.data)) }
}

const numbersAsText = (data: Fields): Fields =>
  mapRows(data, (value) => (value instanceof JsonNumber ? value.text : value))

/** Null if the body is not a JSON object. */
export const bodyOf = (text: string): Fields | null => fieldsOfJson(text, (body) => parseJson(body))
