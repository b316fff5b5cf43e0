/** The whole server as one `fetch(request, env)`: guard, workspace, then the faked API or our own surface. */
import { Hono } from 'hono'
import type { Workspace } from '../core/workspace.js'
import { type EndpointName, endpointNames, endpoints } from '../spec/endpoints.js'
import { ApiError } from '../spec/errors.js'
import { mountAdmin } from './admin/index.js'
import { errorAnswer, toResponse } from './answer.js'
import { guard } from './guard.js'
import type { Env, Host } from './host.js'
import { answerCall } from './mount.js'

export interface AppEnv {
  Bindings: Env & { ws: Workspace }
}

export type Fetch = (request: Request, env: Env) => Response | Promise<Response>

export function createApp(host: Host): Fetch {
  const routes = new Hono<AppEnv>()
  mountFakedApi(routes)
  mountAdmin(routes, host)
  const methods = methodsByPath(routes)
  routes.notFound((c) => {
    const allow = methods.find((route) => route.pattern.test(new URL(c.req.url).pathname))?.methods
    throw allow === undefined
      ? new ApiError('NOT_FOUND', { path: new URL(c.req.url).pathname })
      : new ApiError('METHOD_NOT_ALLOWED', { method: c.req.method, allow }, { headers: { Allow: allow.join(', ') } })
  })
  routes.onError((error, c) => toResponse(errorAnswer(error), c.env.ws.ids.next('requests').id))

  return (request, env) => {
    try {
      guard(host, request, env)
      const { ws, inner } = enter(host, request)
      return routes.fetch(inner, { ...env, ws })
    } catch (error) {
      return toResponse(errorAnswer(error), host.workspace('default')?.ids.next('requests').id ?? 'req_0')
    }
  }
}

/** `/w/{name}/…` is the same surface over another workspace; 404 NOT_FOUND where there is none of that name. */
function enter(host: Host, request: Request): { ws: Workspace; inner: Request } {
  const url = request.url
  const at = url.indexOf('/', url.indexOf('//') + 2)
  const match = at < 0 ? null : /^\/w\/([^/?#]+)(?=[/?#]|$)/.exec(url.slice(at))
  const name = match?.[1] ?? 'default'
  const ws = host.workspace(name)
  if (ws === undefined)
    throw new ApiError(
      'NOT_FOUND',
      { workspace: name },
      { message: `There is no workspace ${name}: make it with POST /_sandbox/workspaces.` },
    )
  if (match === null) return { ws, inner: request }
  const rest = url.slice(at + match[0].length)
  return { ws, inner: new Request(url.slice(0, at) + (rest.startsWith('/') ? rest : `/${rest}`), request) }
}

function mountFakedApi(routes: Hono<AppEnv>): void {
  for (const name of endpointNames as EndpointName[]) {
    const { method, path } = endpoints[name]
    routes.on(method, path, async (c) => {
      const { answer, requestId } = await answerCall(c.env.ws, name, c.req.raw, c.env)
      return toResponse(answer, requestId)
    })
  }
}

function methodsByPath(routes: Hono<AppEnv>): { pattern: RegExp; methods: string[] }[] {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of routes.routes) byPath.set(path, (byPath.get(path) ?? new Set()).add(method))
  return [...byPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[a-z_]+/g, '[^/]+')}$`),
    methods: [...methods],
  }))
}
