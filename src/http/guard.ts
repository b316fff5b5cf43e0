/** Who may reach our own surface: exact `Host`, own `Origin`, the admin token off loopback. Looks at the request before any routing. */
import { sameSecret } from '../base/crypto.js'
import { ApiError } from '../spec/errors.js'
import type { Env, Host } from './host.js'

/** 403 FORBIDDEN_ORIGIN, 401 UNAUTHORIZED. The faked API has its own door (bearer tokens) and passes. */
export function guard(host: Host, request: Request, env: Env): void {
  if (isFakedApi(env.rawTarget)) return
  if (host.loopback) requireHost(host, request.headers.get('host'))
  requireOwnOrigin(request)
  if (host.adminToken === null || isPage(env.rawTarget)) return
  const token = request.headers.get('x-sandbox-admin-token')
  if (token === null || !sameSecret(token, host.adminToken)) {
    throw new ApiError(
      'UNAUTHORIZED',
      { reason: token === null ? 'missing' : 'unknown', header: 'X-Sandbox-Admin-Token' },
      { message: 'This sandbox is shared: send its admin token as X-Sandbox-Admin-Token.' },
    )
  }
}

/** Only a plain spelling of the path passes; `/%762` or `http://host/v2` go through the guard like everything else. */
const isFakedApi = (target: string) => /^(\/w\/[a-z0-9][a-z0-9_-]*)?\/v2(\/|\?|$)/.test(target)

/** The page itself holds no data: what it shows, it asks the control API for, with the token. */
const isPage = (target: string) => /^\/(\?|$|assets\/)/.test(target)

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
