/** What tests of webhook delivery and of the clock do again and again: charges that are paid, events with their attempts, the clock. */
import { openClient } from './client.js'
import { eventually } from './eventually.js'
import { type Answer, type Body, control } from './http.js'

export interface Deliveries {
  /** A call of the control API that must succeed. */
  call(method: string, path: string, body?: unknown): Promise<Body>
  /** Any call of the control API. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** Makes charges with these external ids. */
  charge(names: readonly string[], postbackUrl?: string): Promise<void>
  /** Makes them and pays them one after the other. */
  pay(names: readonly string[], postbackUrl?: string): Promise<void>
  /** The newest event of the charge with that external id, with its attempts. */
  event(name: string): Promise<Body>
  /** Waits until it holds. */
  eventOnce(name: string, holds: (event: Body) => boolean): Promise<Body>
  advance(given: object): Promise<Body>
  /** Business time, epoch milliseconds. */
  now(): Promise<number>
}

/** The charges are those of `username`; `url` is the base address of a sandbox or of a workspace. */
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

/** How long after the first attempt each one began, in milliseconds of business time. */
export const offsetsOf = (event: Body): number[] =>
  event.attempts.map(({ at }: { at: string }) => Date.parse(at) - Date.parse(event.attempts[0].at))

/** The milliseconds from the creation of the event to its next attempt. */
export const nextInMs = (event: Body): number => Date.parse(event.next_attempt_at) - Date.parse(event.created_at)

/**
 * How far from its place each came, on average. They start in order, but go out on several connections: on a busy
 * machine one may be read late, and be overtaken by many.
 */
export function disorder(came: readonly string[], expected: readonly string[]): number {
  const places = new Map(came.map((name, index) => [name, index]))
  const away = expected.map((name, index) => Math.abs((places.get(name) ?? Number.POSITIVE_INFINITY) - index))
  return away.reduce((sum, each) => sum + each, 0) / expected.length
}
