/**
 * Finds what caused what in the history of an object. Timestamps are not enough, because several changes can have the
 * same one.
 */
import type { HistoryEntry, LoggedCall, Posting, WebhookSummary } from '../../client/types/control.js'
import { type ObjectKind, type TransitionRow, transitions } from '../../protocol/platform/transitions.js'

/** Each method returns the index of a change in the history; -1 for anything before the first one. */
export interface Causes {
  /** The change that the call made, or the last change before it. */
  causeOfCall(call: LoggedCall): { step: number; isCause: boolean }
  causeOfPosting(posting: Posting): number
  /** For all events, in order of occurrence. */
  causesOfEvents(events: readonly WebhookSummary[]): number[]
}

export function findCauses(kind: ObjectKind, history: readonly HistoryEntry[]): Causes {
  const steps = history.map(({ action, from, at }) => ({ row: rowOf(kind, from, action), atMs: Date.parse(at) }))
  const lastUntil = (atMs: number) => steps.findLastIndex((step) => step.atMs <= atMs)
  const stepOf = (at: string, fits: (row: TransitionRow) => boolean) =>
    steps.findLastIndex(({ row, atMs }) => atMs === Date.parse(at) && row !== undefined && fits(row))
  return {
    causeOfCall({ at, method, status, duration_ms }) {
      const endMs = Date.parse(at)
      const writes = method === 'POST' && status < 300
      // A call is logged at the moment of its answer; its effects lie between its arrival and that moment.
      const made = steps.findIndex(({ atMs }) => atMs <= endMs && atMs >= endMs - Math.ceil(duration_ms) - 1)
      return writes && made >= 0 ? { step: made, isCause: true } : { step: lastUntil(endMs), isCause: false }
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
