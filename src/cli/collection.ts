/**
 * The folders and calls of a Postman or Bruno collection: every endpoint with its documented examples, and a call that
 * opens a dispute for the dispute calls.
 */

import { mapRows } from '../base/keys.js'
import { exampleInfractionId } from '../protocol/platform/emulated-interface.js'
import { endpointTags } from '../protocol/platform/endpoints/row.js'
import { type Endpoint, endpointNames, endpoints } from '../protocol/platform/endpoints.js'
import { requestHeaders, tokenPath } from '../protocol/platform/headers.js'

export interface Call {
  /** Name of the call, unique within its folder. */
  name: string
  method: string
  path: string
  about: string
  /** `admin`: the call goes to the control API, with the admin token. */
  auth: 'basic' | 'bearer' | 'admin'
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
  auth: 'admin',
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
  const texts = mapRows(value, (part) => withVariables(String(part)))
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

const secretVariables: readonly (keyof Variables)[] = ['client_secret', 'signing_key', 'admin_token']

// A Bruno collection: a folder with one file for each call, and an environment.

/** Script that runs before every call: it fetches a token if none is valid. */
const brunoToken = `
if (Date.now() > Number(bru.getVar('token_expires_at') || 0)) {
  const credentials = bru.getEnvVar('client_id') + ':' + bru.getEnvVar('client_secret')
  const { data } = await bru.sendRequest({
    method: 'POST',
    url: bru.getEnvVar('base_url') + '${tokenPath}',
    headers: { 'Content-Type': 'application/json', Authorization: 'Basic ' + btoa(credentials) },
    data: { grant_type: 'client_credentials' },
  })
  bru.setVar('access_token', data.access_token)
  bru.setVar('token_expires_at', Date.now() + (data.expires_in - 60) * 1000)
}`

/** Script that runs before a signed call. It sets the body as text, so that the body is sent exactly as it is signed. */
const brunoSignature = `
const CryptoJS = require('crypto-js')
const { v4: uuid } = require('uuid')
const timestamp = String(Math.floor(Date.now() / 1000))
const nonce = uuid()
const given = req.getBody()
const body = typeof given === 'string' ? given.trim() : JSON.stringify(given)
req.setBody(body)
const signed = timestamp + '.' + nonce + '.' + body
req.setHeader('${requestHeaders.signature}', CryptoJS.HmacSHA256(signed, bru.getEnvVar('signing_key')).toString())
req.setHeader('${requestHeaders.timestamp}', timestamp)
req.setHeader('${requestHeaders.nonce}', nonce)`

interface BrunoFile {
  path: string
  text: string
}

export function brunoFiles(folders: readonly Folder[], variables: Variables): BrunoFile[] {
  const calls = folders.flatMap(({ name, calls }, index) => [
    { path: `${name}/folder.bru`, text: block('meta', [`name: ${name}`, `seq: ${index + 1}`]) },
    ...calls.map((call, at) => ({ path: `${name}/${fileName(call.name)}.bru`, text: callText(call, at + 1) })),
  ])
  return [
    { path: 'bruno.json', text: asJson({ version: '1', name: 'payments-sandbox', type: 'collection' }) },
    { path: 'collection.bru', text: collectionText },
    { path: 'environments/sandbox.bru', text: environmentText(variables) },
    ...calls,
  ]
}

const collectionText = [
  block('auth', ['mode: bearer']),
  block('auth:bearer', ['token: {{access_token}}']),
  block('script:pre-request', brunoToken.trim().split('\n')),
].join('\n')

const environmentText = (variables: Variables) =>
  block(
    'vars',
    Object.entries(variables).map(([name, value]) => `${name}: ${value}`),
  )

function callText(call: Call, seq: number): string {
  const { method, path, auth, json, form, status, isSigned, saves } = call
  const body = json !== null ? (isSigned ? 'text' : 'json') : form === null ? 'none' : 'multipartForm'
  const authMode = { basic: 'basic', bearer: 'inherit', admin: 'none' }[auth]
  const headers = [
    ...(isSigned ? ['Content-Type: application/json'] : []),
    ...(auth === 'admin' ? [`${requestHeaders.adminToken}: {{admin_token}}`] : []),
  ]
  const url = `url: {{base_url}}${path}${queryText(call)}`
  const parts = [
    block('meta', [`name: ${call.name}`, 'type: http', `seq: ${seq}`]),
    block(method.toLowerCase(), [url, `body: ${body}`, `auth: ${authMode}`]),
    ...optional(
      'params:query',
      Object.entries(call.query).map(([name, value]) => `${name}: ${value}`),
    ),
    ...optional('headers', headers),
    ...(auth === 'basic' ? [block('auth:basic', ['username: {{client_id}}', 'password: {{client_secret}}'])] : []),
    ...(json === null ? [] : [block(`body:${isSigned ? 'text' : 'json'}`, json.split('\n'))]),
    ...(form === null
      ? []
      : [
          block(
            'body:multipart-form',
            Object.entries(form).map(([name, value]) => `${name}: ${value}`),
          ),
        ]),
    ...(isSigned ? [block('script:pre-request', brunoSignature.trim().split('\n'))] : []),
    ...(saves === undefined
      ? []
      : [block('script:post-response', [`bru.setVar('${saves.variable}', res.body.${saves.field})`])]),
    block('assert', [`res.status: eq ${status}`]),
    block('docs', [call.about]),
  ]
  return parts.join('\n')
}

const optional = (name: string, lines: readonly string[]) => (lines.length === 0 ? [] : [block(name, lines)])

function block(name: string, lines: readonly string[]): string {
  return `${name} {\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n}\n`
}

/** Returns a file name that is valid on every system. */
const fileName = (name: string) => name.replace(/[^\w ()-]/g, '')

// A Postman collection (format 2.1) and its environment.

export const postmanName = 'payments-sandbox'

/** Script that runs before every call: it fetches a token if none is valid. */
const postmanToken = `
const expiresAt = Number(pm.collectionVariables.get('token_expires_at') || 0)
if (Date.now() > expiresAt) {
  const credentials = pm.variables.get('client_id') + ':' + pm.variables.get('client_secret')
  pm.sendRequest({
    url: pm.variables.get('base_url') + '${tokenPath}',
    method: 'POST',
    header: { 'Content-Type': 'application/json', Authorization: 'Basic ' + btoa(credentials) },
    body: { mode: 'raw', raw: JSON.stringify({ grant_type: 'client_credentials' }) },
  }, (error, response) => {
    if (error) throw error
    const { access_token, expires_in } = response.json()
    pm.collectionVariables.set('access_token', access_token)
    pm.collectionVariables.set('token_expires_at', Date.now() + (expires_in - 60) * 1000)
  })
}`

/** Script that runs before a signed call. The signed text contains the body exactly as it is sent. */
const postmanSignature = `
const { HmacSHA256 } = require('crypto-js')
const timestamp = String(Math.floor(Date.now() / 1000))
const nonce = pm.variables.replaceIn('{{$guid}}')
const body = pm.variables.replaceIn(pm.request.body.raw)
const signature = HmacSHA256(timestamp + '.' + nonce + '.' + body, pm.variables.get('signing_key')).toString()
pm.request.headers.upsert({ key: '${requestHeaders.signature}', value: signature })
pm.request.headers.upsert({ key: '${requestHeaders.timestamp}', value: timestamp })
pm.request.headers.upsert({ key: '${requestHeaders.nonce}', value: nonce })`

export function postmanCollection(folders: readonly Folder[]): string {
  return asJson({
    info: {
      name: postmanName,
      description: 'The platform API. A token is fetched, and signed calls are signed, by scripts.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{access_token}}', type: 'string' }] },
    event: [event('prerequest', postmanToken)],
    item: folders.map(({ name, calls }) => ({ name, item: calls.map(itemOf) })),
  })
}

