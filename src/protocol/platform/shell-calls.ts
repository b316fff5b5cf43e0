/** Writes a call of the API, from the token to the response, as shell commands. */
import { requestHeaders, tokenPath } from './headers.js'

export interface ShellCall {
  method: string
  path: string
  signed: boolean
  /** The exact text that is sent; empty if there is no body. */
  body: string
}

export interface ShellCredential {
  clientId: string
  clientSecret: string
  signingKey: string
}

export const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** Returns text unchanged if a shell reads it as one word; otherwise quotes it. */
export const word = (text: string) => (/^[\w.,:@/-]+$/.test(text) ? text : quoteForShell(text))
/** A filter that prints one text field of a JSON answer. */
export const fieldOf = (field: string) => `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`
export const lines = (parts: readonly string[]) => parts.join(' \\\n  ')

export const bearer = `-H "Authorization: Bearer $TOKEN"`
export const jsonHeader = `-H 'Content-Type: application/json'`

export const tokenCall = (baseUrl: string, { clientId, clientSecret }: ShellCredential) =>
  lines([
    `curl -s ${baseUrl}${tokenPath}`,
    `-u ${word(`${clientId}:${clientSecret}`)}`,
    jsonHeader,
    `-d '{"grant_type":"client_credentials"}'`,
  ])

/** Sets TOKEN for the following commands. */
export const tokenStep = (baseUrl: string, credential: ShellCredential) =>
  `TOKEN=$(${tokenCall(baseUrl, credential)} \\\n  | ${fieldOf('access_token')})`

/** Sets BODY, TIMESTAMP, NONCE and SIGNATURE. */
export const signSteps = (body: string, { signingKey }: ShellCredential) => [
  `BODY=${quoteForShell(body)}`,
  'TIMESTAMP=$(date +%s)',
  // Makes a UUID v4 with openssl, because uuidgen is not installed everywhere.
  "NONCE=$(openssl rand -hex 16 \\\n  | sed 's/\\(.\\{8\\}\\)\\(.\\{4\\}\\).\\(...\\).\\(...\\)/\\1-\\2-4\\3-a\\4-/')",
  `SIGNATURE=$(printf '%s' "$TIMESTAMP.$NONCE.$BODY" \\\n  | openssl dgst -sha256 -hmac ${word(signingKey)} \\\n  | sed 's/^.* //')`,
]

/** The curl options that use the variables of `signSteps`: three headers and the body. */
export const signedParts = [
  `-H "${requestHeaders.timestamp}: $TIMESTAMP"`,
  `-H "${requestHeaders.nonce}: $NONCE"`,
  `-H "${requestHeaders.signature}: $SIGNATURE"`,
  '-d "$BODY"',
]

/** A complete call, from the token to the answer. */
export function callSteps(baseUrl: string, credential: ShellCredential, call: ShellCall): string {
  const { method, path, signed, body } = call
  const target = `curl -s ${word(baseUrl + path)}`
  const token = tokenStep(baseUrl, credential)
  if (signed)
    return [token, ...signSteps(body, credential), lines([target, bearer, jsonHeader, ...signedParts])].join('\n')
  const verb = method === 'GET' || (method === 'POST' && body !== '') ? [] : [`-X ${method}`]
  const sent = body === '' ? [] : [jsonHeader, `-d ${quoteForShell(body)}`]
  return [token, lines([target, ...verb, bearer, ...sent])].join('\n')
}
