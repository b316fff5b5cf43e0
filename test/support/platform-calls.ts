/** Calls of a sandbox whose settings change the form of responses. Unlike the calls of `client.ts`, they are not checked against the schemas. */
import { basicOf } from './client.js'
import { type Body, control } from './http.js'
import { plainFetch } from './plain-fetch.js'
import { secretsOf, signatureOf } from './signing.js'

export interface PlatformAnswer {
  status: number
  headers: Headers
  body: Body
}

export interface PlatformCalls {
  get(path: string): Promise<PlatformAnswer>
  post(path: string, body: object): Promise<PlatformAnswer>
  cashin(body: object): Promise<Body>
  cashout(body: object): Promise<PlatformAnswer>
  /** Returns the available balances of an account. */
  balance(username: string): Promise<Body>
  /** Replies to a dispute, without files. */
  reply(fields: Record<string, string>): Promise<PlatformAnswer>
  trigger(action: string, more?: object): Promise<Body>
  advance(by: string): Promise<void>
  /** Returns the body of the newest event of this name, as sent. */
  event(name: string): Promise<Body>
}

const boundary = 'boundary'
const formText = (fields: URLSearchParams) =>
  `${[...fields].map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`

export async function platformCalls(url: string): Promise<PlatformCalls> {
  const { clientId, clientSecret, signingKey } = secretsOf('merchant')
  const call = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const isForm = body instanceof URLSearchParams
    const text = body === undefined ? null : isForm ? formText(body) : JSON.stringify(body)
    const type = {
      'Content-Type': isForm ? `multipart/form-data; boundary=${boundary}` : 'application/json',
      ...headers,
    }
    const answer = await plainFetch(url + path, { method, headers: type, body: text })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body }
  }
  const token = await call('POST', '/v2/oauth/token', basicOf(clientId, clientSecret), {
    grant_type: 'client_credentials',
  })
  const bearer = { Authorization: `Bearer ${token.body.access_token}` }
  // All calls are signed, because an endpoint without signatures ignores it.
  const post = (path: string, body: object) =>
    call('POST', path, { ...bearer, ...signatureOf(signingKey, JSON.stringify(body)) }, body)
  const sandbox = control(url)
  return {
    get: (path) => call('GET', path, bearer),
    post,
    cashin: async (body) => (await post('/v2/transactions/cashin', body)).body.data,
    cashout: (body) => post('/v2/transactions/cashout', body),
    balance: async (username) => {
      const { balances } = (await sandbox('GET', `/accounts/${username}`)).body
      return Object.fromEntries(
        Object.entries<Body>(balances).map(([currency, { available }]) => [currency, Number(available)]),
      )
    },
    reply: (fields) => call('POST', '/v2/account/infractions/reply', bearer, new URLSearchParams(fields)),
    trigger: async (action, more = {}) => (await sandbox('POST', '/trigger', { action, ...more })).body,
    advance: async (by) => void (await sandbox('POST', '/clock/advance', { by })),
    async event(name) {
      const list = await sandbox('GET', `/webhooks?event=${name}&limit=1`)
      const one = await sandbox('GET', `/webhooks/${list.body.data[0].id}`)
      return JSON.parse(one.body.body)
    },
  }
}