export const postmanEnvironment = (variables: Variables): string =>
  asJson({
    name: postmanName,
    values: Object.entries(variables).map(([key, value]) => ({
      key,
      value,
      // `Object.entries` returns the keys as any text.
      type: secretVariables.includes(key as keyof Variables) ? 'secret' : 'default',
      enabled: true,
    })),
  })

function itemOf(call: Call) {
  const query = Object.entries(call.query).map(([key, value]) => ({ key, value }))
  return {
    name: call.name,
    event: [...(call.isSigned ? [event('prerequest', postmanSignature)] : []), event('test', testsOf(call))],
    request: {
      method: call.method,
      description: call.about,
      header: headersOf(call),
      url: {
        raw: `{{base_url}}${call.path}${queryText(call)}`,
        host: ['{{base_url}}'],
        path: call.path.slice(1).split('/'),
        ...(query.length === 0 ? {} : { query }),
      },
      ...bodyOf(call),
      ...(call.auth === 'basic' ? { auth: basic } : call.auth === 'admin' ? { auth: { type: 'noauth' } } : {}),
    },
  }
}

const basic = {
  type: 'basic',
  basic: [
    { key: 'username', value: '{{client_id}}', type: 'string' },
    { key: 'password', value: '{{client_secret}}', type: 'string' },
  ],
}

function headersOf({ json, auth }: Call) {
  return [
    ...(json === null ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ...(auth === 'admin' ? [{ key: requestHeaders.adminToken, value: '{{admin_token}}' }] : []),
  ]
}

function bodyOf({ json, form }: Call) {
  if (json !== null) return { body: { mode: 'raw', raw: json, options: { raw: { language: 'json' } } } }
  if (form === null) return {}
  return {
    body: { mode: 'formdata', formdata: Object.entries(form).map(([key, value]) => ({ key, value, type: 'text' })) },
  }
}

function testsOf({ status, saves }: Call): string {
  const check = `pm.test('answers ${status}', () => pm.response.to.have.status(${status}))`
  if (saves === undefined) return check
  return `${check}\npm.collectionVariables.set('${saves.variable}', pm.response.json().${saves.field})`
}

const event = (listen: string, script: string) => ({
  listen,
  script: { type: 'text/javascript', exec: script.trim().split('\n') },
})

function queryText({ query }: Call): string {
  const text = Object.entries(query)
    .map(([key, value]) => `${key}=${value}`)
    .join('&')
  return text === '' ? '' : `?${text}`
}

const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
