/**
 * Reads data from the control API for a view, and reads it again after a change, as long as the view is shown, and not
 * too often.
 */
import { useRef } from 'hono/jsx/dom'
import type { RouteAnswer, RouteArguments, RouteInput } from '../../client/control.js'
import type { ClockReading, ControlRoute, ControlRoutes } from '../../client/types/control.js'
import { call, checkTokenRequired, type Failure, failureOf, type Query as QueryOf, workspace } from '../api.js'
import { createValue, useLayoutEffect, useState, useValue } from './hooks.js'
import { listen } from './live.js'
import type { Route as Address } from './route.js'

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

/** Set by the build. */
declare const sourceHash: string

/** What the work that the user started last has returned, also after a reload of the page, why it failed, and whether it still runs. */
export function useWork<T>(name: string) {
  const key = `sandbox-result ${workspace} ${name} ${sourceHash}`
  // Only this function of this build writes it.
  const [result, setResult] = useState<T | null>(() => JSON.parse(sessionStorage.getItem(key) ?? 'null') as T | null)
  const [error, setError] = useState<Failure | null>(null)
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<T | null>): Promise<void> => {
    setResult(null)
    sessionStorage.removeItem(key)
    setError(null)
    setBusy(true)
    try {
      const done = await work()
      setResult(done)
      storeIfSmall(key, JSON.stringify(done))
    } catch (thrown) {
      checkTokenRequired(thrown)
      setError(failureOf(thrown))
    }
    setBusy(false)
  }
  return { result, error, busy, run }
}

/** A result of megabytes is gone after a reload. */
function storeIfSmall(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    // The browser's limit for a page.
  }
}

/** Calls `read` now, and again after each change of one of the `kinds`. Returns a function that stops it. */
function readOnChange<T>(
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

export type ListRoute = {
  [Route in ReadRoute]: ControlRoutes[Route] extends { query: { after?: string | undefined } } ? Route : never
}[ReadRoute]

type Fields<Route extends ListRoute> = Required<Omit<NonNullable<QueryOf<Route>>, 'after' | 'limit'>>

export interface Filter {
  name: string
  label: string
  choices?: readonly string[]
  /** Each choice is a button that shows how many rows it has; it takes the place of another one. */
  chips?: boolean
  /** What a button also sets in another filter. */
  also?: Readonly<Record<string, string>>
  /** The choice that is bad news if it has rows. */
  worry?: string
  /** The choice if the address has none (default: all rows). */
  base?: string
  /** A day, as `2026-11-21`: browsers write dates in the format of their own language. */
  date?: boolean
  /** Says a choice in words (default: the choice as a sentence). */
  words?: (choice: string) => string
}

/** A filter of the route; `choices` are valid values. */
export type ListFilter<Route extends ListRoute> = {
  [Name in keyof Fields<Route> & string]: Omit<Filter, 'choices'> & {
    name: Name
    choices?: readonly Extract<Fields<Route>[Name], string>[]
  }
}[keyof Fields<Route> & string]

/** Rows on a page. */
export const pageRows = 25

/** A row of the route's answer. */
export type RowOf<Source extends ListRoute> = RouteAnswer<Source> extends { data: readonly (infer Row)[] } ? Row : never

/** Reads the page that the address names. If its values are invalid, the view shows the API's error. */
export function useList<Source extends ListRoute, Row = RowOf<Source>>(
  source: Source,
  address: Address,
  filters: readonly ListFilter<Source>[],
  watch: readonly string[],
  more: Partial<Fields<Source>> & { params?: unknown } = {},
): Query<{ data: readonly Row[]; next: string | null }> {
  const { params, ...fixed } = more
  const names = [...filters.map(({ name }) => name), 'after']
  const given = names.flatMap((name) => {
    const value = address.query.get(name)?.trim() ?? ''
    return value === '' ? [] : [[name, value]]
  })
  const query = { ...fixed, ...Object.fromEntries(given), limit: pageRows }
  const input: unknown = params === undefined ? { query } : { query, params }
  // The address can contain anything, and TypeScript cannot resolve the answer of a generic route.
  const page: unknown = useQuery(source, input as RouteInput<Source>, watch)
  return page as Query<{ data: readonly Row[]; next: string | null }>
}

export type Counts = RouteAnswer<'GET /counts'>['data']
export type CountedType = Counts[number]['type']

export const useCounts = (): Query<RouteAnswer<'GET /counts'>> =>
  useQuery('GET /counts', {}, ['transaction', 'dispute', 'webhook', 'workspace'])

/** `14`, `500+` if there are more, nothing if only that is known. A missing status stands for all. `countOf` a row: all of it. */
export function countText(
  counts: Counts | undefined,
  types: readonly CountedType[],
  status?: string,
  countOf = ({ count }: Counts[number]) => count,
): string {
  if (counts === undefined) return ''
  const rows = counts.filter((row) => types.includes(row.type) && (status ?? row.status) === row.status)
  const total = rows.reduce((sum, row) => sum + countOf(row), 0)
  const more = rows.some((row) => row.more)
  return more && total === 0 ? '' : `${total}${more ? '+' : ''}`
}

/** The part of a row that has a verdict, `none` of them, or all of it. */
export const countOfVerdict =
  (verdict?: string) =>
  ({ count, wrongly_accepted: wrongly = 0, rightly_refused: rightly = 0 }: Counts[number]): number =>
    verdict === undefined
      ? count
      : ({ wrongly_accepted: wrongly, rightly_refused: rightly }[verdict] ?? count - wrongly - rightly)

export interface Reading extends ClockReading {
  nowMs: number
  readAtMs: number
}

export const clock = createValue<Reading | undefined>(undefined)
const failure = createValue<Failure | undefined>(undefined)
/** Milliseconds since 1970 on the sandbox's clock, updated each second. */
const now = createValue(0)

function tick(): void {
  const reading = clock.get()
  if (reading === undefined) return
  now.set(reading.nowMs + (reading.mode === 'realtime' ? Date.now() - reading.readAtMs : 0))
}

/** Almost any change can change what is due. */
export const clockTopics = ['clock', 'transaction', 'dispute', 'webhook', 'run', 'workspace']

export function followClock(): void {
  readOnChange(
    (signal) => call('GET /clock', { signal }),
    () => clockTopics,
    (outcome) => {
      failure.set('error' in outcome ? outcome.error : undefined)
      if (!('data' in outcome)) return
      clock.set({ ...outcome.data, nowMs: Date.parse(outcome.data.now), readAtMs: Date.now() })
      tick()
    },
  )
  setInterval(tick, 1000)
}

/** How far the clock's control offers to advance: one of its choices, and what is typed for those that need it. */
export interface Distance {
  choice: string
  typed: string
}

const usual: Distance = { choice: '10m', typed: '' }
let next = usual

/** Opens the control, which then offers this distance. */
export function openClock(distance = usual): void {
  next = distance
  document.getElementById('clock-panel')?.togglePopover(true)
}

/** What the control offers that has just opened. */
export function takeDistance(): Distance {
  const taken = next
  next = usual
  return taken
}

export const useClock = (): Reading | undefined => useValue(clock)
/** The clock with the reason if it cannot be read. */
export const useClockQuery = (): Query<Reading> => ({ data: useClock(), error: useValue(failure) })
export const useNow = (): number => useValue(now)
