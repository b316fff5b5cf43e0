/** Asking the control API for what a view shows, and asking again when that has changed: the visible page only, and never in haste. */
import { useEffect, useRef, useState } from 'hono/jsx/dom'
import { ApiFailure, call } from '../api.js'
import { listen } from './live.js'

export interface Query<T> {
  data: T | undefined
  error: ApiFailure | undefined
}

/** Changes come in bursts: a first one is waited out shortly, and there is a pause between two looks. */
const settleMs = 60
const pauseMs = 300

/**
 * Follows `path` (null: nothing). `watch` names the kinds of change after which it is asked for again.
 * While another path is being fetched the former answer stays.
 */
export function useQuery<T>(path: string | null, watch: readonly string[]): Query<T> {
  const [state, setState] = useState<Query<T>>({ data: undefined, error: undefined })
  const kinds = useRef(watch)
  kinds.current = watch
  useEffect(() => {
    if (path === null) return
    return poll<T>(
      path,
      () => kinds.current ?? [],
      (next) => setState((before) => merged(before, next)),
    )
  }, [path])
  return state
}

/** What is refused is gone; while there is no connection the last answer is better than none. */
function merged<T>(before: Query<T>, next: Outcome<T>): Query<T> {
  if ('data' in next) return { data: next.data, error: undefined }
  return { data: next.error.status === 0 ? before.data : undefined, error: next.error }
}

type Outcome<T> = { data: T } | { error: ApiFailure }

/** Looks now and after each change of those kinds. Returns how to stop. */
export function poll<T>(path: string, kinds: () => readonly string[], tell: (outcome: Outcome<T>) => void): () => void {
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let busy = false
  let stale = false
  let endedAt = 0
  const look = async () => {
    timer = undefined
    busy = true
    stale = false
    const outcome = await call<T>('GET', path, undefined, { signal: stop.signal }).then(
      (data): Outcome<T> => ({ data }),
      (error: unknown): Outcome<T> => ({
        error: error instanceof ApiFailure ? error : new ApiFailure('PAGE', String(error), 0, {}),
      }),
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
