/** Control routes of events and their delivery, and of the inboxes: built-in receivers. */
import * as z from 'zod'
import { exactDuration, minuteMs } from '../../base/duration.js'
import { eventNames, sources } from '../platform/events.js'
import { attemptOutcomes } from '../platform/failures.js'
import { choice, dateTimeUtc, decimal, integerInJson } from '../platform/fields.js'
import { webhookHeaders } from '../platform/headers.js'
import { controlDefaults } from '../platform/limits.js'
import { webhookFaults } from '../settings/chaos.js'
import { currency, durationMs, eventName, filterText, listOf, model, pageByNameQuery, pageOf, route } from './route.js'

export const deliveryStatuses = ['pending', 'queued', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const webhookVerdicts = ['wrongly_accepted', 'rightly_refused'] as const
export type WebhookVerdict = (typeof webhookVerdicts)[number]

const chaos = (what: string) => z.array(z.enum(webhookFaults)).optional().describe(what)

const verdict = (what: string) => z.enum(webhookVerdicts).optional().describe(what)

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
  verdict: verdict('What the receiver did with the last attempt, if a scenario altered it'),
  scenario: z.string().optional().describe('The scenario that affects its delivery'),
  chaos: chaos('Random faults of its delivery'),
  faults: z
    .array(z.string())
    .optional()
    .describe('Effects of a scenario or of chaos on its delivery, such as `duplicate: 3`'),
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
    request_headers: z.record(z.string(), z.string()).describe('As sent'),
    request_body: z.string().nullable().describe('The exact text that was sent; null if nothing was sent'),
    signed_body: z.string().optional().describe('The text that was signed, if a scenario altered it afterwards'),
    outcome: z.enum(attemptOutcomes),
    status: z.int().nullable(),
    response_body: z.string().nullable(),
    detail: z.string().nullable().describe('The outcome as a sentence'),
    verdict: verdict('What the receiver did with it, if a scenario altered it'),
    chaos: chaos('Random faults of this attempt'),
    faults: z.array(z.string()).optional().describe('What a scenario altered in this attempt, such as `tamper: body`'),
  }),
)

const webhook = model('Webhook', () =>
  z.strictObject({
    ...event(),
    body: z.string().describe('The exact text that was sent last; before the first attempt, the text to send'),
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
  listWebhooks: route('GET /webhooks', {
    summary: 'Events and their delivery, newest first',
    query: () =>
      pageOf({
        ...filters(),
        status: choice(deliveryStatuses).optional(),
        verdict: choice([...webhookVerdicts, 'none'])
          .optional()
          .describe('Of the newest events; `none`: neither of the two'),
      }),
    answer: () => listOf(webhookSummary()),
  }),
  waitForWebhook: route('GET /webhooks/wait', {
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
  readWebhook: route('GET /webhooks/{id}', { summary: 'One event: the exact body, every attempt', answer: webhook }),
  redeliverWebhook: route('POST /webhooks/{id}/redeliver', {
    errors: ['INVALID_POSTBACK_URL'],
    summary: 'Send an event again now',
    answer: webhookSummary,
  }),
} as const

const params = () =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be 1 to 100 letters, digits, dots, hyphens and underscores'),
  })

const message = model('InboxMessage', () =>
  z.strictObject({
    headers: z.record(z.string(), z.string()),
    body: z
      .unknown()
      .describe(
        'The parsed JSON body; null if it is not JSON, is nested deeper than 32 levels or has more than 10,000 values. `raw` always has the text',
      ),
    raw: z.string().describe('The text exactly as it was received'),
    signature_valid: z.boolean().nullable().describe('null if it had no signature'),
    received_at: dateTimeUtc(),
  }),
)

const responses = () => z.array(z.strictObject({ status: z.int(), delay: z.string() }))

const inbox = model('Inbox', () =>
  z.strictObject({
    name: z.string(),
    url: z.string().describe('URL to set as `postback_url`'),
    messages: z.int().describe('Number of stored messages'),
    last_received_at: dateTimeUtc().nullable(),
    responses: responses().describe('The next responses, of which the last one repeats; empty: 200'),
  }),
)

/** The name of the inbox that a path of this server leads to, in any workspace; null if it leads elsewhere. */
export const inboxIn = (path: string): string | null =>
  /^(?:\/w\/[^/]+)?\/_sandbox\/inbox\/([^/]+)$/.exec(path)?.[1] ?? null

export const isInboxPath = (path: string): boolean => inboxIn(path) !== null

export const inboxRoutes = {
  listInboxes: route('GET /inbox', {
    summary: 'The inboxes, most recently used first',
    query: pageByNameQuery,
    answer: () => listOf(inbox()),
  }),
  postToInbox: route('POST /inbox/{name}', {
    summary:
      'A receiver of webhooks: use this address as postback_url. In a shared sandbox, callers without the admin token cannot create an inbox (404) and have a separate limit (507)',
    params,
    rawBodyTypes: 'any',
    otherStatuses: {
      '2XX': 'Stored. 200, or the response that was set with `PUT`. 204 and 205 have no body.',
      '3XX': 'Stored. The response that was set with `PUT`. 304 has no body.',
      '4XX': 'The message is stored and answered with the response set by `PUT`, or rejected with an error.',
      '5XX':
        'The message is stored and answered with the response set by `PUT`, or rejected with an error (507: the inbox is full).',
    },
    otherResponse: () => z.strictObject({ status: z.int().describe('The status of this response') }),
  }),
  readInbox: route('GET /inbox/{name}', {
    summary: 'Messages of an inbox, by default in order of arrival',
    params,
    query: () =>
      pageOf({
        order: choice(['oldest', 'newest']).optional().describe('Order of the messages (default: `oldest` first)'),
        event: choice(eventNames).optional().describe(`The value of \`${webhookHeaders.event}\``),
        about: filterText().describe('A part of the received text, such as an id'),
      }),
    answer: () => listOf(message()),
  }),
  setInboxAnswers: route('PUT /inbox/{name}', {
    summary: 'Configure the next responses; the last one repeats',
    params,
    body: () =>
      z.strictObject({
        responses: z
          .array(
            z.strictObject({ status: integerInJson(200, 599), delay: durationMs(minuteMs, '60s').optional() }),
            'must be a list',
          )
          .max(100, 'must be at most 100'),
      }),
    answer: () => z.strictObject({ responses: responses() }),
    example: { responses: [{ status: 500 }, { status: 200, delay: '2s' }] },
  }),
  emptyInbox: route('DELETE /inbox/{name}', {
    summary: 'Delete its messages and configured responses',
    params,
  }),
} as const
