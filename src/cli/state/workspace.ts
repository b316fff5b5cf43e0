/** `payments-sandbox workspace`: separate sandboxes in one process, each with its own state and clock. */

import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, talks } from '../connection/connection.js'
import { bold } from '../terminal/style.js'
import { type Column, facts, table } from '../terminal/table.js'

type Workspaces = RouteAnswer<'GET /workspaces'>
type Made = RouteAnswer<'POST /workspaces'>

/** The workspaces are those of the whole sandbox, whichever one is meant by `--workspace`. */
const all = (flags: Connection) => connect({ ...flags, workspace: 'default' })

export const words: Words = {
  'workspace list': {
    prints: [{ route: 'listWorkspaces' }],
    examples: [{ run: 'payments-sandbox workspace list', says: 'which there are' }],
  },
  'workspace create': {
    prints: [{ route: 'createWorkspace' }],
    examples: [{ run: 'payments-sandbox workspace create team-b', says: 'one more, for another team or test run' }],
  },
  'workspace delete': {
    prints: [{ shape: 'deleted' }],
    examples: [{ run: 'payments-sandbox workspace delete team-a', says: 'drop it' }],
  },
}

export function define(command: Command): void {
  talks(command.command('list').description('which there are')).action(async (flags: Connection) =>
    print(flags, await all(flags).call('GET /workspaces'), listed),
  )
  talks(command.command('create').description('a new one, empty, with accounts of its own'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) =>
      print(flags, await all(flags).call('POST /workspaces', { body: { name } }), told),
    )
  talks(command.command('delete').description('drop one, and all in it'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) => {
      await all(flags).call('DELETE /workspaces/{name}', { params: { name } })
      print(flags, { name, deleted: true }, () => `${bold(name)} is gone\n`)
    })
}

function listed({ data }: Workspaces): string {
  const columns: readonly Column<Workspaces['data'][number]>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'BASE URL', of: (row) => row.base_url },
  ]
  return table(columns, data, 'no workspaces')
}

function told({ name, base_url, accounts }: Made): string {
  const [account] = accounts
  const [credential] = account?.credentials ?? []
  return facts([
    ['name', name],
    ['base_url', base_url],
    ['account', account?.username],
    ['client_id', credential?.client_id],
    ['client_secret', credential?.client_secret],
    ['signing_key', credential?.signing_key],
    ['webhook_secret', credential?.webhook_secret],
  ])
}
