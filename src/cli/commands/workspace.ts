/** `payments-sandbox workspace`: lists, creates and deletes isolated sandboxes in one process. */

import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import type { CommandUsages } from '../command.js'
import { type ConnectionFlags, connect, print, subcommand } from '../connection.js'
import { bold } from '../terminal/style.js'
import { type Column, formatFields, table } from '../terminal/table.js'

type Workspaces = RouteAnswer<'GET /workspaces'>
type Created = RouteAnswer<'POST /workspaces'>

/** Connects without `--workspace`, because workspaces belong to the whole sandbox. */
const connectToAll = (flags: ConnectionFlags) => connect({ ...flags, workspace: 'default' })

export const usages: CommandUsages = {
  'workspace list': {
    jsonOutputs: [{ route: 'listWorkspaces' }],
    examples: { 'payments-sandbox workspace list': 'list all workspaces' },
  },
  'workspace create': {
    jsonOutputs: [{ route: 'createWorkspace' }],
    examples: { 'payments-sandbox workspace create team-b': 'create a workspace for a second team or test run' },
  },
  'workspace delete': {
    jsonOutputs: [{ shape: 'deleted' }],
    examples: { 'payments-sandbox workspace delete team-a': 'delete the workspace team-a' },
  },
}

export function define(command: Command): void {
  subcommand(command, 'list', 'list workspaces').action(async (flags: ConnectionFlags) =>
    print(flags, await connectToAll(flags).call('GET /workspaces'), format),
  )
  subcommand(command, 'create', 'create a workspace with the demonstration accounts and no transactions')
    .argument('<name>')
    .action(async (name: string, flags: ConnectionFlags) =>
      print(flags, await connectToAll(flags).call('POST /workspaces', { body: { name } }), formatCreated),
    )
  subcommand(command, 'delete', 'delete a workspace and everything in it')
    .argument('<name>')
    .action(async (name: string, flags: ConnectionFlags) => {
      await connectToAll(flags).call('DELETE /workspaces/{name}', { params: { name } })
      print(flags, { name, deleted: true }, () => `${bold(name)} is deleted\n`)
    })
}

function format({ data }: Workspaces): string {
  const columns: readonly Column<Workspaces['data'][number]>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'BASE URL', of: (row) => row.base_url },
  ]
  return table(columns, data, 'no workspaces')
}

function formatCreated({ name, base_url, accounts }: Created): string {
  const [account] = accounts
  const [credential] = account?.credentials ?? []
  return formatFields([
    ['name', name],
    ['base_url', base_url],
    ['account', account?.username],
    ['client_id', credential?.client_id],
    ['client_secret', credential?.client_secret],
    ['signing_key', credential?.signing_key],
    ['webhook_secret', credential?.webhook_secret],
  ])
}
