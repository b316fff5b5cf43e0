/** Waits until the events of a run have had their first attempt: for an answer that is to come after its webhooks. */
import { and, eq, inArray, lte } from 'drizzle-orm'
import { secondMs } from '../../base/duration.js'
import { events } from '../../store/schema.js'
import { nextDueOf } from '../jobs/jobs.js'
import type { Workspace } from '../unit/workspace.js'
import { findRun } from './runs.js'

/** A receiver that waits for the answer before it acknowledges must not hang for ever. */
const longestMs = 15 * secondMs

/** Resolves when the run has gone as far as it can without time passing, and every event that is due was sent once. */
export function tellable(ws: Workspace, runId: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!ws.closed && !isTold(ws, runId)) return
      stop()
      unsubscribe()
      resolve()
    }
    const stop = ws.alarm(longestMs, () => {
      unsubscribe()
      resolve()
    })
    const unsubscribe = ws.bus.subscribe((change) => {
      if (change.type === 'webhook' || change.type === 'run' || change.type === 'workspace') look()
    })
    look()
  })
}

function isTold(ws: Workspace, runId: string): boolean {
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
