/** Doing things: each command calls the control API, tells how it went, and has everything shown looked at again. */
import type { Page } from '../../protocol/control/fields.js'
import { at, call, type Method } from '../api.js'
import type { Action } from './form-schema.js'
import { announce } from './live.js'
import { complain, tell } from './toasts.js'

/** Throws what the API refused with. */
export async function send<T>(method: Method, path: string, body?: unknown, type?: string): Promise<T> {
  const value = await call<T>(method, path, body, type === undefined ? {} : { type })
  announce('everything')
  return value
}

/** For buttons: what goes wrong is told at the edge of the page. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await work()
    if (done !== undefined) tell(done)
  } catch (error) {
    complain(error)
  }
}

let known: Promise<Action[]> | undefined

/** The table of actions; it does not change while the page is open. */
export function actions(): Promise<Action[]> {
  known ??= call<Page<Action>>('GET', at('/actions')).then(
    ({ data }) => data,
    (error: unknown) => {
      known = undefined
      throw error
    },
  )
  return known
}

interface Triggered {
  action: string
  object: Record<string, unknown>
  events: { id: string; event: string }[]
}

export async function trigger(action: string, id: string, params: Record<string, unknown> = {}): Promise<void> {
  const done = await send<Triggered>('POST', '/trigger', { ...params, action, id })
  const events = done.events.map(({ event }) => event).join(', ')
  tell(events === '' ? `${action} done` : `${action} done: ${events}`)
}

export const advance = (wish: { by: string } | { until: 'idle' } | { to: string }): Promise<unknown> =>
  send<{ ran: unknown[] }>('POST', '/clock/advance', wish).then(({ ran }) =>
    tell(
      ran.length === 0
        ? 'The clock moved; nothing was due'
        : `The clock moved; ${ran.length} due ${ran.length === 1 ? 'job' : 'jobs'} ran`,
    ),
  )
