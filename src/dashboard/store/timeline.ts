/** What happened to an object, as a list of moments: what your app, the payer and the platform did, cause before effect. */
import { useRef } from 'hono/jsx/dom'
import { fieldAt } from '../../base/unknown.js'
import type {
  DueJob,
  HistoryEntry,
  LoggedCall,
  Posting,
  Run,
  WalletDetails,
  WebhookAttempt,
  WebhookSummary,
} from '../../client/types/control.js'
import { isDropped } from '../../protocol/platform/payments.js'
import { type ObjectKind, type TransitionRow, transitions } from '../../protocol/platform/transitions.js'
import { call } from '../api.js'
import { useLayoutEffect, useState } from './hooks.js'
import { actorOf } from './steps.js'

// Finds what caused what in the history of an object. Timestamps are not enough, because several changes can have the
// same one.

/** Each method returns the index of a change in the history; -1 for anything before the first one. */
interface Causes {
  /** The change that the call made, or the last change before it. Of several calls, the first one made it: oldest first. */
  causeOfCall(call: StoryCall): { step: number; isCause: boolean }
  causeOfPosting(posting: Posting): number
  /** For all events, in order of occurrence. */
  causesOfEvents(events: readonly WebhookSummary[]): number[]
}

function findCauses(kind: ObjectKind, history: readonly HistoryEntry[]): Causes {
  const steps = history.map(({ action, from, at }) => ({ row: rowOf(kind, from, action), atMs: Date.parse(at) }))
  const lastUntil = (atMs: number) => steps.findLastIndex((step) => step.atMs <= atMs)
  const stepOf = (at: string, fits: (row: TransitionRow) => boolean) =>
    steps.findLastIndex(({ row, atMs }) => atMs === Date.parse(at) && row !== undefined && fits(row))
  const caused = new Set<number>()
  return {
    causeOfCall({ at, method, status, duration_ms }) {
      const endMs = Date.parse(at)
      // Dropped before it was executed, and so before the first change.
      if (status === 0 && caused.size === 0) return { step: -1, isCause: false }
      const writes = method === 'POST' && status < 300 && status !== 0
      // A call is logged at the moment of its answer; its effects lie between its arrival and that moment.
      const made = steps.findIndex(({ atMs }) => atMs <= endMs && atMs >= endMs - Math.ceil(duration_ms) - 1)
      const isCause = writes && made >= 0 && !caused.has(made)
      if (isCause) caused.add(made)
      return isCause ? { step: made, isCause } : { step: lastUntil(endMs), isCause: false }
    },
    causeOfPosting({ at, memo }) {
      const found = stepOf(at, (row) => memosOf(row).includes(memo))
      return found < 0 ? lastUntil(Date.parse(at)) : found
    },
    causesOfEvents(events) {
      let last = -1
      return events.map(({ created_at, event }) => {
        const found = stepOf(created_at, (row) => row.event === event)
        // No change sent this event: it belongs to another object, such as the dispute of a charge, and may have caused
        // a change at the same time. It is placed before that change.
        const earlier = steps.findLastIndex(({ atMs }) => atMs < Date.parse(created_at))
        last = found < 0 ? Math.max(last, earlier) : found
        return last
      })
    },
  }
}

const rowOf = (kind: ObjectKind, from: string | null, action: string): TransitionRow | undefined =>
  transitions.find((row) => row.object === kind && row.from === from && row.on === action)

/** The names of a transition's postings. A lost dispute also refunds its charge. */
const memosOf = ({ object, on, next }: TransitionRow): string[] => [
  `${object}.${on}`,
  ...(next === undefined ? [] : [next.join('.')]),
]

/** What every object has in addition to its fields. */
export interface ObjectActivity extends Pick<WalletDetails, 'history' | 'events' | 'ledger' | 'allowed'> {
  /** `href` leads to the dispute or the run that has the job. */
  due: readonly (DueJob & { href?: string })[]
  /** `due` has not been read completely. */
  isPartial?: boolean
}

/** A call of your app, or what a run of a scenario did in its place. */
export type StoryCall = Omit<LoggedCall, 'account' | 'credential' | 'warnings'> & { run?: string; did?: string }

