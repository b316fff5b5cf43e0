/**
 * The folders and calls of a Postman or Bruno collection: every endpoint with its documented examples, and a call that
 * opens a dispute for the dispute calls.
 */

import { exampleInfractionId } from '../../protocol/platform/emulated-interface.js'
import { endpointTags } from '../../protocol/platform/endpoints/row.js'
import { type Endpoint, endpointNames, endpoints } from '../../protocol/platform/endpoints.js'

export interface Call {
  /** Name of the call, unique within its folder. */
  name: string
  method: string
  path: string
  about: string
  auth: 'basic' | 'bearer' | 'none'
  isSigned: boolean
  query: Readonly<Record<string, string>>
  /** Fields of a form, or the text of a JSON body; null: no body. */
  form: Readonly<Record<string, string>> | null
  json: string | null
  status: number
  /** Field of the response that is saved as a variable. */
  saves?: { variable: string; field: string }
}

export interface Folder {
  name: string
  calls: readonly Call[]
}

/** The variable with the id of the dispute that the first call opens. */
const disputeVariable = 'infraction_id'

/** The dispute calls need an existing dispute. A collection has no setup step, so its first dispute call opens one. */
const openDispute: Call = {
  name: 'Open a dispute (control API)',
  method: 'POST',
  path: '/_sandbox/trigger',
  about: 'Creates a paid PIX charge and opens a dispute on it. The other calls of this folder use the dispute.',
  auth: 'none',
  isSigned: false,
  query: {},
  form: null,
  json: jsonText({ action: 'dispute.open', create: true }),
  status: 200,
  saves: { variable: disputeVariable, field: 'object.infraction_id' },
}

export const folders = (): Folder[] =>
  endpointTags.map(({ name }) => {
    const calls = endpointNames
      .filter((endpoint) => endpoints[endpoint].tag === name)
      .flatMap((endpoint) => callsOf(endpoints[endpoint]))
    return { name, calls: name === 'Disputes' ? [openDispute, ...calls] : calls }
  })

function callsOf(endpoint: Endpoint): Call[] {
  const examples = Object.values(endpoint.examples)
  if (examples.length === 0) return [callOf(endpoint, endpoint.title, {})]
  return examples.map(({ summary, value }) =>
    callOf(endpoint, examples.length === 1 ? endpoint.title : `${endpoint.title}: ${summary}`, value),
  )
}

function callOf(endpoint: Endpoint, name: string, value: Readonly<Record<string, unknown>>): Call {
  const { method, path, about, auth, input, status } = endpoint
  const texts = Object.fromEntries(Object.entries(value).map(([field, part]) => [field, withVariables(String(part))]))
  return {
    name,
    method,
    path,
    about,
    auth,
    isSigned: endpoint.hmac === true,
    query: input === 'query' ? texts : {},
    form: input === 'multipart' ? texts : null,
    json: input === 'json' ? withVariables(jsonText(value)) : null,
    status,
  }
}

const withVariables = (text: string) => text.replaceAll(exampleInfractionId, `{{${disputeVariable}}}`)

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** Variables of the environment, filled from the running sandbox. */
export interface Variables {
  base_url: string
  client_id: string
  client_secret: string
  signing_key: string
  admin_token: string
}

export const secretVariables: readonly (keyof Variables)[] = ['client_secret', 'signing_key', 'admin_token']
