/** Calls the sandbox from inside its process, through the same guard and routes as a caller from outside. */

import { type CallContext, credentialHeaders, responseText } from '../../inside/handlers.js'
import { ApiError, type Endpoint, endpoints, requestHeaders } from '../../inside/platform.js'
import { fieldsIn } from '../../inside/values.js'
import {
  type Credential,
  credentialsOf,
  listAccounts,
  requireAccount,
  storedJson,
  type Unit,
} from '../../inside/workspace.js'
import { type Caller, rejection } from './tools/call.js'

/** The sandbox rejected a call. */
class Rejected extends Error {
  constructor(readonly answer: unknown) {
    super('the call was rejected')
  }
}

export function callerInside(call: CallContext, account: string | undefined): Caller {
  const { ws } = call
  return {
    async control(method, path, body, { query = {}, contentType } = {}) {
      const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`
      const text = body === undefined ? '' : contentType === undefined ? JSON.stringify(body) : String(body)
      const headers = text === '' ? {} : { 'Content-Type': contentType ?? 'application/json' }
      return send(call, method, `/_sandbox${path}${search}`, headers, text)
    },
    async platform(name, request) {
      const endpoint: Endpoint = endpoints[name]
      const body = endpoint.input === 'json' ? JSON.stringify(request) : ''
      const authHeaders = await ws.unit((unit) => credentialHeaders(unit, endpoint, credentialFor(unit, account), body))
      const headers = body === '' ? authHeaders : { ...authHeaders, 'Content-Type': 'application/json' }
      return fieldsIn(await send(call, endpoint.method, endpoint.path, headers, body)).data
    },
    explain(error) {
      if (error instanceof ApiError) return rejection(error.code, error.message, error.details)
      return error instanceof Rejected ? error.answer : undefined
    },
  }
}

/** The first active credential of the account (default: the first account). Throws 404 NOT_FOUND for an unknown account. */
function credentialFor({ db }: Unit, username: string | undefined): Credential {
  const account = username === undefined ? listAccounts(db)[0] : requireAccount(db, username)
  const all = account === undefined ? [] : credentialsOf(db, account.seq)
  const found = all.find(({ active }) => active) ?? all[0]
  if (found === undefined) throw new ApiError('CREDENTIAL_INACTIVE')
  return found
}

/** Headers of the agent's call that the guard reads. */
const guarded = ['host', requestHeaders.adminToken]

async function send(
  { ws, env, request, callApp }: CallContext,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<unknown> {
  const rawTarget = ws.name === 'default' ? path : `/w/${ws.name}${path}`
  const all = new Headers(headers)
  for (const name of guarded) {
    const value = request.headers.get(name)
    if (value !== null) all.set(name, value)
  }
  const response = await new Promise<Response>((resolve, reject) => {
    const disconnect = () => reject(new Rejected('The sandbox closed the connection without a response.'))
    const inner = new Request(new URL(rawTarget, request.url), {
      method,
      headers: all,
      ...(body === '' ? {} : { body }),
    })
    const { ip, onDisconnect } = env
    Promise.resolve(callApp(inner, { ip, rawTarget, disconnect, ...(onDisconnect && { onDisconnect }) })).then(
      resolve,
      reject,
    )
  })
  const text = await responseText(response)
  if (response.status === 204) return null
  const value = storedJson<unknown>(text)
  if (response.ok) return value
  const { code, message, details } = fieldsIn(fieldsIn(value).error)
  throw new Rejected(rejection(code, message, details))
}
