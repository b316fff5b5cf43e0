/**
 * Reads data from the control API for a view, and reads it again after a change, as long as the view is shown, and not
 * too often.
 */
import { useRef, useState } from 'hono/jsx/dom'
import type { RouteAnswer, RouteArguments, RouteInput } from '../../client/control.js'
import type { ControlRoute } from '../../client/types/control.js'
import { call, checkTokenRequired, type Failure, failureOf } from '../api.js'
import { useLayoutEffect } from './effect.js'
import { listen } from './live.js'

export interface Query<T> {
  data: T | undefined
  error: Failure | undefined
}

/** Routes that change nothing. */
export type ReadRoute = Extract<ControlRoute, `GET ${string}`>

/** Changes come in bursts: wait briefly after the first one, and pause between two reads. */
const settleMs = 60
const pauseMs = 300

/**
 * Reads a route for a view. `watch` names the kinds of change after which it reads again. The previous answer stays
 * until the new one arrives.
 */
export function useQuery<Route extends ReadRoute>(
  route: Route,
  input: RouteInput<Route>,
  watch: readonly string[],
): Query<RouteAnswer<Route>> {
  const [state, setState] = useState<Query<RouteAnswer<Route>>>({ data: undefined, error: undefined })
  const latest = useRef({ input, watch })
  latest.current = { input, watch }
  useLayoutEffect(
    () =>
      readOnChange(
        // TypeScript cannot infer that this route accepts an input.
        (signal) => call(route, ...([{ ...(latest.current?.input ?? input), signal }] as RouteArguments<Route>)),
        () => latest.current?.watch ?? watch,
        (next) => setState((before) => mergeOutcome(before, next)),
      ),
    [route, JSON.stringify(input)],
  )
  return state
}

/** An error response replaces the data; without a connection, the last answer stays. */
function mergeOutcome<T>(before: Query<T>, next: Outcome<T>): Query<T> {
  if ('data' in next) return { data: next.data, error: undefined }
  return { data: next.error.status === 0 ? before.data : undefined, error: next.error }
}

type Outcome<T> = { data: T } | { error: Failure }

export const useAccounts = () => useQuery('GET /accounts', {}, ['account', 'workspace'])

/** What the work that the user started last has returned, why it failed, and whether it still runs. */
export function useWork<T>() {
  const [result, setResult] = useState<T | null>(null)
  const [error, setError] = useState<Failure | null>(null)
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<T | null>): Promise<void> => {
    setResult(null)
    setError(null)
    setBusy(true)
    try {
      setResult(await work())
    } catch (thrown) {
      checkTokenRequired(thrown)
      setError(failureOf(thrown))
    }
    setBusy(false)
  }
  return { result, error, busy, run }
}

/** Calls `read` now, and again after each change of one of the `kinds`. Returns a function that stops it. */
export function readOnChange<T>(
  read: (signal: AbortSignal) => Promise<T>,
  kinds: () => readonly string[],
  onOutcome: (outcome: Outcome<T>) => void,
): () => void {
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let busy = false
  let stale = false
  let endedAt = 0
  const load = async () => {
    timer = undefined
    busy = true
    stale = false
    const outcome = await read(stop.signal).then(
      (data): Outcome<T> => ({ data }),
      (error: unknown): Outcome<T> => ({ error: failureOf(error) }),
    )
    busy = false
    endedAt = performance.now()
    if (stop.signal.aborted) return
    onOutcome(outcome)
    if (stale) schedule()
  }
  const schedule = () => {
    if (busy) stale = true
    else timer ??= setTimeout(load, Math.max(settleMs, pauseMs - (performance.now() - endedAt)))
  }
  const unlisten = listen((changes) => {
    if (changes === 'everything' || changes.some((change) => kinds().includes(change.type))) schedule()
  })
  stop.signal.addEventListener('abort', () => {
    clearTimeout(timer)
    unlisten()
  })
  void load()
  return () => stop.abort()
}
