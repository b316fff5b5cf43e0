/** Redelivers an event on request: same id, same body, one immediate attempt (§6.3). */
import { eq } from 'drizzle-orm'
import { ApiError } from '../../protocol/platform/errors.js'
import { events } from '../../store/schema.js'
import { credentialOf } from '../auth/account.js'
import { schedule, singleAttempt } from '../jobs/jobs.js'
import type { Unit } from '../unit/unit.js'
import type { WebhookEvent } from '../webhooks/event-rows.js'

/** Throws 404 NOT_FOUND if no event has the id. */
export function requireEvent(unit: Unit, id: string): WebhookEvent {
  const event = unit.db.orm.select().from(events).where(eq(events.id, id)).get()
  if (event === undefined)
    throw new ApiError('NOT_FOUND', { object: 'webhook', id }, { message: `There is no event ${id}.` })
  return event
}

/**
 * An event without a URL is sent to the current webhook URL of its credential, or else of the configuration. Throws 422
 * INVALID_POSTBACK_URL if neither has one.
 */
export function redeliver(unit: Unit, id: string): WebhookEvent {
  const event = requireEvent(unit, id)
  const url = event.url ?? credentialOf(unit.db, event.credentialSeq)?.postbackUrl ?? unit.config.webhookUrl
  if (url === null)
    throw new ApiError(
      'INVALID_POSTBACK_URL',
      { rule: 'the credential has no postback_url yet' },
      { message: `Event ${id} has no destination. Set postback_url of its credential first.` },
    )
  const status = event.status === 'failed' ? 'pending' : event.status
  const next = { url, status, nextAttemptAtMs: unit.atMs }
  unit.db.orm.update(events).set(next).where(eq(events.seq, event.seq)).run()
  schedule(unit, 'deliver', unit.atMs, id, singleAttempt)
  unit.publishChange({ type: 'webhook', id, event: event.event, subject: event.subjectId, status })
  return { ...event, ...next }
}
