/** Calls of the API as commands for a shell: a token, then the call, signed where it must be. */
import { callHeaders } from './headers.js'

export interface ShellCall {
  method: string
  path: string
  signed: boolean
  /** As it goes out; empty where there is none. */
  body: string
}

export interface ShellCredential {
  clientId: string
  clientSecret: string
  signingKey: string
}

/** Stands here because the dashboard needs it, and the table of endpoints would bring all its schemas along. */
export const tokenPath = '/v2/oauth/token'

export const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** As it is where a shell takes it for one word. */
export const word = (text: string) => (/^[\w.,:@/-]+$/.test(text) ? text : quote(text))
/** The text of a field in an answer of JSON. */
export const fieldOf = (field: string) => `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`
export const lines = (parts: readonly string[]) => parts.join(' \\\n  ')

export const bearer = `-H "Authorization: Bearer $TOKEN"`
export const json = `-H 'Content-Type: application/json'`

export const tokenCall = (baseUrl: string, { clientId, clientSecret }: ShellCredential) =>
  lines([
    `curl -s ${baseUrl}${tokenPath}`,
    `-u ${word(`${clientId}:${clientSecret}`)}`,
    json,
    `-d '{"grant_type":"client_credentials"}'`,
  ])

/** Sets TOKEN for the commands that follow. */
export const tokenStep = (baseUrl: string, credential: ShellCredential) =>
  `TOKEN=$(${tokenCall(baseUrl, credential)} \\\n  | ${fieldOf('access_token')})`

/** Sets BODY, TIMESTAMP, NONCE and SIGNATURE. */
export const signSteps = (body: string, { signingKey }: ShellCredential) => [
  `BODY=${quote(body)}`,
  'TIMESTAMP=$(date +%s)',
  // A UUID v4 of openssl, because uuidgen is not everywhere.
  "NONCE=$(openssl rand -hex 16 \\\n  | sed 's/\\(.\\{8\\}\\)\\(.\\{4\\}\\).\\(...\\).\\(...\\)/\\1-\\2-4\\3-a\\4-/')",
  `SIGNATURE=$(printf '%s' "$TIMESTAMP.$NONCE.$BODY" \\\n  | openssl dgst -sha256 -hmac ${word(signingKey)} | sed 's/^.* //')`,
]

/** What goes with `signSteps`. */
export const signedParts = [
  `-H "${callHeaders.timestamp}: $TIMESTAMP"`,
  `-H "${callHeaders.nonce}: $NONCE"`,
  `-H "${callHeaders.signature}: $SIGNATURE"`,
  '-d "$BODY"',
]

/** A call from the token to the answer. */
export function callSteps(baseUrl: string, credential: ShellCredential, call: ShellCall): string {
  const { method, path, signed, body } = call
  const target = `curl -s ${word(baseUrl + path)}`
  const token = tokenStep(baseUrl, credential)
  if (signed) return [token, ...signSteps(body, credential), lines([target, bearer, json, ...signedParts])].join('\n')
  const verb = method === 'GET' || (method === 'POST' && body !== '') ? [] : [`-X ${method}`]
  const sent = body === '' ? [] : [json, `-d ${quote(body)}`]
  return [token, lines([target, ...verb, bearer, ...sent])].join('\n')
}
