/** `payments-sandbox webhooks`: events and their delivery, one with every attempt, and sending one again. */

import type { Command } from 'commander'
import type { Webhook, WebhookSummary } from '../../client/types/control.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, talks } from '../connection/connection.js'
import { bold, dim, harmless, paintState } from '../terminal/style.js'
import { type Column, facts, table } from '../terminal/table.js'
import { defineList, type ListCommand, printsOfList } from './lists.js'
import { defineWait } from './webhooks-wait.js'

const columns: readonly Column<WebhookSummary>[] = [
  { title: 'CREATED', of: (row) => row.created_at, paint: (_value, shown) => dim(shown) },
  { title: 'ID', of: (row) => row.id },
  { title: 'EVENT', of: (row) => row.event },
  { title: 'STATUS', of: (row) => row.status, paint: paintState },
  { title: 'ATTEMPTS', of: (row) => row.attempts, align: 'right' },
  { title: 'TRANSACTION', of: (row) => row.transaction_id },
  { title: 'TO', of: (row) => row.url ?? 'no address' },
]

const list: ListCommand<WebhookSummary, Webhook> = {
  path: '/_sandbox/webhooks',
  columns,
  empty: 'no events yet',
  filters: {
    event: 'cashin.confirmed, …',
    status: 'pending, queued, delivered or failed',
    transaction_id: 'of one transaction',
    external_id: 'by your own identifier',
  },
  follows: (change) => change.type === 'webhook',
  idOf: (row) => row.id,
  told,
}

export const words: Words = {
  webhooks: {
    prints: printsOfList('listWebhooks', 'readWebhook'),
    examples: [
      { run: 'payments-sandbox webhooks --status failed', says: 'what did not arrive' },
      { run: 'payments-sandbox webhooks evt_0000001yr7r392dgw322', says: 'one: every attempt, the exact body' },
      { run: 'payments-sandbox webhooks --follow', says: 'each delivery as it happens', stays: true },
    ],
  },
  'webhooks redeliver': {
    prints: [{ route: 'redeliverWebhook' }],
    examples: [
      { run: 'payments-sandbox webhooks redeliver evt_0000001yr7r392dgw322', says: 'same id, same body, now' },
    ],
  },
  'webhooks wait': {
    prints: [{ route: 'waitForWebhook' }],
    examples: [
      { run: 'payments-sandbox webhooks wait cashin.confirmed', says: 'until it has arrived, five seconds at most' },
      {
        run: 'payments-sandbox webhooks wait --external-id order-18 --timeout 30s',
        says: 'whatever comes of one order',
      },
    ],
  },
}

export function define(command: Command): void {
  talks(command.command('redeliver').description('send an event again at once: same id, same body'))
    .argument('<id>', 'evt_…')
    .action(async (id: string, flags: Connection) => {
      const sent = await connect(flags).call('POST /webhooks/{id}/redeliver', { params: { id } })
      print(
        flags,
        sent,
        (row) => `${bold(row.id)} ${row.event} is on its way to ${row.url ?? 'nowhere: it has no address'}\n`,
      )
    })
  defineWait(command.command('wait').description('go on as soon as an event has been acknowledged'))
  defineList(command, list)
}

function told(event: Webhook): string {
  const attempts: readonly Column<Webhook['attempts'][number]>[] = [
    { title: '#', of: (row) => row.number, align: 'right' },
    { title: 'AT', of: (row) => row.at, paint: (_value, shown) => dim(shown) },
    { title: 'OUTCOME', of: (row) => row.outcome, paint: paintState },
    { title: 'STATUS', of: (row) => row.status, align: 'right' },
    { title: 'TOOK', of: (row) => `${row.duration_ms} ms`, align: 'right' },
    { title: 'ANSWER', of: (row) => (row.response_body || row.detail || '').slice(0, 80) },
  ]
  const headers = event.attempts.at(-1)?.request_headers ?? {}
  return [
    facts([
      ['id', event.id],
      ['event', event.event],
      ['transaction', event.transaction_id],
      ['to', event.url ?? 'no address: set a postback_url, then redeliver'],
      ['status', event.status],
      ['next attempt', event.next_attempt_at],
      ['created', event.created_at],
    ]),
    `\n${bold('Attempts')}\n${table(attempts, event.attempts, 'none yet')}`,
    Object.keys(headers).length === 0
      ? ''
      : `\n${bold('Headers of the last attempt')}\n${facts(Object.entries(headers))}`,
    `\n${bold('Body')} ${dim('exactly as sent and signed')}\n${harmless(event.body)}\n`,
  ].join('')
}
