/** Workspaces: separate sandboxes in one process, each with its own database, clock, accounts and queue. */
import { listAccounts } from '../../core/auth/account.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { maxWorkspaces, type workspaceRoutes } from '../../protocol/control/workspaces.js'
import type { CreatedWorkspace, Host } from '../host.js'
import { accountFields } from './accounts.js'
import type { Handlers } from './routes.js'

export const baseUrlOf = (host: Host, workspace: string): string =>
  workspace === 'default' ? host.baseUrl() : `${host.baseUrl()}/w/${workspace}`

/** Describes a new workspace to the caller who created it. */
export const describeCreatedWorkspace = async (ws: Workspace): Promise<CreatedWorkspace> => ({
  accounts: await ws.unit((unit) => listAccounts(unit.db).map((account) => accountFields(unit, account))),
})

export const workspaceHandlers: Handlers<typeof workspaceRoutes> = {
  async listWorkspaces({ host, query: { limit = maxWorkspaces, after } }) {
    const isFirst = after === undefined
    const behind = isFirst || after === 'default' ? '' : after
    const names = [...(isFirst ? ['default'] : []), ...(await host.workspaceNames(behind, limit + 1))]
    const page = names.slice(0, limit)
    return {
      data: page.map((name) => ({ name, base_url: baseUrlOf(host, name) })),
      next: names.length > limit ? (page.at(-1) ?? null) : null,
    }
  },
  createWorkspace: async ({ host, body: { name } }) => {
    const workspace = await host.createWorkspace(name)
    return { name, base_url: baseUrlOf(host, name), ...workspace }
  },
  async deleteWorkspace({ host, params }) {
    await host.deleteWorkspace(params.name)
    return null
  },
}
