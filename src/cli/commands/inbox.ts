/** `payments-sandbox inbox`: lists the built-in receivers, and the webhooks that one of them got. */

import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { InboxMessage } from '../../client/types/control.js'
import { lowerCaseWebhookHeaders } from '../../protocol/platform/headers.js'
import { controlDefaults } from '../../protocol/platform/limits.js'
import type { CommandUsages } from '../command.js'
import { addConnectionFlags, type ConnectionFlags, connect, print, type Sandbox, wholeNumber } from '../connection.js'
import { dim, paintState } from '../terminal/style.js'
import { type Column, table } from '../terminal/table.js'

/** The inbox that the dashboard shows first. */
const firstInbox = 'main'

export const usages: CommandUsages = {
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
}

export function define(command: Command): void {
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
      print(flags, received, ({ data }) => table(columns, data, emptyWord(sandbox, name)))
    })
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

const columns: readonly Column<RouteAnswer<'GET /inbox/{name}'>['data'][number]>[] = [
  { title: 'RECEIVED', of: (row) => row.received_at },
  { title: 'EVENT', of: (row) => row.headers[lowerCaseWebhookHeaders.event] },
  { title: 'TRANSACTION', of: (row) => partOf(row, 'data', 'transaction_id') },
  { title: 'STATUS', of: (row) => partOf(row, 'data', 'status'), paint: paintState },
  { title: 'SIGNATURE', of: verdictOf, paint: paintState },
]
