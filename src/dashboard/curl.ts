/** Commands for a terminal, filled in with this sandbox's address and an account's credentials. */
import type { Credential } from '../protocol/control/accounts.js'
import { authHeaders, baseUrl } from './api.js'
import { shellWord } from './format.js'

const json = `-H 'Content-Type: application/json'`

/** A call of the faked API: the inner curl fetches the token. */
export function apiCurl({ client_id, client_secret }: Credential, path: string, body: unknown): string {
  const token = [
    `curl -s ${baseUrl}/v2/oauth/token -u ${shellWord(`${client_id}:${client_secret}`)}`,
    `${json} -d '{"grant_type":"client_credentials"}'`,
    String.raw`| sed 's/.*"access_token":"\([^"]*\)".*/\1/'`,
  ].join(' ')
  return [
    `TOKEN=$(${token})`,
    `curl -s ${baseUrl}${path} -H "Authorization: Bearer $TOKEN" ${json} -d ${shellWord(JSON.stringify(body))}`,
  ].join('\n')
}

/** A call of the control API. */
export function controlCurl(method: string, path: string, body?: unknown): string {
  const token = Object.entries(authHeaders()).map(([name, value]) => ` -H ${shellWord(`${name}: ${value}`)}`)
  const sent = body === undefined ? '' : ` ${json} -d ${shellWord(JSON.stringify(body))}`
  return `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${baseUrl}/_sandbox${path}${token.join('')}${sent}`
}
