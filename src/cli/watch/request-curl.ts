/** Formats a logged call as curl commands, with a new token and signature. */
import type { LoggedCallDetails } from '../../client/types/control.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'
import { callSteps, tokenCall } from '../../protocol/platform/shell.js'
import { accountNamed, credentialOf } from '../connection/accounts.js'
import type { Sandbox } from '../connection/connection.js'
import { Failure } from '../errors.js'

/** Throws `Failure` for a call with files, which are not stored. */
export async function curlOf(sandbox: Sandbox, call: LoggedCallDetails): Promise<string> {
  // The address of a workspace has a path, with which the logged path begins.
  const base = new URL(sandbox.url).pathname
  const fullPath = call.path.startsWith(`${base}/`) ? call.path.slice(base.length) : call.path
  const path = fullPath.split('?')[0]
  const name = endpointNames.find((one) => endpoints[one].path === path && endpoints[one].method === call.method)
  const endpoint: Endpoint | undefined = name === undefined ? undefined : endpoints[name]
  if (endpoint?.input === 'multipart')
    throw new Failure(`call ${call.request_id} had files, which the request log does not store`)
  const account = await accountNamed(sandbox, call.account ?? undefined)
  const signingCredential =
    account.credentials.find(({ client_id }) => client_id === call.credential) ?? credentialOf(account)
  const credential = {
    clientId: signingCredential.client_id,
    clientSecret: signingCredential.client_secret,
    signingKey: signingCredential.signing_key,
  }
  if (endpoint?.auth === 'basic') return tokenCall(sandbox.url, credential)
  const { method, request_body } = call
  return callSteps(sandbox.url, credential, {
    method,
    path: fullPath,
    signed: endpoint?.hmac === true,
    body: request_body ?? '',
  })
}
