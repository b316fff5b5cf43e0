/** Calls the route of a tool over HTTP. */
import { apiClientFor } from '../../client/api.js'
import type { ControlRow } from '../../protocol/control/route.js'
import { accountNamed, credentialOf } from '../connection/accounts.js'
import type { Sandbox } from '../connection/connection.js'
import { UsageError } from '../errors.js'
import { pathNames } from './schemas.js'
import { rowOf, type ToolName } from './tools.js'

type Arguments = Record<string, unknown>

/** Calls the route. Throws `SandboxError` if the sandbox rejects the call, `UnreachableError` if none answers. */
export async function callTool(
  sandbox: Sandbox,
  account: string | undefined,
  name: ToolName,
  given: Arguments,
): Promise<unknown> {
  const row = rowOf(name)
  if ('control' in row) return callControl(sandbox, row.control, given)
  const api = apiClientFor(sandbox.url, async () => {
    const { client_id, client_secret, signing_key } = credentialOf(await accountNamed(sandbox, account))
    return { clientId: client_id, clientSecret: client_secret, signingKey: signing_key }
  })
  // The schema of the same endpoint described its arguments.
  const call = api[row.api] as (request: Arguments) => Promise<unknown>
  return call(given)
}

function callControl(sandbox: Sandbox, row: ControlRow, given: Arguments): Promise<unknown> {
  const rest = { ...given }
  const path = pathNames(row).reduce((text, name) => {
    if (typeof rest[name] !== 'string' || rest[name] === '')
      throw new UsageError(`${name} is required and must be a string`)
    const value = encodeURIComponent(rest[name])
    delete rest[name]
    return text.replace(`{${name}}`, value)
  }, row.path)
  const query: Record<string, string> = {}
  for (const name of Object.keys(row.query?.().shape ?? {})) {
    if (rest[name] !== undefined) query[name] = String(rest[name])
    delete rest[name]
  }
  return sandbox.call(row.method, path, row.method === 'GET' ? undefined : rest, { query })
}
