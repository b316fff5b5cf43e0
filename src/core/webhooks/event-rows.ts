/** An event as its row, whole or as much of it as an attempt needs. */
import type { events } from '../../store/schema.js'

export type WebhookEvent = typeof events.$inferSelect

/** What an attempt needs to know of its event; none of it changes. */
export type OutgoingEvent = Pick<
  WebhookEvent,
  'seq' | 'id' | 'event' | 'subjectId' | 'credentialSeq' | 'body' | 'treatment'
>
