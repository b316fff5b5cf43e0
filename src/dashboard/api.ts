/** The control API as the page calls it, by its typed client: one workspace, the admin token where the sandbox asks for one, errors to be shown. */
import { connectControl, type RouteAnswer, type RouteArguments, type RouteInput } from '../client/control.js'
import { SandboxError, UnreachableError } from '../client/errors.js'
import type { Send } from '../client/exchange.js'
import type { ControlRoute } from '../client/types/control.js'
import { createValue } from './store/value.js'

/** What is shown of something that went wrong: the error body of the API, `NETWORK` where nothing answered. */
export interface Failure {
  code: string
  message: string
  /** The HTTP status; 0 where there was no answer. */
  status: number
  details: Record<string, unknown>
}

const tokenKey = 'sandbox-admin-token'
const token = sessionStorage.getItem(tokenKey)

/** In the address, `/?workspace=name` or `/w/name/`, so that a link leads to the same one; another one is another page load. */
export const workspace =
  new URLSearchParams(location.search).get('workspace') ?? /^\/w\/([^/]+)/.exec(location.pathname)?.[1] ?? 'default'

/** True once the sandbox has asked for its admin token. */
export const tokenWanted = createValue(false)

/** One was given, which the sandbox then did not take. */
export const tokenGiven = token !== null

export function keepToken(given: string): void {
  sessionStorage.setItem(tokenKey, given)
  location.reload()
}

/** Nothing that the browser keeps is looked at. */
const send: Send = (url, init) => fetch(url, { ...init, cache: 'no-store' })
const options = { send, ...(token === null ? {} : { adminToken: token }) }

/** Of the workspace; what is about workspaces themselves is asked of the whole sandbox. */
export const control = connectControl(location.origin, { ...options, workspace })
const sandbox = connectControl(location.origin, options)

/** Where the faked API and the control API of the workspace begin. */
export const baseUrl = control.url

/** For commands that are shown. */
export const adminToken = token

export type Body<Route extends ControlRoute> = RouteInput<Route> extends { body?: infer Given } ? Given : never
export type Query<Route extends ControlRoute> = RouteInput<Route> extends { query?: infer Given } ? Given : never

/** Throws `SandboxError` and `UnreachableError`; `failureOf` says what is to be shown of them. */
export async function call<Route extends ControlRoute>(
  route: Route,
  ...input: RouteArguments<Route>
): Promise<RouteAnswer<Route>> {
  const client = route.includes(' /workspaces') ? sandbox : control
  try {
    return await client.call(route, ...input)
  } catch (error) {
    // Who holds the token of one workspace, is not asked for that of all.
    if (client === control) noticeDoor(error)
    throw error
  }
}

/** The sandbox is shared, and asks who is there. */
export function noticeDoor(error: unknown): void {
  if (error instanceof SandboxError && error.details.header === 'X-Sandbox-Admin-Token') tokenWanted.set(true)
}

/** Of whatever was thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SandboxError) return error
  if (error instanceof UnreachableError)
    return { code: 'NETWORK', message: 'The sandbox does not answer. Is it still running?', status: 0, details: {} }
  return { code: 'PAGE', message: error instanceof Error ? error.message : String(error), status: 0, details: {} }
}
