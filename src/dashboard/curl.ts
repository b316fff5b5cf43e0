/** Shell commands with this sandbox's address and an account's credentials. */
import type { Credential } from '../client/types/control.js'
import { requestHeaders } from '../protocol/platform/headers.js'
import {
  callSteps,
  jsonHeader,
  lines,
  quoteForShell,
  type ShellCall,
  tokenCall,
  word,
} from '../protocol/platform/shell-calls.js'
import { adminToken, baseUrl } from './api.js'

export const keysOfCredential = ({ client_id, client_secret, signing_key }: Credential) => ({
  clientId: client_id,
  clientSecret: client_secret,
  signingKey: signing_key,
})

/** A call of the platform API, from the token to the answer. */
export const apiCurl = (credential: Credential, call: ShellCall): string =>
  callSteps(baseUrl, keysOfCredential(credential), call)

/** The call that fetches a token. */
export const tokenCurl = (credential: Credential): string => tokenCall(baseUrl, keysOfCredential(credential))

/** A call of the control API. */
export function controlCurl(method: string, path: string, body?: unknown): string {
  const token = adminToken === null ? [] : [`-H ${quoteForShell(`${requestHeaders.adminToken}: ${adminToken}`)}`]
  const sent = body === undefined ? [] : [jsonHeader, `-d ${quoteForShell(JSON.stringify(body))}`]
  return lines([
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${word(`${baseUrl}/_sandbox${path}`)}`,
    ...token,
    ...sent,
  ])
}