/** How a run created a transaction, and repeated that as the client of a lost response does; the newest first. */
export const callsOfRun = ({ id, scenario, steps }: Run, transactionId: string): StoryCall[] =>
  steps
    .filter(({ step, detail }) => step === 'create' && detail?.startsWith(transactionId))
    .map(({ at, params, detail }, index) => ({
      ...{ run: id, did: index === 0 ? 'Created by a scenario' : 'Repeated by a scenario', scenario },
      ...{ request_id: `${id} ${index}`, at: at ?? '', method: 'POST', path: '', error_code: null, duration_ms: 0 },
      status: fieldAt(params, 'cashout') === undefined ? 200 : 202,
      faults: detail?.endsWith('dropped') ? ['disconnect'] : undefined,
    }))
    .reverse()

export type Moment =
  | { kind: 'request'; entry: StoryCall }
  /** `answered`: the first call of the same path before it whose response arrived; `repetition`: the next one. */
  | {
      kind: 'response'
      entry: StoryCall
      answered: StoryCall | undefined
      repetition: StoryCall | undefined
      isRepeat: boolean
    }
  /** `isUncalled`: your app would create the object by a call, and there is none. */
  | { kind: 'step'; step: string; row: HistoryEntry; postings: readonly Posting[]; isUncalled: boolean }
  /** A change of the charge's dispute, known by its event. */
  | { kind: 'dispute'; step: string; event: WebhookSummary; to: string }
  | { kind: 'event'; event: WebhookSummary; attempt: WebhookAttempt | undefined }
  /** `isCopy`: an earlier attempt was acknowledged. */
  | { kind: 'attempt'; event: WebhookSummary; attempt: WebhookAttempt; isCopy: boolean }

export interface TimelineEntry {
  key: string
  atMs: number
  moment: Moment
}

interface Placed extends TimelineEntry {
  /**
   * Order of entries with the same time: `step` is the index of the change in the history, `rank` the order within that
   * change.
   */
  step: number
  rank: number
}

/** Attempts by event. */
type Attempts = Readonly<Record<string, readonly WebhookAttempt[]>>

/** Reads the attempts of events, and reads them again after another attempt. Undefined until all have been read. */
export function useAttempts(events: readonly WebhookSummary[]): Attempts | undefined {
  const [found, setFound] = useState<{ of: string; attempts: Attempts } | null>(null)
  const sent = events.filter(({ attempts }) => attempts > 0)
  const of = sent.map(({ id, attempts, status }) => `${id} ${attempts} ${status}`).join()
  useLayoutEffect(() => {
    const stop = new AbortController()
    const read = ({ id }: WebhookSummary) =>
      call('GET /webhooks/{id}', { params: { id }, signal: stop.signal }).then(
        ({ attempts }) => [id, attempts] as const,
        () => [id, []] as const,
      )
    Promise.all(sent.map(read)).then((pairs) => {
      if (!stop.signal.aborted) setFound({ of, attempts: Object.fromEntries(pairs) })
    }, reportError)
    return () => stop.abort()
  }, [of])
  return found?.of === of ? found.attempts : undefined
}

/** What is read for a timeline, as it was when all of it had been read last: a part alone tells another story. */
export function useStory(
  kind: ObjectKind,
  activity: ObjectActivity,
  calls: readonly StoryCall[] | undefined,
): TimelineEntry[] | undefined {
  const attempts = useAttempts(activity.events)
  const complete = useRef<TimelineEntry[] | null>(null)
  if (calls !== undefined && attempts !== undefined) complete.current = entriesOf(kind, activity, calls, attempts)
  return complete.current ?? undefined
}

