/** Asking the control API for what a view shows, and asking again when that has changed: the visible page only, and never in haste. */
import { useRef, useState } from 'hono/jsx/dom'
import type { RouteAnswer, RouteArguments, RouteInput } from '../../client/control.js'
import type { ControlRoute } from '../../client/types/control.js'
import { call, type Failure, failureOf } from '../api.js'
import { useEndedEffect } from './effect.js'
import { listen } from './live.js'

export interface Query<T> {
  data: T | undefined
  error: Failure | undefined
}

/** Routes that only look. */
export type ReadRoute = Extract<ControlRoute, `GET ${string}`>

/** Changes come in bursts: a first one is waited out shortly, and there is a pause between two looks. */
const settleMs = 60
const pauseMs = 300

/**
 * Follows what a route answers. `watch` names the kinds of change after which it is asked for again.
 * While something else is being fetched the former answer stays.
 */
export function useQuery<Route extends ReadRoute>(
  route: Route,
  input: RouteInput<Route>,
  watch: readonly string[],
): Query<RouteAnswer<Route>> {
  const [state, setState] = useState<Query<RouteAnswer<Route>>>({ data: undefined, error: undefined })
  const asked = useRef({ input, watch })
  asked.current = { input, watch }
  useEndedEffect(
    () =>
      poll(
        // What may be left out may also be given.
        (signal) => call(route, ...([{ ...(asked.current?.input ?? input), signal }] as RouteArguments<Route>)),
        () => asked.current?.watch ?? watch,
        (next) => setState((before) => merged(before, next)),
      ),
    [route, JSON.stringify(input)],
  )
  return state
}

/** What is refused is gone; while there is no connection the last answer is better than none. */
function merged<T>(before: Query<T>, next: Outcome<T>): Query<T> {
  if ('data' in next) return { data: next.data, error: undefined }
  return { data: next.error.status === 0 ? before.data : undefined, error: next.error }
}

type Outcome<T> = { data: T } | { error: Failure }

/** Looks now and after each change of those kinds. Returns how to stop. */
export function poll<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  kinds: () => readonly string[],
  tell: (outcome: Outcome<T>) => void,
): () => void {
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let busy = false
  let stale = false
  let endedAt = 0
  const look = async () => {
    timer = undefined
    busy = true
    stale = false
    const outcome = await ask(stop.signal).then(
      (data): Outcome<T> => ({ data }),
      (error: unknown): Outcome<T> => ({ error: failureOf(error) }),
    )
    busy = false
    endedAt = performance.now()
    if (stop.signal.aborted) return
    tell(outcome)
    if (stale) schedule()
  }
  const schedule = () => {
    if (busy) stale = true
    else timer ??= setTimeout(look, Math.max(settleMs, pauseMs - (performance.now() - endedAt)))
  }
  const unlisten = listen((news) => {
    if (news === 'everything' || news.some((change) => kinds().includes(change.type))) schedule()
  })
  stop.signal.addEventListener('abort', () => {
    clearTimeout(timer)
    unlisten()
  })
  void look()
  return () => stop.abort()
}
