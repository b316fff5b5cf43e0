/** Commands for a terminal, filled in with this sandbox's address and an account's credentials. */
import type { Credential } from '../client/types/control.js'
import { callHeaders } from '../protocol/api/headers.js'
import { adminToken, baseUrl } from './api.js'
import type { Endpoint } from './faked-api.js'
import { shellWord } from './format.js'

const json = `-H 'Content-Type: application/json'`

/** A call of the faked API with that body: the inner curl fetches the token, openssl signs. */
export function apiCurl(
  { client_id, client_secret, signing_key }: Credential,
  { path, signed }: Pick<Endpoint, 'path' | 'signed'>,
  body: string,
): string {
  const token = [
    `curl -s ${baseUrl}/v2/oauth/token -u ${shellWord(`${client_id}:${client_secret}`)}`,
    `${json} -d '{"grant_type":"client_credentials"}'`,
    String.raw`| sed 's/.*"access_token":"\([^"]*\)".*/\1/'`,
  ].join(' ')
  const call = `curl -s ${baseUrl}${path} -H "Authorization: Bearer $TOKEN" ${json}`
  if (!signed) return [`TOKEN=$(${token})`, `${call} -d ${shellWord(body)}`].join('\n')
  return [
    `TOKEN=$(${token})`,
    `BODY=${shellWord(body)}`,
    'TIMESTAMP=$(date +%s)',
    `NONCE=$(uuidgen | tr 'A-Z' 'a-z')`,
    `SIGNATURE=$(printf '%s' "$TIMESTAMP.$NONCE.$BODY" | openssl dgst -sha256 -hmac ${shellWord(signing_key)} -r | cut -d' ' -f1)`,
    `${call} -H "X-Timestamp: $TIMESTAMP" -H "X-Nonce: $NONCE" -H "X-Signature: $SIGNATURE" -d "$BODY"`,
  ].join('\n')
}

/** A call of the control API. */
export function controlCurl(method: string, path: string, body?: unknown): string {
  const token = adminToken === null ? '' : ` -H ${shellWord(`${callHeaders.adminToken}: ${adminToken}`)}`
  const sent = body === undefined ? '' : ` ${json} -d ${shellWord(JSON.stringify(body))}`
  return `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${baseUrl}/_sandbox${path}${token}${sent}`
}
