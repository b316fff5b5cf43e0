/** A Bruno collection: a folder with one file for each call, and an environment. */
import { requestHeaders, tokenPath } from '../../protocol/platform/headers.js'
import type { Call, Folder, Variables } from './calls.js'
import { queryText } from './postman.js'

/** Script that runs before every call: it fetches a token if none is valid. */
const fetchToken = `
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
const sign = `
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
    {
      path: 'bruno.json',
      text: `${JSON.stringify({ version: '1', name: 'payments-sandbox', type: 'collection' }, null, 2)}\n`,
    },
    { path: 'collection.bru', text: collectionText },
    { path: 'environments/sandbox.bru', text: environmentText(variables) },
    ...calls,
  ]
}

const collectionText = [
  block('auth', ['mode: bearer']),
  block('auth:bearer', ['token: {{access_token}}']),
  block('script:pre-request', fetchToken.trim().split('\n')),
].join('\n')

const environmentText = (variables: Variables) =>
  block(
    'vars',
    Object.entries(variables).map(([name, value]) => `${name}: ${value}`),
  )

function callText(call: Call, seq: number): string {
  const { method, path, auth, json, form, status, isSigned, saves } = call
  const body = json !== null ? (isSigned ? 'text' : 'json') : form === null ? 'none' : 'multipartForm'
  const authMode = { basic: 'basic', bearer: 'inherit', none: 'none' }[auth]
  const headers = [
    ...(isSigned ? ['Content-Type: application/json'] : []),
    ...(auth === 'none' ? [`${requestHeaders.adminToken}: {{admin_token}}`] : []),
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
    ...(isSigned ? [block('script:pre-request', sign.trim().split('\n'))] : []),
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
