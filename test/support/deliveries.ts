/** Common steps of tests of webhook delivery and of the clock: paying charges, reading events with their attempts, advancing the clock. */
import { openClient } from './client.js'
import { eventually } from './eventually.js'
import { type Answer, type Body, control } from './http.js'

export interface Deliveries {
  /** Calls the control API, and fails unless the call succeeds. */
  call(method: string, path: string, body?: unknown): Promise<Body>
  /** Calls the control API and returns any response. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** Creates charges with these external ids. */
  charge(names: readonly string[], postbackUrl?: string): Promise<void>
  /** Creates charges and pays one after the other. */
  pay(names: readonly string[], postbackUrl?: string): Promise<void>
  /** Returns the newest event of the charge with an external id, with its attempts. */
  event(name: string): Promise<Body>
  /** Waits until `holds` is true for that event. */
  eventOnce(name: string, holds: (event: Body) => boolean): Promise<Body>
  advance(given: object): Promise<Body>
  /** Returns the business time in epoch milliseconds. */
  now(): Promise<number>
}

/** `url` is the base URL of a sandbox or workspace; `username` owns the charges. */
export async function deliveriesOf(url: string, username = 'merchant'): Promise<Deliveries> {
  const ask = control(url)
  const api = await openClient(url, username)
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const event = async (name: string) => {
    const { data } = await call('GET', `/webhooks?external_id=${name}&limit=1`)
    return call('GET', `/webhooks/${data[0].id}`)
  }
  const charge: Deliveries['charge'] = async (names, postbackUrl) => {
    const more = postbackUrl === undefined ? {} : { postback_url: postbackUrl }
    await Promise.all(names.map((external_id) => api.charge({ external_id, ...more })))
  }
  return {
    call,
    ask,
    charge,
    async pay(names, postbackUrl) {
      await charge(names, postbackUrl)
      for (const id of names) await call('POST', '/trigger', { action: 'cashin.pay', id })
    },
    event,
    eventOnce: (name, holds) => eventually(() => event(name), holds),
    advance: (given) => call('POST', '/clock/advance', given),
    now: async () => Date.parse((await call('GET', '/clock')).now),
  }
}

export const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`)

/** Returns when each attempt began, in milliseconds of business time after the first. */
export const offsetsOf = (event: Body): number[] =>
  event.attempts.map(({ at }: { at: string }) => Date.parse(at) - Date.parse(event.attempts[0].at))

/** Returns the milliseconds from the creation of the event to its next attempt. */
export const nextInMs = (event: Body): number => Date.parse(event.next_attempt_at) - Date.parse(event.created_at)

/**
 * The average distance of webhooks from their expected position. They start in order but use several connections, so on a busy
 * machine one may arrive late, after many others.
 */
export function disorder(arrived: readonly string[], expected: readonly string[]): number {
  const places = new Map(arrived.map((name, index) => [name, index]))
  const away = expected.map((name, index) => Math.abs((places.get(name) ?? Number.POSITIVE_INFINITY) - index))
  return away.reduce((sum, each) => sum + each, 0) / expected.length
}
