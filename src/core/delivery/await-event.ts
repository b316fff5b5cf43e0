/** Waits until an event has reached a status, such as acknowledged. */
import { and, desc, eq, or } from 'drizzle-orm'
import { events } from '../../store/schema.js'
import { type Workspace, type WorkspaceSlot, workspaceDeletedError } from '../unit/workspace.js'
import type { WebhookEvent } from '../webhooks/event-rows.js'
import { type EventCriteria, EventWaiters, hasStatus, type Waiter } from './event-waiters.js'
import { eventsByExternalId } from './events-by-external-id.js'

/** Callers who wait for an event. */
export const eventWaiters: WorkspaceSlot<EventWaiters> = { begin: (ws) => new EventWaiters(() => subscribeWaiters(ws)) }

const maxEvents = 20

/** Returns the newest events that match, whatever their status; at most 20. */
export function findEvents(ws: Workspace, { event, transactionId, externalId }: EventCriteria): WebhookEvent[] {
  const conditions = [
    event === null ? undefined : eq(events.event, event),
    transactionId === null
      ? undefined
      : or(eq(events.transactionId, transactionId), eq(events.subjectId, transactionId)),
    externalId === null ? undefined : eventsByExternalId(ws.db, externalId),
  ]
  return ws.db.orm
    .select()
    .from(events)
    .where(and(...conditions))
    .orderBy(desc(events.seq))
    .limit(maxEvents)
    .all()
}

/** Calls back once when the caller disconnects; returns a function that cancels the callback. */
type OnDisconnect = (listener: () => void) => () => void

/**
 * Resolves as soon as a matching event has the status; with undefined after the timeout or when the caller leaves. 404
 * NOT_FOUND if the workspace is deleted meanwhile.
 */
export function awaitEvent(
  ws: Workspace,
  criteria: EventCriteria,
  timeoutMs: number,
  onDisconnect: OnDisconnect = () => () => {},
): Promise<WebhookEvent | undefined> {
  const existing = findEvents(ws, criteria).find((event) => hasStatus(event, criteria.status))
  if (existing !== undefined) return Promise.resolve(existing)
  return new Promise((resolve, reject) => {
    const finish = (found: () => WebhookEvent | undefined) => {
      ws.state.of(eventWaiters).remove(waiter)
      cancel()
      stopWatching()
      try {
        resolve(found())
      } catch (error) {
        reject(error)
      }
    }
    const waiter: Waiter = { criteria, finish }
    ws.state.of(eventWaiters).add(waiter)
    const cancel = ws.alarm(timeoutMs, () => finish(() => undefined))
    // Resolves instead of rejecting: a caller that closed only its sending side can still receive a response.
    const stopWatching = onDisconnect(() => finish(() => undefined))
  })
}

/**
 * Like `awaitEvent`, but also resolves with a failed event as soon as every matching event has failed its last attempt.
 */
export async function awaitEventOrFailure(
  ws: Workspace,
  wanted: EventCriteria,
  timeoutMs: number,
  onDisconnect?: OnDisconnect,
): Promise<WebhookEvent | undefined> {
  const untilMs = ws.clock.wall() + timeoutMs
  const settled = await awaitEvent(ws, { ...wanted, status: 'settled' }, timeoutMs, onDisconnect)
  if (settled === undefined || hasStatus(settled, wanted.status)) return settled
  if (findEvents(ws, wanted).every(({ status }) => status === 'failed')) return settled
  return awaitEvent(ws, wanted, Math.max(0, untilMs - ws.clock.wall()), onDisconnect)
}

/** Reports every change to the waiting callers; returns a function that stops this. */
function subscribeWaiters(ws: Workspace): () => void {
  const { bus, db, name } = ws
  const waiting = ws.state.of(eventWaiters)
  return bus.subscribe((change) => {
    if (change.type === 'workspace' && change.status === 'closed') waiting.rejectAll(workspaceDeletedError(name))
    if (change.type !== 'webhook') return
    try {
      const event = db.orm.select().from(events).where(eq(events.id, change.id)).get()
      if (event !== undefined) waiting.resolveMatching(event)
    } catch (error) {
      // The query can fail on a damaged database: the waiting callers get the error.
      waiting.rejectAll(error)
    }
  })
}
