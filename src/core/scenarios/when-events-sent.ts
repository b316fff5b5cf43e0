/** Waits until the events of a run have had their first attempt: for a response that must follow its webhooks. */
import { and, eq, inArray, lte } from 'drizzle-orm'
import { secondMs } from '../../base/duration.js'
import { events } from '../../store/schema.js'
import { nextDueOf } from '../jobs/jobs.js'
import type { Workspace } from '../unit/workspace.js'
import { findRun } from './runs.js'

/** Bounded: the receiver itself may wait for this response before it acknowledges. */
const maxWaitMs = 15 * secondMs

/** Resolves when the run cannot continue without time passing, and every due event was sent once. */
export function whenEventsSent(ws: Workspace, runId: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!ws.closed && !areEventsSent(ws, runId)) return
      stop()
      unsubscribe()
      resolve()
    }
    const stop = ws.alarm(maxWaitMs, () => {
      unsubscribe()
      resolve()
    })
    const unsubscribe = ws.bus.subscribe((change) => {
      if (change.type === 'webhook' || change.type === 'run' || change.type === 'workspace') look()
    })
    look()
  })
}

function areEventsSent(ws: Workspace, runId: string): boolean {
  const run = findRun(ws.db, runId)
  if (run === undefined) return true
  const nowMs = ws.clock.now()
  const dueAtMs = run.status === 'running' ? nextDueOf(ws.db, 'scenario', runId) : null
  if (dueAtMs !== null && dueAtMs <= nowMs) return false
  if (run.state.objects.length === 0) return true
  const waiting = and(
    inArray(events.subjectId, run.state.objects),
    eq(events.status, 'pending'),
    eq(events.attempts, 0),
    lte(events.nextAttemptAtMs, nowMs),
  )
  return ws.db.orm.select({ seq: events.seq }).from(events).where(waiting).limit(1).get() === undefined
}
