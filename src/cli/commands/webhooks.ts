/** Webhooks: `payments-sandbox webhooks` lists events and their delivery, `inbox` what the built-in receivers got. */
import type { Command } from 'commander'
import { exactDuration } from '../../base/duration.js'
import type { RouteAnswer } from '../../client/control.js'
import type { ControlRoutes, InboxMessage, Webhook, WebhookSummary } from '../../client/types/control.js'
import { lowerCaseWebhookHeaders } from '../../protocol/platform/headers.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import {
  addConnectionFlags,
  type CommandFile,
  type ConnectionFlags,
  connect,
  print,
  queryOf,
  type Sandbox,
  subcommand,
  wholeNumber,
} from '../command.js'
import { defineList, jsonOutputsOfList, type ListCommand } from '../lists.js'
import { withProgress } from '../terminal/progress.js'
import {
  bold,
  type Column,
  dim,
  formatFields,
  paintState,
  replaceControls,
  shortTime,
  table,
} from '../terminal/style.js'

// `payments-sandbox webhooks wait EVENT`: waits until such an event is acknowledged, so that a script need not poll.

const filters = {
  transaction_id: 'filter by transaction',
  external_id: 'filter by your own identifier',
  status:
    'status to wait for: delivered, failed, settled (delivered or failed), pending or queued (default: delivered)',
  timeout: `longest wait, in real time (default: ${exactDuration(controlDefaults.webhookWaitMs)})`,
} as const

function defineWait(command: Command): void {
  for (const [name, help] of Object.entries(filters))
    command.option(`--${name.replaceAll('_', '-')} <${name === 'timeout' ? 'duration' : 'text'}>`, help)
  command
    .argument('[event]', 'such as cashin.confirmed (default: any)')
    .action(async (event: string | undefined, flags: ConnectionFlags) => {
      // The sandbox validates the values.
      const query = {
        event,
        ...queryOf({ ...flags }, Object.keys(filters)),
      } as ControlRoutes['GET /webhooks/wait']['query']
      const found = await withProgress(`waiting for ${event ?? 'a webhook'}`, () =>
        connect(flags).call('GET /webhooks/wait', { query }),
      )
      print(
        flags,
        found,
        ({ id, event: name, transaction_id, status }) =>
          `${bold(name)} ${id} of ${transaction_id} is ${paintState(status)}\n`,
      )
    })
}

const columns: readonly Column<WebhookSummary>[] = [
  { title: 'CREATED', of: (row) => row.created_at, short: shortTime, paint: (_value, text) => dim(text) },
  { title: 'EVENT', of: (row) => row.event },
  { title: 'STATUS', of: (row) => row.status, paint: paintState },
  { title: 'ID', of: (row) => row.id },
  { title: 'ATTEMPTS', of: (row) => row.attempts, align: 'right' },
  { title: 'TRANSACTION', of: (row) => row.transaction_id },
  { title: 'TO', of: (row) => row.url ?? 'no URL' },
]

const list: ListCommand<WebhookSummary, Webhook> = {
  path: '/_sandbox/webhooks',
  columns,
  empty: 'no events yet',
  filters: {
    event: 'filter by event: cashin.confirmed, …',
    status: 'filter by delivery status: pending, queued (waits for the rate limit), delivered or failed',
    transaction_id: 'filter by transaction',
    external_id: 'filter by your own identifier',
  },
  matchesChange: (change) => change.type === 'webhook',
  idOf: (row) => row.id,
  format: formatWebhook,
}

export const webhooks: CommandFile = {
  usages: {
    webhooks: {
      jsonOutputs: jsonOutputsOfList('listWebhooks', 'readWebhook'),
      examples: {
        'payments-sandbox webhooks --status failed': 'list failed deliveries',
        'payments-sandbox webhooks evt_0000001yr7r392dgw322': 'show every attempt of one webhook and the exact body',
        'payments-sandbox webhooks --follow': 'print each new or changed delivery',
      },
    },
    'webhooks redeliver': {
      jsonOutputs: [{ route: 'redeliverWebhook' }],
      examples: {
        'payments-sandbox webhooks redeliver evt_0000001yr7r392dgw322':
          'send the webhook again now, with the same id and the same body',
      },
    },
    'webhooks wait': {
      jsonOutputs: [{ route: 'waitForWebhook' }],
      examples: {
        'payments-sandbox webhooks wait cashin.confirmed':
          'wait until a cashin.confirmed is delivered, at most five seconds; an event that was delivered before also counts',
        'payments-sandbox webhooks wait --external-id order-18 --timeout 30s': 'wait for any event of one order',
      },
    },
  },
  define(command) {
    subcommand(command, 'redeliver', 'send an event again now: same id, same body')
      .argument('<id>', 'id of the event: evt_…')
      .action(async (id: string, flags: ConnectionFlags) => {
        const sent = await connect(flags).call('POST /webhooks/{id}/redeliver', { params: { id } })
        print(flags, sent, (row) => `${bold(row.id)} ${row.event} is being sent to ${row.url}\n`)
      })
    defineWait(subcommand(command, 'wait', 'wait until an event is delivered'))
    defineList(command, list)
  },
}

const faultColumn: Column<Webhook['attempts'][number]> = {
  title: 'FAULT',
  of: (row) => (row.chaos ?? row.faults)?.join(', ') ?? null,
}

