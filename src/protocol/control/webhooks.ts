/** Control routes of events and their delivery. */

import * as z from 'zod'
import { exactDuration, minuteMs } from '../../base/duration.js'
import { eventNames, sources } from '../platform/events.js'
import { attemptOutcomes } from '../platform/failures.js'
import { choice, dateTimeUtc, decimal } from '../platform/fields.js'
import { controlDefaults } from '../platform/limits.js'
import { webhookFaults } from '../settings/chaos-faults.js'
import { currency, durationMs, eventName, filterText, listOf, pageOf } from './fields.js'
import { model, route } from './route.js'

export const deliveryStatuses = ['pending', 'queued', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const chaos = (what: string) => z.array(z.enum(webhookFaults)).optional().describe(what)

const event = () => ({
  id: z.string().describe('`evt_…`'),
  event: eventName(),
  transaction_id: z.string(),
  subject_id: z.string().describe('Id of the object of the event'),
  external_id: z.string().nullable(),
  amount: decimal().nullable().describe('Amount in the event; null if it has none'),
  currency: currency().nullable(),
  source: z.enum(sources).nullable().describe('`static` for a deposit to a fixed wallet; null if the event has none'),
  url: z.string().nullable().describe('Webhook URL; null if none is set'),
  status: z.enum(deliveryStatuses),
  outcome: z.literal('no_url').optional(),
  chaos: chaos('Random faults of its delivery'),
  next_attempt_at: dateTimeUtc().nullable(),
  created_at: dateTimeUtc(),
})

export const webhookSummary = model('WebhookSummary', () =>
  z.strictObject({ ...event(), attempts: z.int().describe('Number of attempts') }),
)

const attempt = model('WebhookAttempt', () =>
  z.strictObject({
    number: z.int(),
    at: dateTimeUtc(),
    duration_ms: z.int(),
    request_headers: z.record(z.string(), z.string()),
    outcome: z.enum(attemptOutcomes),
    status: z.int().nullable(),
    response_body: z.string().nullable(),
    detail: z.string().nullable().describe('The outcome as a sentence'),
    chaos: chaos('Random faults of this attempt'),
  }),
)

const webhook = model('Webhook', () =>
  z.strictObject({
    ...event(),
    body: z.string().describe('The exact text that was sent'),
    attempts: z.array(attempt()),
  }),
)
export type Webhook = z.output<ReturnType<typeof webhook>>

const filters = () => ({
  event: choice(eventNames).optional(),
  transaction_id: filterText().describe('The transaction of the event, or the id of its object'),
  external_id: filterText(),
})

export const webhookRoutes = {
  listWebhooks: route({
    method: 'GET',
    path: '/webhooks',
    summary: 'Events and their delivery, newest first',
    query: () => pageOf({ ...filters(), status: choice(deliveryStatuses).optional() }),
    answer: () => listOf(webhookSummary()),
  }),
  waitForWebhook: route({
    method: 'GET',
    path: '/webhooks/wait',
    summary: 'Wait until an event has been acknowledged',
    query: () =>
      z.strictObject({
        ...filters(),
        status: choice([...deliveryStatuses, 'settled'])
          .optional()
          .describe('Default: `delivered`. `settled` means delivered, or failed after the last attempt'),
        timeout: durationMs(10 * minuteMs, '10m')
          .optional()
          .describe(
            `Longest wait in real time (default: ${exactDuration(controlDefaults.webhookWaitMs)}). The answer comes earlier if \`event\` and an id are given and the event fails after its last attempt`,
          ),
      }),
    answer: webhook,
  }),
  readWebhook: route({
    method: 'GET',
    path: '/webhooks/{id}',
    summary: 'One event: the exact body, every attempt',
    answer: webhook,
  }),
  redeliverWebhook: route({
    method: 'POST',
    path: '/webhooks/{id}/redeliver',
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Send an event again now',
    answer: webhookSummary,
  }),
} as const
