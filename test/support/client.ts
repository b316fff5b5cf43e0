/** The one client of the platform API in tests: it fetches a token and signs withdrawals. */
import { type Answer, type Body, send } from './http.js'
import { secretsOf, signatureOf } from './signing.js'

/** An integrator's client of the platform API. */
export interface Api {
  username: string
  bearer: { Authorization: string }
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** Sends a string body unchanged. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  signed(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  cashin(body: object, headers?: Record<string, string>): Promise<Answer>
  cashout(body: object, headers?: Record<string, string>): Promise<Answer>
  /** Creates a PIX charge of 25.50; returns its id. */
  charge(more?: object): Promise<string>
  /** Creates a PIX withdrawal of 1.00; returns its id. */
  withdraw(externalId: string): Promise<string>
  /** Returns `{available, blocked, pending}` of a currency. */
  balance(currency: string): Promise<Body>
}

export const basicOf = (clientId: string, clientSecret: string) => ({
  Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
})

export const requestToken = (url: string, headers: Record<string, string>, body: unknown = tokenBody) =>
  send('POST', `${url}/v2/oauth/token`, body, headers)

const tokenBody = { grant_type: 'client_credentials' }

/** Opens a client with a token of the account's first credential. */
export async function openClient(url: string, username = 'merchant'): Promise<Api> {
  const { clientId, clientSecret, signingKey } = secretsOf(username)
  const token = await requestToken(url, basicOf(clientId, clientSecret))
  return clientWith(url, token.body.access_token, signingKey, username)
}

/** Returns a client with a given token and signing key. */
export function clientWith(url: string, token: string, signingKey: string, username = 'merchant'): Api {
  const bearer = { Authorization: `Bearer ${token}` }
  const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))
  const api: Api = {
    username,
    bearer,
    get: (path, headers) => send('GET', url + path, undefined, { ...bearer, ...headers }),
    post: (path, body, headers) => send('POST', url + path, body, { ...bearer, ...headers }),
    signed: (path, body, headers) =>
      send('POST', url + path, textOf(body), { ...bearer, ...signatureOf(signingKey, textOf(body)), ...headers }),
    cashin: (body, headers) => api.post('/v2/transactions/cashin', body, headers),
    cashout: (body, headers) => api.signed('/v2/transactions/cashout', body, headers),
    async charge(more = {}) {
      const { data } = await api.cashin({ amount: 25.5, currency: 'BRL', ...more })
      return data.transaction_id
    },
    async withdraw(external_id) {
      const { data } = await api.cashout({
        external_id,
        amount: 1,
        currency: 'BRL',
        key: '52998224725',
        key_type: 'cpf',
      })
      return data.transaction_id
    },
    async balance(currency) {
      const { data } = await api.get('/v2/account/balance')
      const { available, blocked, pending } = data.balances.find((row: Body) => row.currency === currency)
      return { available, blocked, pending }
    },
  }
  return api
}
