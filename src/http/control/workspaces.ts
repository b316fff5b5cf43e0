/** Workspaces: separate sandboxes in one process, each with its own database, clock, accounts, queue and URL. */
import { listAccounts } from '../../core/auth/account.js'
import type { Workspace } from '../../core/unit/unit.js'
import { maxWorkspaces, type workspaceRoutes } from '../../protocol/control/state.js'
import type { CreatedWorkspace, Host } from '../host.js'
import { accountFields } from './accounts.js'
import type { CallContext, Handlers } from './routes.js'

/** The address that the server knows: only a caller's request knows the one that reaches it from outside. */
export const ownUrlOf = (host: Host, workspace: string): string =>
  workspace === 'default' ? host.baseUrl() : `${host.baseUrl()}/w/${workspace}`

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
      data: page.map((name) => ({ name, base_url: ownUrlOf(host, name) })),
      next: names.length > limit ? (page.at(-1) ?? null) : null,
    }
  },
  createWorkspace: async ({ host, body: { name } }) => {
    const workspace = await host.createWorkspace(name)
    return { name, base_url: ownUrlOf(host, name), ...workspace }
  },
  async deleteWorkspace({ host, params }) {
    await host.deleteWorkspace(params.name)
    return null
  },
}

type CallAddress = Pick<CallContext, 'request' | 'ws'>

/** Uses the address that the caller used: inside a container, the address that the server listens on is of no use to them. */
export function baseUrlOf({ request, ws }: CallAddress): string {
  const { origin } = new URL(request.url)
  return ws.name === 'default' ? origin : `${origin}/w/${ws.name}`
}

type WithPayUrl<Shown> = Shown extends { payment_method: unknown } ? Shown & { pay_url: string } : Shown

export function withPayUrl<Shown extends object>(call: CallAddress, object: Shown): WithPayUrl<Shown> {
  const host =
    'payment_method' in object && 'transaction_id' in object
      ? { ...object, pay_url: `${baseUrlOf(call)}/pay/${object.transaction_id}` }
      : object
  // TypeScript resolves a conditional type only once its type parameter is known.
  return host as WithPayUrl<Shown>
}
