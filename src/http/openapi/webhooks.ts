/** The events in the document, with the envelope of interface.md §6.2 and the headers of §6.1. */

import { keysOf, tableOf } from '../../base/keys.js'
import { capitalized } from '../../base/text.js'
import { type EventName, eventNames, eventTable } from '../../protocol/platform/events.js'
import { webhookHeaders, webhookUserAgent } from '../../protocol/platform/headers.js'
import { seconds, signatureWindowMs } from '../../protocol/platform/limits.js'
import { eventExamples } from './examples-events.js'
import { eventSchemaName } from './field-descriptions.js'
import { jsonSchema, type Operation, type Parameter, type PathItem, type Schema } from './json-schema.js'

export function eventSchemas(): Record<string, Schema> {
  return Object.fromEntries(
    eventNames.map((event) => {
      const name = eventSchemaName(event)
      return [name, envelopeOf(event, jsonSchema(eventTable[event].data(), 'output', name))]
    }),
  )
}

const envelopeOf = (event: EventName, data: Schema): Schema => ({
  type: 'object',
  description: `${eventTable[event].sentWhen}.`,
  required: ['event', 'timestamp', 'transaction_id', 'data'],
  properties: {
    event: { type: 'string', const: event, description: 'Name of the event.' },
    timestamp: { type: 'string', format: 'date-time', description: 'Time of the event, with an offset.' },
    transaction_id: { type: 'string', description: transactionIdDescription(event) },
    data,
  },
})

function transactionIdDescription(event: EventName): string {
  if (event.startsWith('conversion.')) return 'Identifier of the conversion or of its reversal, as in `data`.'
  return event === 'wallet.created'
    ? 'Identifier of the fixed wallet, as text.'
    : 'Identifier of the transaction, as in `data`.'
}

export function webhookItems(): Record<string, PathItem> {
  return tableOf(eventNames, (event) => ({ post: operationOf(event) }))
}

function operationOf(event: EventName): Operation {
  const name = eventSchemaName(event)
  return {
    operationId: `on${name.replace(/Event$/, '')}`,
    tags: ['Webhooks'],
    summary: event,
    description: `${eventTable[event].sentWhen}.`,
    security: [{ webhookSignature: [] }],
    parameters: Object.keys(webhookParameters()).map((key) => ({ $ref: `#/components/parameters/${key}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${name}` },
          examples: { event: { summary: event, value: exampleBody(event) } },
        },
      },
    },
    responses: {
      '2XX': { $ref: '#/components/responses/WebhookReceived' },
      '4XX': { $ref: '#/components/responses/WebhookRefused' },
    },
  }
}

/** Returns an example body of the event, as it is sent. */
export function exampleBody(event: EventName): Record<string, unknown> {
  const data: Record<string, unknown> = eventExamples[event]
  const id = data.transaction_id ?? data.conversion_id ?? data.wallet_id
  return { event, timestamp: '2026-11-21T12:00:00.000-03:00', transaction_id: String(id), data }
}

/** The headers of a webhook, without Content-Type: the document states that of the body. */
const parameterRows: Record<Exclude<keyof typeof webhookHeaders, 'type'>, { description: string; example: string }> = {
  event: { description: 'Name of the event.', example: 'cashin.confirmed' },
  signature: {
    description: 'Hex of HMAC-SHA256 over the raw body, keyed with webhook_secret. Compare it in constant time.',
    example: 'b2c7f0b4f1c5d7b5a7e9d0c3f8a6e4d2b1a09f8e7d6c5b4a39281706f5e4d3c2',
  },
  id: {
    description: 'Identifier of the event, the same in every attempt. Use it to recognize duplicates.',
    example: 'evt_0000001n50hr8k364nja',
  },
  timestamp: {
    description: `Time of this attempt, as Unix time in seconds. Reject the webhook if it differs from your clock by more than ${seconds(signatureWindowMs)}.`,
    example: '1795273200',
  },
  userAgent: { description: 'Sender of the webhook.', example: webhookUserAgent },
  sandbox: {
    description: 'Present on all webhooks of a sandbox. Your production system must reject them.',
    example: '1',
  },
}

export const webhookParameters = (): Record<string, Parameter> =>
  Object.fromEntries(
    keysOf(parameterRows).map((key) => [
      `Webhook${capitalized(key)}`,
      { name: webhookHeaders[key], in: 'header', required: true, schema: { type: 'string' }, ...parameterRows[key] },
    ]),
  )
