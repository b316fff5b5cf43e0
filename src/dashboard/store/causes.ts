/** What caused what in the life of an object: moments alone do not tell it, since one moment may hold several changes. */
import type { HistoryEntry, LoggedCall, Posting, WebhookSummary } from '../../client/types/control.js'
import { type ObjectKind, type TransitionRow, transitions } from '../../protocol/api/transitions.js'

/** Each answers with the index of a change in the history; -1 for what came before all of them. */
export interface Causes {
  /** Whether the call made that change, or came after it. */
  ofCall(call: LoggedCall): { step: number; isCause: boolean }
  ofPosting(posting: Posting): number
  ofEvent(event: WebhookSummary): number
}

export function causesIn(kind: ObjectKind, history: readonly HistoryEntry[]): Causes {
  const steps = history.map(({ action, from, at }) => ({ row: rowOf(kind, from, action), atMs: Date.parse(at) }))
  const lastBefore = (atMs: number) => steps.findLastIndex((step) => step.atMs <= atMs)
  const stepOf = (at: string, fits: (row: TransitionRow) => boolean) => {
    const atMs = Date.parse(at)
    const found = steps.findLastIndex(({ row, atMs: moment }) => moment === atMs && row !== undefined && fits(row))
    return found < 0 ? lastBefore(atMs) : found
  }
  return {
    ofCall({ at, method, status, duration_ms }) {
      const endMs = Date.parse(at)
      const writes = method === 'POST' && status < 300
      // A call is logged with the moment of its answer; what it did happened since it came.
      const made = steps.findIndex(({ atMs }) => atMs <= endMs && atMs >= endMs - Math.ceil(duration_ms) - 1)
      return writes && made >= 0 ? { step: made, isCause: true } : { step: lastBefore(endMs), isCause: false }
    },
    ofPosting: ({ at, memo }) => stepOf(at, (row) => memosOf(row).includes(memo)),
    ofEvent: ({ created_at, event }) => stepOf(created_at, (row) => row.event === event),
  }
}

const rowOf = (kind: ObjectKind, from: string | null, action: string): TransitionRow | undefined =>
  transitions.find((row) => row.object === kind && row.from === from && row.on === action)

/** A posting is named after its change; a lost dispute also refunds its charge. */
const memosOf = ({ object, on, next }: TransitionRow): string[] => [
  `${object}.${on}`,
  ...(next === undefined ? [] : [next.join('.')]),
]
