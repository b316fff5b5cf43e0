/** `payments-sandbox inbox`: the addresses of the sandbox itself that take webhooks, and what came to one of them. */

import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { InboxMessage } from '../../client/types/control.js'
import { receivedHeaders } from '../../protocol/platform/headers.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, type Sandbox, talks } from '../connection/connection.js'
import { UsageError } from '../errors.js'
import { dim, paintState } from '../terminal/style.js'
import { type Column, table } from '../terminal/table.js'

/** The one that the dashboard opens with. */
const firstInbox = 'main'

export const words: Words = {
  inbox: {
    prints: [
      { route: 'listInboxes' },
      { route: 'readInbox', when: 'with a name' },
      { shape: 'emptied', when: 'with --empty' },
    ],
    examples: [
      { run: 'payments-sandbox inbox', says: 'which there are' },
      { run: 'payments-sandbox inbox examples', says: 'the webhooks that came to /_sandbox/inbox/examples' },
      { run: 'payments-sandbox inbox --empty', says: 'forget what came to the one called main' },
    ],
  },
}

export function define(command: Command): void {
  talks(command)
    .argument('[name]', 'whose messages; without it, which inboxes there are')
    .option('--limit <number>', 'how many (default 50)')
    .option('--empty', `forget them, and what it was told to answer (default ${firstInbox})`)
    .action(async (given: string | undefined, flags: Connection & { limit?: string; empty?: true }) => {
      const sandbox = connect(flags)
      const name = given ?? firstInbox
      if (flags.empty === true) {
        await sandbox.call('DELETE /inbox/{name}', { params: { name } })
        print(flags, { name, emptied: true }, () => `${paintState('ok', '✓')} ${name} is empty\n`)
        return
      }
      if (given === undefined && flags.limit === undefined)
        return print(flags, await sandbox.call('GET /inbox'), ({ data }) =>
          table(boxes, data, emptyWord(sandbox, name)),
        )
      const query = flags.limit === undefined ? {} : { limit: counted(flags.limit) }
      const came = await sandbox.call('GET /inbox/{name}', { params: { name }, query })
      print(flags, came, ({ data }) => table(columns, data, emptyWord(sandbox, name)))
    })
}

function counted(word: string): number {
  if (!/^[1-9]\d{0,2}$/.test(word)) throw new UsageError(`--limit takes a whole number from 1, not ${word}`)
  return Number(word)
}

const emptyWord = (sandbox: Sandbox, name: string) =>
  `nothing came yet: ${sandbox.url}/_sandbox/inbox/${name} is its address, for postback_url or --webhook-url`

const boxes: readonly Column<RouteAnswer<'GET /inbox'>['data'][number]>[] = [
  { title: 'NAME', of: (row) => row.name },
  { title: 'MESSAGES', of: (row) => String(row.messages), align: 'right' },
  { title: 'LAST RECEIVED', of: (row) => row.last_received_at ?? '', paint: (_value, shown) => dim(shown) },
  { title: 'URL', of: (row) => row.url },
]

const verdictOf = ({ signature_valid }: InboxMessage) =>
  signature_valid === null ? 'none' : signature_valid ? 'valid' : 'invalid'

/** The fields of our own webhooks; anybody may post anything else. */
const partOf = ({ body }: InboxMessage, ...path: readonly string[]): string | null => {
  let part: unknown = body
  for (const key of path)
    part = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[key] : undefined
  return typeof part === 'string' ? part : null
}

const columns: readonly Column<RouteAnswer<'GET /inbox/{name}'>['data'][number]>[] = [
  { title: 'RECEIVED', of: (row) => row.received_at },
  { title: 'EVENT', of: (row) => row.headers[receivedHeaders.event] },
  { title: 'TRANSACTION', of: (row) => partOf(row, 'data', 'transaction_id') },
  { title: 'STATUS', of: (row) => partOf(row, 'data', 'status'), paint: paintState },
  { title: 'SIGNATURE', of: verdictOf, paint: paintState },
]
