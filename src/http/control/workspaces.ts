/** Workspaces: separate sandboxes in one process, each with a database, clock, accounts and queue of its own. */
import * as z from 'zod'
import { listAccounts } from '../../core/access/account.js'
import type { Workspace } from '../../core/workspace/workspace.js'
import type { Host } from '../host.js'
import { accountFields } from './accounts.js'
import { knownQuery, readBody } from './params.js'
import type { AdminCall, AdminRoute } from './route.js'

export const baseUrlOf = (host: Host, ws: Workspace): string =>
  ws.name === 'default' ? host.baseUrl() : `${host.baseUrl()}/w/${ws.name}`

const shown = async (host: Host, ws: Workspace) => ({
  name: ws.name,
  base_url: baseUrlOf(host, ws),
  accounts: await ws.unit((unit) => listAccounts(unit.db).map((account) => accountFields(unit, account))),
})

async function list({ host, query }: AdminCall) {
  knownQuery(query, [])
  const open = host.workspaceNames().flatMap((name) => host.workspace(name) ?? [])
  return { data: open.map((ws) => ({ name: ws.name, base_url: baseUrlOf(host, ws) })), next: null }
}

const createBody = z.strictObject({ name: z.string('must be a string') })

const create = ({ host, body }: AdminCall) => shown(host, host.createWorkspace(readBody(createBody, body).name))

async function drop({ host, params }: AdminCall) {
  await host.dropWorkspace(params.name ?? '')
  return null
}

export const workspaceRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/_sandbox/workspaces', title: 'The workspaces of this sandbox', handle: list },
  {
    method: 'POST',
    path: '/_sandbox/workspaces',
    title: 'Make a workspace: a sandbox of its own under /w/{name}',
    describeBody: () => createBody,
    handle: create,
  },
  { method: 'DELETE', path: '/_sandbox/workspaces/:name', title: 'Drop a workspace and all in it', handle: drop },
]