function entriesOf(
  kind: ObjectKind,
  activity: ObjectActivity,
  calls: readonly StoryCall[],
  attempts: Attempts,
): TimelineEntry[] {
  const causes = findCauses(kind, activity.history)
  const eventSteps = causes.causesOfEvents(activity.events)
  const successors = findSuccessors(activity.events, attempts)
  const postingsOf = (step: number) => activity.ledger.filter((row) => causes.causeOfPosting(row) === step)
  const placedCalls = calls.toReversed().flatMap((entry, index, all) => {
    const isSame = (one: StoryCall) => one.method === entry.method && one.path === entry.path
    const answered = all.slice(0, index).find((one) => isSame(one) && one.status < 300 && !isDropped(one))
    const [isRepeat, repetition] = [all.slice(0, index).some(isSame), all.slice(index + 1).find(isSame)]
    const moment = { kind: 'response' as const, entry, answered, repetition, isRepeat }
    return placeCall(moment, causes, activity.history)
  })
  const isUncalled = (name: string, { from }: HistoryEntry, step: number) =>
    from === null && actorOf(name) === 'you' && !placedCalls.some((call) => call.step === step && call.rank === 0)
  const placed: Placed[] = [
    ...placedCalls,
    ...activity.history.map((row, step) => {
      const name = `${kind}.${row.action}`
      const moment = { row, step: name, postings: postingsOf(step), isUncalled: isUncalled(name, row, step) }
      return {
        ...{ key: `step-${step}`, atMs: Date.parse(row.at), step, rank: 1 },
        moment: { ...moment, kind: 'step' as const },
      }
    }),
    ...activity.events.flatMap((event, index) => {
      const step = eventSteps[index] ?? 0
      const heldUntil = eventSteps[successors.get(event.id) ?? -1]
      return [
        ...(kind === 'dispute' ? [] : placeDispute(event, step)),
        ...placeEvent(event, attempts[event.id] ?? [], step, heldUntil),
      ]
    }),
  ]
  return placed.sort((a, b) => a.atMs - b.atMs || a.step - b.step || a.rank - b.rank)
}

/** A call that made a change surrounds it: the request comes before it, the response after it. */
function placeCall(
  response: Extract<Moment, { kind: 'response' }>,
  causes: Causes,
  history: readonly HistoryEntry[],
): Placed[] {
  const { entry } = response
  const { step, isCause } = causes.causeOfCall(entry)
  const atMs = Date.parse((isCause ? history[step]?.at : undefined) ?? entry.at)
  const placed = { atMs, step, rank: isCause ? 0 : 5 }
  return [
    { ...placed, key: `${entry.request_id} request`, moment: { kind: 'request', entry } },
    { ...placed, rank: isCause ? 2 : 5, key: `${entry.request_id} response`, moment: response },
  ]
}

/** The history of a charge has no changes of its dispute. */
function placeDispute(event: WebhookSummary, step: number): Placed[] {
  const row = transitions.find((one: TransitionRow) => one.object === 'dispute' && one.event === event.event)
  if (row === undefined) return []
  const moment = { kind: 'dispute' as const, step: `dispute.${row.on}`, event, to: row.to }
  return [{ key: `${event.id} dispute`, atMs: Date.parse(event.created_at), step, rank: 3, moment }]
}

/** By the id of an event that was held back for its successor, the index of this successor, which arrived first. */
export function findSuccessors(events: readonly WebhookSummary[], attempts: Attempts): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  const held = new Map<string, WebhookSummary>()
  const arrivedAt = ({ id }: WebhookSummary) => Date.parse(attempts[id]?.[0]?.at ?? '')
  events.forEach((event, index) => {
    if (event.faults?.includes('reorder') !== true) return
    const older = held.get(event.subject_id)
    // Both arrive at the same time if the clock stands.
    const isFirst = older !== undefined && arrivedAt(event) <= arrivedAt(older)
    if (isFirst) found.set(older.id, index)
    held.delete(event.subject_id)
    if (!isFirst) held.set(event.subject_id, event)
  })
  return found
}

/**
 * The first attempt is shown with its event, unless it was made a second or more after it, or after its successor,
 * which belongs to the step `heldUntil`.
 */
function placeEvent(
  event: WebhookSummary,
  attempts: readonly WebhookAttempt[],
  step: number,
  heldUntil: number | undefined,
): Placed[] {
  const atMs = Date.parse(event.created_at)
  const [first] = attempts
  const isPrompt = heldUntil === undefined && first !== undefined && Date.parse(first.at) - atMs < 1000
  const acknowledged = attempts.find(({ outcome }) => outcome === 'ok')?.number ?? Number.POSITIVE_INFINITY
  const own = { key: event.id, atMs, step, rank: 3 }
  return [
    { ...own, moment: { kind: 'event', event, attempt: isPrompt ? first : undefined } },
    ...attempts.slice(isPrompt ? 1 : 0).map((attempt) => ({
      ...{ key: `${event.id} ${attempt.number}`, atMs: Date.parse(attempt.at), step: heldUntil ?? step, rank: 4 },
      moment: { kind: 'attempt' as const, event, attempt, isCopy: attempt.number > acknowledged },
    })),
  ]
}
