/** Commands that work when pasted into a shell: a token, then the call, signed where it must be. */
import { demoCredential } from '../../../core/workspace/seed.js'
import { type Endpoint, type EndpointName, endpoints } from '../../../protocol/api/endpoints.js'
import { exampleInfractionId, requestExamples } from '../examples-requests.js'

const credential = demoCredential('merchant')
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const first = (field: string) => `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`
const join = (lines: readonly string[]) => lines.join(' \\\n  ')

const tokenCall = (baseUrl: string) =>
  join([
    `curl -s ${baseUrl}/v2/oauth/token`,
    `-u ${credential.clientId}:${credential.clientSecret}`,
    `-H 'Content-Type: application/json'`,
    `-d '{"grant_type":"client_credentials"}'`,
  ])

/** Sets TOKEN for the commands that follow. */
const tokenStep = (baseUrl: string) => `TOKEN=$(${tokenCall(baseUrl)} \\\n  | ${first('access_token')})`

const bearer = `-H "Authorization: Bearer $TOKEN"`
const json = `-H 'Content-Type: application/json'`

/** A dispute must exist; the newest open one is taken. */
const disputeStep = (baseUrl: string) =>
  `ID=$(${join([`curl -s ${baseUrl}/v2/account/infractions`, bearer])} \\\n  | ${first('infraction_id')})`

export function curlOf(name: EndpointName, endpoint: Endpoint, baseUrl: string): string {
  if (endpoint.auth === 'basic') return tokenCall(baseUrl)
  const url = baseUrl + endpoint.path
  const [example] = Object.values(requestExamples[name])
  const value = example?.value ?? {}
  const steps = [tokenStep(baseUrl)]
  if (Object.values(value).includes(exampleInfractionId)) steps.push(disputeStep(baseUrl))
  if (endpoint.hmac === true) steps.push(...signSteps(JSON.stringify(value)))
  return [...steps, callOf(endpoint, url, value)].join('\n')
}

function callOf(endpoint: Endpoint, url: string, value: Record<string, unknown>): string {
  if (endpoint.input === 'none') return join([`curl -s ${url}`, bearer])
  if (endpoint.input === 'query') return join([`curl -s "${url}?${queryOf(value)}"`, bearer])
  if (endpoint.input === 'multipart')
    return join([
      `curl -s ${url}`,
      bearer,
      ...Object.entries(value).map(([field, text]) =>
        text === exampleInfractionId ? `-F ${field}="$ID"` : `-F ${quote(`${field}=${text}`)}`,
      ),
    ])
  if (endpoint.hmac !== true) return join([`curl -s ${url}`, bearer, json, `-d ${quote(JSON.stringify(value))}`])
  const headers = ['X-Timestamp: $TIMESTAMP', 'X-Nonce: $NONCE', 'X-Signature: $SIGNATURE']
  return join([`curl -s ${url}`, bearer, json, ...headers.map((header) => `-H "${header}"`), '-d "$BODY"'])
}

const queryOf = (value: Record<string, unknown>) =>
  Object.entries(value)
    .map(([field, text]) => `${field}=${text === exampleInfractionId ? '$ID' : encodeURIComponent(String(text))}`)
    .join('&')

const signSteps = (body: string) => [
  `BODY=${quote(body)}`,
  'TIMESTAMP=$(date +%s)',
  // A UUID v4 of openssl, because uuidgen is not everywhere.
  "NONCE=$(openssl rand -hex 16 \\\n  | sed 's/\\(.\\{8\\}\\)\\(.\\{4\\}\\).\\(...\\).\\(...\\)/\\1-\\2-4\\3-a\\4-/')",
  `SIGNATURE=$(printf '%s' "$TIMESTAMP.$NONCE.$BODY" \\\n  | openssl dgst -sha256 -hmac ${credential.signingKey} | sed 's/^.* //')`,
]

/** From nothing to a charge that is paid, and its webhook. */
export const firstSteps = (baseUrl: string) =>
  [
    tokenStep(baseUrl),
    callOf(endpoints.cashin, baseUrl + endpoints.cashin.path, { amount: 25.5, currency: 'BRL' }),
    '# play the payer',
    join([`curl -s ${baseUrl}/_sandbox/trigger`, json, `-d '{"action":"cashin.pay"}'`]),
  ].join('\n')
