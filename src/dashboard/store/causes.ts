/** What caused what in the life of an object: moments alone do not tell it, since one moment may hold several changes. */
import type { HistoryEntry, LoggedCall, Posting, WebhookSummary } from '../../client/types/control.js'
import { type ObjectKind, type TransitionRow, transitions } from '../../protocol/platform/transitions.js'

/** Each answers with the index of a change in the history; -1 for what came before all of them. */
export interface Causes {
  /** Whether the call made that change, or came after it. */
  ofCall(call: LoggedCall): { step: number; isCause: boolean }
  ofPosting(posting: Posting): number
  /** Of all events, in the order in which they happened. */
  ofEvents(events: readonly WebhookSummary[]): number[]
}

export function causesIn(kind: ObjectKind, history: readonly HistoryEntry[]): Causes {
  const steps = history.map(({ action, from, at }) => ({ row: rowOf(kind, from, action), atMs: Date.parse(at) }))
  const lastBefore = (atMs: number) => steps.findLastIndex((step) => step.atMs <= atMs)
  const stepOf = (at: string, fits: (row: TransitionRow) => boolean) =>
    steps.findLastIndex(({ row, atMs }) => atMs === Date.parse(at) && row !== undefined && fits(row))
  return {
    ofCall({ at, method, status, duration_ms }) {
      const endMs = Date.parse(at)
      const writes = method === 'POST' && status < 300
      // A call is logged with the moment of its answer; what it did happened since it came.
      const made = steps.findIndex(({ atMs }) => atMs <= endMs && atMs >= endMs - Math.ceil(duration_ms) - 1)
      return writes && made >= 0 ? { step: made, isCause: true } : { step: lastBefore(endMs), isCause: false }
    },
    ofPosting({ at, memo }) {
      const found = stepOf(at, (row) => memosOf(row).includes(memo))
      return found < 0 ? lastBefore(Date.parse(at)) : found
    },
    ofEvents(events) {
      let last = -1
      return events.map(({ created_at, event }) => {
        const found = stepOf(created_at, (row) => row.event === event)
        // One of another object, such as the dispute of a charge: it can be the cause of a change of the same moment.
        const earlier = steps.findLastIndex(({ atMs }) => atMs < Date.parse(created_at))
        last = found < 0 ? Math.max(last, earlier) : found
        return last
      })
    },
  }
}

const rowOf = (kind: ObjectKind, from: string | null, action: string): TransitionRow | undefined =>
  transitions.find((row) => row.object === kind && row.from === from && row.on === action)

/** A posting is named after its change; a lost dispute also refunds its charge. */
const memosOf = ({ object, on, next }: TransitionRow): string[] => [
  `${object}.${on}`,
  ...(next === undefined ? [] : [next.join('.')]),
]
