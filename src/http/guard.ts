/** Who may reach the sandbox: exact `Host`, own `Origin`, and for our own surface the admin token off loopback. Looks at the request before any routing. */

import { isInboxPath } from '../protocol/control/inbox.js'
import { ApiError } from '../protocol/platform/errors.js'
import { callHeaders } from '../protocol/platform/headers.js'
import type { Env, Host } from './host.js'

/**
 * 403 FORBIDDEN_ORIGIN, 401 UNAUTHORIZED. `path` is the one that will be routed.
 * The faked API has its own door, bearer tokens: but on loopback its credentials are those that everybody knows,
 * so that a page which rebinds its name to this machine must not get to it either.
 */
export function guard(host: Host, request: Request, env: Env, path: string): void {
  const isFakedApi = path === '/v2' || path.startsWith('/v2/')
  if (host.loopback) requireHosts(host, request, env.rawTarget)
  else if (isFakedApi) return
  requireOwnOrigin(request)
  if (isFakedApi || needsNoToken(request.method, path)) return
  requireAdmin(host, request)
}

/** 401 UNAUTHORIZED. */
export function requireAdmin(host: Host, request: Request): void {
  if (isAdmin(host, request)) return
  const token = request.headers.get(callHeaders.adminToken)
  throw new ApiError(
    'UNAUTHORIZED',
    { reason: token === null ? 'missing' : 'unknown', header: callHeaders.adminToken },
    { message: `This sandbox is shared: send its admin token as ${callHeaders.adminToken}.` },
  )
}

/** Whether the caller may see everything: with the admin token, or where none is asked for. */
export const isAdmin = (host: Host, request: Request): boolean =>
  host.isAdmin(request.headers.get(callHeaders.adminToken))

/** The page itself holds no data: what it shows, it asks the control API for, with the token. A payer has none. Webhooks come to an inbox without one, and whoever waits for the sandbox has none yet. */
const needsNoToken = (method: string, path: string) =>
  path === '/' ||
  path.startsWith('/assets/') ||
  (method === 'GET' && path.startsWith('/pay/')) ||
  (method === 'GET' && path === '/_sandbox/health') ||
  (method === 'POST' && isInboxPath(path))

/** Whether the host that the caller names may be one of ours. */
export function answersTo(host: Host, request: Request, rawTarget: string): boolean {
  if (!host.loopback) return true
  try {
    requireHosts(host, request, rawTarget)
    return true
  } catch {
    return false
  }
}

/** The `Host` header, and the host of a target that is a whole address. */
function requireHosts(host: Host, request: Request, rawTarget: string): void {
  requireHost(host, request.headers.get('host'))
  if (!rawTarget.startsWith('/')) requireHost(host, new URL(request.url).host)
}

const loopbackHost = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

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
    { message: `The sandbox does not answer to the host ${header ?? '(none)'}: start it with --allow-host to let it.` },
  )
}

/** A browser names the page that makes it call; ours is the only one. */
function requireOwnOrigin(request: Request): void {
  const origin = request.headers.get('origin')
  if (origin === null) return
  const own = request.headers.get('host')
  if (own !== null && (origin === `http://${own}` || origin === `https://${own}`)) return
  throw new ApiError('FORBIDDEN_ORIGIN', { origin }, { message: `The sandbox does not answer to pages of ${origin}.` })
}

/** Where a request leads: the one reading of its target, by which it is both guarded and routed. */
export interface Address {
  workspace: string
  /** Inside the workspace; percent-decoded but for what would change its segments (`%2F`, `%25`), without `.` and `..`. */
  path: string
}

/** `/w/{name}/…` is the same surface over another workspace; everything else belongs to `default`. */
export function addressOf(request: Request, rawTarget: string): Address {
  const path = pathOf(request, rawTarget)
  const match = path.startsWith('/w/') ? /^\/w\/([^/]+)(\/.*)?$/s.exec(path) : null
  return match === null ? { workspace: 'default', path } : { workspace: match[1] ?? '', path: match[2] ?? '/' }
}

/** Whatever a URL would rewrite: escapes, dot segments, other slashes, a whole address. */
const rewritten = /%|\/\.|[\\#]|^[^/]/

function pathOf(request: Request, rawTarget: string): string {
  const end = rawTarget.indexOf('?')
  const raw = end < 0 ? rawTarget : rawTarget.slice(0, end)
  return rewritten.test(raw) || raw === '' ? decoded(new URL(request.url).pathname) : raw
}

function decoded(path: string): string {
  try {
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return path
  }
}
