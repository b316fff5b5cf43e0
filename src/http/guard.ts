/**
 * Rejects requests with a foreign `Host` or `Origin`, and calls of the control API without the admin token, if one is
 * required. Runs before routing.
 */

import { isInboxPath } from '../protocol/control/webhooks.js'
import { ApiError } from '../protocol/platform/errors.js'
import { requestHeaders } from '../protocol/platform/headers.js'
import type { HttpRequest } from './bodies.js'
import type { Env, Host } from './host.js'

/**
 * Throws 403 FORBIDDEN_ORIGIN or 401 UNAUTHORIZED. `path` is the path that will be routed. The platform API is protected
 * by its bearer tokens. On loopback, however, its credentials are public knowledge, so a page that uses DNS rebinding
 * must not reach it either.
 */
export function guard(host: Host, request: HttpRequest, env: Env, path: string): void {
  const isPlatformApi = isPlatformPath(path)
  if (host.loopback) requireHosts(host, request, env.rawTarget)
  else if (isPlatformApi) return
  requireOwnOrigin(request)
  if (isPlatformApi || needsNoToken(request.method, path)) return
  requireAdmin(host, request)
}

export const isPlatformPath = (path: string) => path === '/v2' || path.startsWith('/v2/')

/** Throws 401 UNAUTHORIZED unless the caller is an admin. */
export function requireAdmin(host: Host, request: HttpRequest): void {
  if (isAdmin(host, request)) return
  const token = request.headers.get(requestHeaders.adminToken)
  throw new ApiError(
    'UNAUTHORIZED',
    { reason: token === null ? 'missing' : 'unknown', header: requestHeaders.adminToken },
    { message: `This sandbox is shared: send its admin token as ${requestHeaders.adminToken}.` },
  )
}

/** Returns whether the caller has full access: it sends the admin token, or none is required. */
export const isAdmin = (host: Host, request: HttpRequest): boolean =>
  host.isAdmin(request.headers.get(requestHeaders.adminToken))

/**
 * The dashboard's files contain no data (the page sends the token to the control API). Payers have no token, webhooks
 * reach an inbox without one, and programs that wait for the sandbox to start have none yet.
 */
const needsNoToken = (method: string, path: string) =>
  path === '/' ||
  path.startsWith('/assets/') ||
  path === '/favicon.ico' ||
  (method === 'GET' && path.startsWith('/pay/')) ||
  (method === 'GET' && path === '/_sandbox/health') ||
  (method === 'POST' && isInboxPath(path))

/** Returns whether the caller uses a host name of this sandbox. */
export function isOwnHost(host: Host, request: HttpRequest, rawTarget: string): boolean {
  if (!host.loopback) return true
  try {
    requireHosts(host, request, rawTarget)
    return true
  } catch {
    return false
  }
}

/** Checks the `Host` header, and the host of an absolute target. */
function requireHosts(host: Host, request: HttpRequest, rawTarget: string): void {
  requireHost(host, request.headers.get('host'))
  if (!rawTarget.startsWith('/')) requireHost(host, new URL(request.url).host)
}

export const loopbackHost = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

function requireHost(host: Host, header: string | null): void {
  const name = (header ?? '').toLowerCase()
  if (loopbackHost.test(name)) return
  if (
    host.allowHosts.some(
      (allowed) => name === allowed.toLowerCase() || name.replace(/:\d{1,5}$/, '') === allowed.toLowerCase(),
    )
  )
    return
  throw new ApiError(
    'FORBIDDEN_ORIGIN',
    { host: header },
    {
      message: `The sandbox rejects requests for the host ${header ?? '(none)'}; to allow this host, start the sandbox with --allow-host.`,
    },
  )
}

/** A browser sends the origin of the page that makes the call. Only pages of the sandbox itself are allowed. */
function requireOwnOrigin(request: HttpRequest): void {
  const origin = request.headers.get('origin')
  if (origin === null) return
  const hostHeader = request.headers.get('host')
  if (hostHeader !== null && (origin === `http://${hostHeader}` || origin === `https://${hostHeader}`)) return
  throw new ApiError(
    'FORBIDDEN_ORIGIN',
    { origin },
    { message: `The sandbox rejects requests from pages of ${origin}.` },
  )
}

/** Workspace and path of a request. The target is parsed only once, so that guard and router see the same path. */
export interface Address {
  workspace: string
  /** Path inside the workspace, without `.` and `..`. Percent-decoded except for `%2F` and `%25`, which would change it. */
  path: string
}

/** `/w/{name}/…` serves the same routes for another workspace; all other paths belong to `default`. */
export function addressOf(request: HttpRequest, rawTarget: string): Address {
  const path = pathOf(request, rawTarget)
  const match = path.startsWith('/w/') ? /^\/w\/([^/]+)(\/.*)?$/s.exec(path) : null
  return match === null ? { workspace: 'default', path } : { workspace: match[1] ?? '', path: match[2] ?? '/' }
}

/** A path of the workspace, without the `/w/{name}` in front of it. */
export function pathInWorkspace(workspace: string, path: string): string {
  const prefix = `/w/${workspace}`
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** Matches targets that URL parsing would change: escapes, dot segments, backslashes, absolute targets. */
const needsUrlParsing = /%|\/\.|[\\#]|^[^/]/

function pathOf(request: HttpRequest, rawTarget: string): string {
  const end = rawTarget.indexOf('?')
  const raw = end < 0 ? rawTarget : rawTarget.slice(0, end)
  return needsUrlParsing.test(raw) || raw === '' ? decoded(new URL(request.url).pathname) : raw
}

function decoded(path: string): string {
  try {
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return path
  }
}
