/** An event as its database row. */
import type { events } from '../../store/schema.js'

export type WebhookEvent = typeof events.$inferSelect
