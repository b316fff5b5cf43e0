/** A deployment for several tenants under workerd: an operator, workspaces with their own tokens, and callers from any address. */
import { startWorkerd } from '../../scripts/workerd.mjs'
import { temporaryFolder } from './folder.js'
import { closeAfter } from './hooks.js'
import { type Body, send } from './http.js'

export interface Tenant {
  base: string
  /** The workspace's first account, with credentials. */
  account: Body
  /** Calls with the admin token of the workspace. */
  call(method: string, path: string, body?: unknown): ReturnType<typeof send>
}

export interface Hosted {
  url: string
  /** The folder of the stored objects. */
  storage: string
  /** Calls with the operator's token. */
  operator(method: string, path: string, body?: unknown): ReturnType<typeof send>
  tenant(name: string): Promise<Tenant>
}

const adminToken = 'the-operator'

/** The header in which the host passes the caller's address. */
export const from = (address: string) => ({ 'CF-Connecting-IP': address })

export async function openHosted(variables: Record<string, unknown> = {}): Promise<Hosted> {
  const storage = temporaryFolder()
  const { url, stop } = await startWorkerd({
    storage,
    variables: { PAYMENTS_SANDBOX_OPERATOR_TOKEN: adminToken, ...variables },
  })
  closeAfter(() => stop('SIGKILL'))
  const withToken = (base: string, token: string) => (method: string, path: string, body?: unknown) =>
    send(method, `${base}/_sandbox${path}`, body, { 'X-Sandbox-Admin-Token': token })
  const operator = withToken(url, adminToken)
  return {
    url,
    storage,
    operator,
    async tenant(name) {
      const { body } = await operator('POST', '/workspaces', { name })
      const base = `${url}/w/${name}`
      return { base, account: body.accounts[0], call: withToken(base, body.admin_token) }
    },
  }
}
