/** Waiting until an event has got somewhere, such as until it has been acknowledged. */
import { and, desc, eq, or } from 'drizzle-orm'
import { events } from '../../store/schema.js'
import { type RoomSlot, type Workspace, workspaceGone } from '../unit/workspace.js'
import type { WebhookEvent } from '../webhooks/event-rows.js'
import { Awaited, hasStatus, type Waiter, type Wanted } from './awaited.js'
import { tellingOf } from './telling.js'

/** Those who wait for an event. */
export const awaited: RoomSlot<Awaited> = { begin: (ws) => new Awaited(() => followEvents(ws)) }

const mostSeen = 20

/** The newest events of that description, whatever their status; at most 20. */
export function eventsLike(ws: Workspace, { event, transactionId, externalId }: Wanted): WebhookEvent[] {
  const conditions = [
    event === null ? undefined : eq(events.event, event),
    transactionId === null
      ? undefined
      : or(eq(events.transactionId, transactionId), eq(events.subjectId, transactionId)),
    externalId === null ? undefined : tellingOf(ws.db, externalId),
  ]
  return ws.db.orm
    .select()
    .from(events)
    .where(and(...conditions))
    .orderBy(desc(events.seq))
    .limit(mostSeen)
    .all()
}

/** Called once when the caller goes away; returns how to call that off. */
type WhenGone = (listener: () => void) => () => void

/**
 * Resolves as soon as an event of that description has that status; with undefined when it has not within the time, or nobody waits any more.
 * 404 NOT_FOUND where the workspace is dropped meanwhile.
 */
export function awaitEvent(
  ws: Workspace,
  wanted: Wanted,
  timeoutMs: number,
  whenGone: WhenGone = () => () => {},
): Promise<WebhookEvent | undefined> {
  const there = eventsLike(ws, wanted).find((event) => hasStatus(event, wanted.status))
  if (there !== undefined) return Promise.resolve(there)
  return new Promise((resolve, reject) => {
    const finish = (found: () => WebhookEvent | undefined) => {
      ws.rooms.of(awaited).remove(waiter)
      cancel()
      stopWatching()
      try {
        resolve(found())
      } catch (error) {
        reject(error)
      }
    }
    const waiter: Waiter = { wanted, end: finish }
    ws.rooms.of(awaited).add(waiter)
    const cancel = ws.alarm(timeoutMs, () => finish(() => undefined))
    // Half gone perhaps: then it still gets to hear how things stand.
    const stopWatching = whenGone(() => finish(() => undefined))
  })
}

/** Tells those who wait of every change; returns how to end that. */
function followEvents(ws: Workspace): () => void {
  const { bus, db, name } = ws
  const waiting = ws.rooms.of(awaited)
  return bus.subscribe((change) => {
    if (change.type === 'workspace' && change.status === 'closed') waiting.refuse(workspaceGone(name))
    if (change.type !== 'webhook') return
    try {
      const event = db.orm.select().from(events).where(eq(events.id, change.id)).get()
      if (event !== undefined) waiting.tell(event)
    } catch (error) {
      // The store may refuse where nobody else watches: those who wait are told.
      waiting.refuse(error)
    }
  })
}
