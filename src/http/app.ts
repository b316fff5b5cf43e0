/** The whole server as one `fetch(request, env)`: guard, workspace, then the faked API or our own surface. */
import { Hono } from 'hono'
import type { Workspace } from '../core/unit/workspace.js'
import { ApiError } from '../protocol/platform/errors.js'
import { bodyLimits } from '../protocol/platform/limits.js'
import { whenDurable } from '../store/unit-of-work.js'
import { createBodyBudget, errorAnswer, toResponse } from './bodies.js'
import { mountControl } from './control/index.js'
import { addressOf, guard } from './guard.js'
import type { AppEnv, Env, Host } from './host.js'
import { mountPlatform } from './platform/handle.js'

export type Fetch = (request: Request, env: Env) => Response | Promise<Response>

export function createApp(host: Host): Fetch {
  surface ??= ownSurface()
  const { fetch } = surface
  const takeShare = createBodyBudget(bodyLimits.togetherBytes)
  return async (request, env) => {
    const bodyShare = takeShare()
    try {
      const { workspace, path } = addressOf(request, env.rawTarget)
      guard(host, request, env, path)
      const ws = requireWorkspace(host, workspace)
      const response = await fetch(request, { bodyShare, host, ws, path, ...env })
      const durable = whenDurable(ws.db)
      if (durable !== null) await durable
      return response
    } catch (error) {
      return toResponse(errorAnswer(error), host.workspace('default')?.memory.ids.next('requests').id ?? 'req_0')
    } finally {
      bodyShare.release()
    }
  }
}

/** Of the whole process: a request brings its sandbox along. Making the routes, and the router's first look at them, was a fifth of starting another sandbox. */
let surface: Hono<AppEnv> | undefined

function ownSurface(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>({ getPath: (_request, context) => context?.env?.path ?? '/' })
  mountPlatform(routes)
  mountControl(routes)
  const methods = methodsByPath(routes.routes)
  routes.notFound((c) => {
    const { path } = c.env
    const allow = methods.find((route) => route.pattern.test(path))?.methods
    throw allow === undefined
      ? new ApiError('NOT_FOUND', { path })
      : new ApiError('METHOD_NOT_ALLOWED', { method: c.req.method, allow })
  })
  routes.onError((error, c) => toResponse(errorAnswer(error), c.env.ws.memory.ids.next('requests').id))
  return routes
}

/** 404 NOT_FOUND where there is none of that name. */
function requireWorkspace(host: Host, name: string): Workspace {
  const ws = host.workspace(name)
  if (ws !== undefined) return ws
  throw new ApiError(
    'NOT_FOUND',
    { workspace: name },
    { message: `There is no workspace ${name}. To create it: payments-sandbox workspace create ${name}` },
  )
}

function methodsByPath(routes: readonly { path: string; method: string }[]): { pattern: RegExp; methods: string[] }[] {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of routes) byPath.set(path, (byPath.get(path) ?? new Set()).add(method))
  return [...byPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[a-z_]+/g, '[^/]+')}$`),
    methods: [...methods],
  }))
}
