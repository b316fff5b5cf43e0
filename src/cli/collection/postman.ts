/** A Postman collection (format 2.1) and its environment. */
import { requestHeaders, tokenPath } from '../../protocol/platform/headers.js'
import { type Call, type Folder, secretVariables, type Variables } from './calls.js'

export const postmanName = 'payments-sandbox'

/** Script that runs before every call: it fetches a token if none is valid. */
const fetchToken = `
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
const sign = `
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
    event: [event('prerequest', fetchToken)],
    item: folders.map(({ name, calls }) => ({ name, item: calls.map(itemOf) })),
  })
}

export const postmanEnvironment = (variables: Variables): string =>
  asJson({
    name: postmanName,
    values: Object.entries(variables).map(([key, value]) => ({
      key,
      value,
      // The keys of `variables` are its names.
      type: secretVariables.includes(key as keyof Variables) ? 'secret' : 'default',
      enabled: true,
    })),
  })

function itemOf(call: Call) {
  const query = Object.entries(call.query).map(([key, value]) => ({ key, value }))
  return {
    name: call.name,
    event: [...(call.isSigned ? [event('prerequest', sign)] : []), event('test', testsOf(call))],
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
      ...(call.auth === 'basic' ? { auth: basic } : call.auth === 'none' ? { auth: { type: 'noauth' } } : {}),
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
    ...(auth === 'none' ? [{ key: requestHeaders.adminToken, value: '{{admin_token}}' }] : []),
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

export function queryText({ query }: Call): string {
  const text = Object.entries(query)
    .map(([key, value]) => `${key}=${value}`)
    .join('&')
  return text === '' ? '' : `?${text}`
}

const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
