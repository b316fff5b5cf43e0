/** The typed client of the platform API: one method for each endpoint. It fetches tokens and signs financial routes. */

import { withoutTrailing } from '../base/text.js'
import { type Fields, fieldsIn } from '../base/unknown.js'
import { type Endpoint, type EndpointName, endpointNames, endpoints } from '../protocol/platform/endpoints.js'
import { requestHeaders } from '../protocol/platform/headers.js'
import { UsageError } from './errors.js'
import { type ApiCallOptions, readAnswer, type Send, sendRequest, type UploadFile } from './exchange.js'
import { signRequest } from './signatures.js'
import { fetchToken, TokenSession } from './token-session.js'
import type { ApiClient } from './types/api-client.js'
import type { TokenResponse } from './types/responses.js'

interface ApiCredentials {
  clientId: string
  clientSecret: string
  signingKey: string
}

export interface ApiClientOptions extends ApiCredentials {
  /** Such as `http://127.0.0.1:4010`, or a workspace's `…/w/name`. */
  baseUrl: string
}

/** Sends nothing yet: the first call fetches a token. Throws `UsageError` if an option is missing. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const definedFields = fieldsIn(options)
  const missing = ['baseUrl', 'clientId', 'clientSecret', 'signingKey'].find(
    (name) => typeof definedFields[name] !== 'string',
  )
  if (missing !== undefined) throw new UsageError(`createApiClient requires ${missing}, as a string`)
  const { baseUrl, ...credentials } = options
  return apiClientFor(baseUrl, () => Promise.resolve(credentials))
}

/** `credentials` are asked for whenever a token is needed, so that a reset may change them; calls go out by `send`, or by `fetch` if absent. */
export function apiClientFor(baseUrl: string, credentials: () => Promise<ApiCredentials>, send?: Send): ApiClient {
  const caller = new Caller(withoutTrailing(baseUrl, '/'), credentials, send)
  const methods = endpointNames.map((name) => [
    name,
    endpoints[name].input === 'none' || name === 'token'
      ? (options?: ApiCallOptions) => caller.call(name, {}, options)
      : (request?: Fields, options?: ApiCallOptions) => caller.call(name, request ?? {}, options),
  ])
  // One method for each endpoint, with the type that is generated from its row.
  return Object.fromEntries(methods) as ApiClient
}

interface Session {
  token: string
  signingKey: string
}

class Caller {
  readonly #session = new TokenSession(() => this.#open())

  constructor(
    readonly baseUrl: string,
    readonly credentials: () => Promise<ApiCredentials>,
    readonly send: Send | undefined,
  ) {}

  async call(name: EndpointName, request: Fields, options: ApiCallOptions = {}): Promise<unknown> {
    if (name === 'token') return this.#fetchToken(await this.credentials(), options)
    return this.#session.call((session) => this.#send(name, request, session, options))
  }

  async #open(): Promise<Session> {
    const credentials = await this.credentials()
    const { access_token } = await this.#fetchToken(credentials, {})
    return { token: access_token, signingKey: credentials.signingKey }
  }

  #fetchToken(credentials: ApiCredentials, { headers, signal }: ApiCallOptions): Promise<TokenResponse> {
    return fetchToken({ url: this.baseUrl + endpoints.token.path, ...credentials, headers, signal, send: this.send })
  }

  async #send(name: EndpointName, request: Fields, session: Session, options: ApiCallOptions): Promise<unknown> {
    const endpoint: Endpoint = endpoints[name]
    const { search, body } = encode(endpoint, request)
    const init: RequestInit = {
      method: endpoint.method,
      headers: {
        Authorization: `Bearer ${session.token}`,
        ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
        ...(endpoint.hmac === true ? signRequest({ signingKey: session.signingKey, body: String(body ?? '') }) : {}),
        ...(options.scenario === undefined ? {} : { [requestHeaders.scenario]: options.scenario }),
        ...options.headers,
      },
      body,
      signal: options.signal ?? null,
    }
    const answer = await sendRequest(this.baseUrl + endpoint.path + search, init, this.send)
    return fieldsIn(await readAnswer(answer)).data
  }
}

function encode({ input }: Endpoint, request: Fields): { search: string; body: string | FormData | null } {
  if (input === 'none') return { search: '', body: null }
  if (input === 'json') return { search: '', body: JSON.stringify(request) }
  const { files = [], ...fields }: Fields & { files?: readonly UploadFile[] } = request
  const definedFields = Object.entries(fields).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, String(value)]],
  )
  if (input === 'query')
    return { search: definedFields.length === 0 ? '' : `?${new URLSearchParams(definedFields)}`, body: null }
  const form = new FormData()
  for (const [key, value] of definedFields) form.append(key, value)
  for (const { name, content, type = '' } of files)
    form.append('files[]', new Blob([typeof content === 'string' ? content : new Uint8Array(content)], { type }), name)
  return { search: '', body: form }
}
