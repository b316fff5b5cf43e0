/** Commands to paste into a shell: a token, then the call, signed if necessary. */

import { exampleInfractionId } from '../../../protocol/platform/emulated-interface.js'
import { type Endpoint, endpoints } from '../../../protocol/platform/endpoints.js'
import { requestHeaders } from '../../../protocol/platform/headers.js'
import {
  bearer,
  fieldOf,
  jsonHeader,
  lines,
  quoteForShell,
  type ShellCredential,
  signedParts,
  signSteps,
  tokenCall,
  tokenStep,
} from '../../../protocol/platform/shell-calls.js'

export interface PageContext {
  baseUrl: string
  credential: ShellCredential
  /** Whether the control API requires an admin token. */
  asksToken: boolean
}

/** A dispute must exist already; the command uses the newest open one. */
const disputeStep = (baseUrl: string) =>
  `ID=$(${lines([`curl -s ${baseUrl}/v2/account/infractions`, bearer])} \\\n  | ${fieldOf('infraction_id')})`

export function curlOf(endpoint: Endpoint, { baseUrl, credential }: PageContext): string {
  if (endpoint.auth === 'basic') return tokenCall(baseUrl, credential)
  const url = baseUrl + endpoint.path
  const [example] = Object.values(endpoint.examples)
  const value = example?.value ?? {}
  const steps = [tokenStep(baseUrl, credential)]
  if (Object.values(value).includes(exampleInfractionId)) steps.push(disputeStep(baseUrl))
  if (endpoint.hmac === true) steps.push(...signSteps(JSON.stringify(value), credential))
  return [...steps, callOf(endpoint, url, value)].join('\n')
}

function callOf(endpoint: Endpoint, url: string, value: Record<string, unknown>): string {
  if (endpoint.input === 'none') return lines([`curl -s ${url}`, bearer])
  if (endpoint.input === 'query') return lines([`curl -s "${url}?${queryOf(value)}"`, bearer])
  if (endpoint.input === 'multipart')
    return lines([
      `curl -s ${url}`,
      bearer,
      ...Object.entries(value).map(([field, text]) =>
        text === exampleInfractionId ? `-F ${field}="$ID"` : `-F ${quoteForShell(`${field}=${text}`)}`,
      ),
    ])
  if (endpoint.hmac !== true)
    return lines([`curl -s ${url}`, bearer, jsonHeader, `-d ${quoteForShell(JSON.stringify(value))}`])
  return lines([`curl -s ${url}`, bearer, jsonHeader, ...signedParts])
}

const queryOf = (value: Record<string, unknown>) =>
  Object.entries(value)
    .map(([field, text]) => `${field}=${text === exampleInfractionId ? '$ID' : encodeURIComponent(String(text))}`)
    .join('&')

const adminHeader = `-H "${requestHeaders.adminToken}: $PAYMENTS_SANDBOX_ADMIN_TOKEN"`

/** From an empty sandbox to a paid charge and its webhook. */
export const firstSteps = ({ baseUrl, credential, asksToken }: PageContext) =>
  [
    tokenStep(baseUrl, credential),
    callOf(endpoints.cashin, baseUrl + endpoints.cashin.path, { amount: 25.5, currency: 'BRL' }),
    '# pay the charge as its payer',
    lines([
      `curl -s ${baseUrl}/_sandbox/trigger`,
      ...(asksToken ? [adminHeader] : []),
      jsonHeader,
      `-d '{"action":"cashin.pay"}'`,
    ]),
  ].join('\n')
