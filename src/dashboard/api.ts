/** The page's access to the control API: one workspace, an optional admin token, and errors in a form that can be shown. */
import { messageOf } from '../base/unknown.js'
import { connectControl, type RouteAnswer, type RouteArguments, type RouteInput } from '../client/control.js'
import { SandboxError, UnreachableError } from '../client/errors.js'
import type { Send } from '../client/exchange.js'
import type { ControlRoute } from '../client/types/control.js'
import { requestHeaders } from '../protocol/platform/headers.js'
import { createValue } from './store/hooks.js'

/** An error for display: the error body of the API, or `NETWORK` if nothing answered. */
export interface Failure {
  code: string
  message: string
  /** The HTTP status; 0 without an answer. */
  status: number
  details: Record<string, unknown>
}

const tokenKey = 'sandbox-admin-token'
const token = sessionStorage.getItem(tokenKey)

/**
 * The workspace from the address, `/?workspace=name` or `/w/name/`, so that a link opens the same one. Changing it
 * reloads the page.
 */
export const workspace =
  new URLSearchParams(location.search).get('workspace') ?? /^\/w\/([^/]+)/.exec(location.pathname)?.[1] ?? 'default'

/** True once the sandbox has asked for its admin token. */
export const isTokenRequired = createValue(false)

/** Whether a stored token was sent; if the form appears anyway, the sandbox rejected it. */
export const hasStoredToken = token !== null

export function storeToken(given: string): void {
  sessionStorage.setItem(tokenKey, given)
  location.reload()
}

/** Bypasses the browser's cache: in Firefox, a stream waits 20 s for that of another tab, or of the page before, to end. */
const send: Send<Response> = (url, init) => fetch(url, { ...init, cache: 'no-store' })
const options = { send, sendStream: send, ...(token === null ? {} : { adminToken: token }) }

/** The client of the workspace. Routes about workspaces use the client of the whole sandbox. */
export const control = connectControl(location.origin, { ...options, workspace })
const sandbox = connectControl(location.origin, options)

/** The base URL of the workspace, for both APIs. */
export const baseUrl = control.url

/** For commands that the page shows. */
export const adminToken = token

export type Body<Route extends ControlRoute> = RouteInput<Route> extends { body?: infer Sent } ? Sent : never
export type Query<Route extends ControlRoute> = RouteInput<Route> extends { query?: infer Sent } ? Sent : never

/** Throws `SandboxError` and `UnreachableError`; `failureOf` converts them for display. */
export async function call<Route extends ControlRoute>(
  route: Route,
  ...input: RouteArguments<Route>
): Promise<RouteAnswer<Route>> {
  const client = route.includes(' /workspaces') ? sandbox : control
  try {
    return await client.call(route, ...input)
  } catch (error) {
    // A user with the token of one workspace is not asked for the token of the whole sandbox.
    if (client === control) checkTokenRequired(error)
    throw error
  }
}

/** Opens the token form if the sandbox requires a token. */
export function checkTokenRequired(error: unknown): void {
  if (error instanceof SandboxError && error.details.header === requestHeaders.adminToken) isTokenRequired.set(true)
}

export const unreachable: Failure = {
  code: 'NETWORK',
  message: 'The sandbox does not answer. Is it still running?',
  status: 0,
  details: {},
}

/** Converts any thrown value. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SandboxError) return error
  if (error instanceof UnreachableError) return unreachable
  return { code: 'PAGE', message: messageOf(error), status: 0, details: {} }
}