function formatWebhook(webhook: Webhook): string {
  const attempts: readonly Column<Webhook['attempts'][number]>[] = [
    { title: '#', of: (row) => row.number, align: 'right' },
    { title: 'AT', of: (row) => row.at, paint: (_value, text) => dim(text) },
    { title: 'OUTCOME', of: (row) => row.outcome, paint: paintState },
    { title: 'STATUS', of: (row) => row.status, align: 'right' },
    { title: 'TOOK', of: (row) => `${row.duration_ms} ms`, align: 'right' },
    ...(webhook.chaos === undefined && webhook.faults === undefined ? [] : [faultColumn]),
    { title: 'RESPONSE', of: (row) => (row.response_body || row.detail || '').slice(0, 80) },
  ]
  const last = webhook.attempts.at(-1)
  const headers = last?.request_headers ?? {}
  return [
    formatFields([
      ['id', webhook.id],
      ['event', webhook.event],
      ['transaction', webhook.transaction_id],
      ['to', webhook.url ?? 'no webhook URL; set a postback_url, then redeliver'],
      ['status', webhook.status],
      ['scenario', webhook.scenario],
      ['chaos', webhook.chaos?.join(', ')],
      ['faults', webhook.faults?.join(', ')],
      ['next attempt', webhook.next_attempt_at],
      ['created', webhook.created_at],
    ]),
    `\n${bold('Attempts')}\n${table(attempts, webhook.attempts, 'none yet')}`,
    Object.keys(headers).length === 0
      ? ''
      : `\n${bold('Headers of the last attempt')}\n${formatFields(Object.entries(headers))}`,
    `\n${bold('Body')} ${dim(bodyWords(last))}\n${replaceControls(webhook.body)}\n`,
  ].join('')
}

function bodyWords(last: Webhook['attempts'][number] | undefined): string {
  if (last === undefined || last.request_body === null) return 'not sent yet'
  return last.signed_body === undefined ? 'exactly as sent and signed' : 'exactly as sent; altered after it was signed'
}

/** The inbox that the dashboard shows first. */
const firstInbox = 'main'

export const inbox: CommandFile = {
  usages: {
    inbox: {
      jsonOutputs: [
        { route: 'listInboxes' },
        { route: 'readInbox', when: 'with a name' },
        { shape: 'emptied', when: 'with --empty' },
      ],
      examples: {
        'payments-sandbox inbox': 'list all inboxes',
        'payments-sandbox inbox examples': 'list the webhooks sent to /_sandbox/inbox/examples',
        'payments-sandbox inbox --empty': 'delete the messages of the inbox main',
      },
    },
  },
  define(command) {
    addConnectionFlags(command)
      .argument('[name]', 'inbox to show; omit to list inboxes')
      .option('--limit <number>', `number of messages (default: ${controlDefaults.rows})`)
      .option('--empty', `delete its messages and configured responses (default inbox: ${firstInbox})`)
      .action(async (inboxName: string | undefined, flags: ConnectionFlags & { limit?: string; empty?: true }) => {
        const sandbox = connect(flags)
        const name = inboxName ?? firstInbox
        if (flags.empty === true) {
          await sandbox.call('DELETE /inbox/{name}', { params: { name } })
          print(flags, { name, emptied: true }, () => `${paintState('ok', '✓')} ${name} is empty\n`)
          return
        }
        if (inboxName === undefined && flags.limit === undefined)
          return print(flags, await sandbox.call('GET /inbox'), ({ data }) =>
            table(boxes, data, emptyWord(sandbox, name)),
          )
        const query = flags.limit === undefined ? {} : { limit: wholeNumber('--limit', flags.limit, 1) }
        const received = await sandbox.call('GET /inbox/{name}', { params: { name }, query })
        print(flags, received, ({ data }) => table(messageColumns, data, emptyWord(sandbox, name)))
      })
  },
}

const emptyWord = (sandbox: Sandbox, name: string) =>
  `no webhooks yet; use ${sandbox.url}/_sandbox/inbox/${name} as postback_url or --webhook-url`

const boxes: readonly Column<RouteAnswer<'GET /inbox'>['data'][number]>[] = [
  { title: 'NAME', of: (row) => row.name },
  { title: 'MESSAGES', of: (row) => String(row.messages), align: 'right' },
  { title: 'LAST RECEIVED', of: (row) => row.last_received_at ?? '', paint: (_value, text) => dim(text) },
  { title: 'URL', of: (row) => row.url },
]

const verdictOf = ({ signature_valid }: InboxMessage) =>
  signature_valid === null ? 'none' : signature_valid ? 'valid' : 'invalid'

/** Returns a field of a webhook. An inbox also accepts bodies that are not from the sandbox. */
const partOf = ({ body }: InboxMessage, ...path: readonly string[]): string | null => {
  let part: unknown = body
  for (const key of path)
    part = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[key] : undefined
  return typeof part === 'string' ? part : null
}

const messageColumns: readonly Column<RouteAnswer<'GET /inbox/{name}'>['data'][number]>[] = [
  { title: 'RECEIVED', of: (row) => row.received_at },
  { title: 'EVENT', of: (row) => row.headers[lowerCaseWebhookHeaders.event] },
  { title: 'TRANSACTION', of: (row) => partOf(row, 'data', 'transaction_id') },
  { title: 'STATUS', of: (row) => partOf(row, 'data', 'status'), paint: paintState },
  { title: 'SIGNATURE', of: verdictOf, paint: paintState },
]
