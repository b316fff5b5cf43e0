/** Doing things: each command calls the control API, tells how it went, and has everything shown looked at again. */
import type { RouteAnswer, RouteArguments } from '../../client/control.js'
import type { ControlRoute } from '../../client/types/control.js'
import { type Body, call } from '../api.js'
import { announce } from './live.js'
import { complain, tell } from './toasts.js'

/** Throws what the API refused with. */
export async function send<Route extends ControlRoute>(
  route: Route,
  ...input: RouteArguments<Route>
): Promise<RouteAnswer<Route>> {
  const answer = await call(route, ...input)
  announce('everything')
  return answer
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

export type Action = RouteAnswer<'GET /actions'>['data'][number]

let known: Promise<Action[]> | undefined

/** The table of actions; it does not change while the page is open. */
export function actions(): Promise<Action[]> {
  known ??= call('GET /actions').then(
    ({ data }) => data,
    (error: unknown) => {
      known = undefined
      throw error
    },
  )
  return known
}

/** `params` come from a form that was made of the action's own schema. */
export async function trigger(action: Action['name'], id: string, params: Record<string, unknown> = {}): Promise<void> {
  const body = { ...params, action, id } as Body<'POST /trigger'>
  tell(doneWith(await send('POST /trigger', { body })))
}

function doneWith({ action, events }: RouteAnswer<'POST /trigger'>): string {
  const names = events.map(({ event }) => event).join(', ')
  return names === '' ? `${action} done` : `${action} done: ${names}`
}

/** The same on an object that is made for the action. */
export async function triggerOnNew(action: Action['name'], params: Record<string, unknown>): Promise<void> {
  const body = { ...params, action, create: true } as Body<'POST /trigger'>
  tell(doneWith(await send('POST /trigger', { body })))
}

/** An advance that takes longer is shown by the clock, with a button that cancels it. */
const shownAfterMs = 500

export async function advance(wish: Body<'POST /clock/advance'>): Promise<void> {
  const timer = setTimeout(() => announce('everything'), shownAfterMs)
  try {
    tell(advancedWords(await send('POST /clock/advance', { body: wish })))
  } finally {
    clearTimeout(timer)
  }
}

function advancedWords({ ran, complete, canceled, in_flight }: RouteAnswer<'POST /clock/advance'>): string {
  if (canceled) return 'The advance was canceled; what has run is kept'
  if (!complete) return `The clock still advances; ${count(in_flight.length, 'webhook')} in flight`
  return ran.length === 0 ? 'The clock moved; nothing was due' : `The clock moved; ${count(ran.length, 'due job')} ran`
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

export const cancelAdvance = (): Promise<unknown> => send('DELETE /clock/advance')
