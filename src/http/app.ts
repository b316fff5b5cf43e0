/** The whole server as one `fetch(request, env)`: guard, workspace, then the platform API or the control API. */
import { Hono } from 'hono'
import type { Workspace } from '../core/unit/unit.js'
import { controlRoutes } from '../protocol/control/index.js'
import { pageRoutes, payRoutes } from '../protocol/control/stream-and-pages.js'
import { ApiError } from '../protocol/platform/errors.js'
import { bodyLimits } from '../protocol/platform/limits.js'
import { errorFormOf } from '../protocol/settings/wire-format.js'
import { accountHandlers } from './control/accounts.js'
import { inboxHandlers } from './control/inbox.js'
import { activityHandlers, fidelityHandlers, metricsHandlers } from './control/metrics.js'
import { countHandlers, objectHandlers, searchHandlers, triggerHandlers } from './control/objects.js'
import { docsHandlers, pageHandlers } from './control/pages.js'
import { requestHandlers } from './control/requests.js'
import { routeSet } from './control/routes.js'
import { scenarioHandlers } from './control/scenarios.js'
import {
  chaosHandlers,
  clockHandlers,
  seedHandlers,
  settingHandlers,
  snapshotHandlers,
  stateHandlers,
  workspaceHandlers,
} from './control/state.js'
import { streamHandlers } from './control/stream.js'
import { webhookHandlers } from './control/webhooks.js'
import type { AppEnv, CallEnv, DirectRoutes, Env, Host, RouteSet } from './host.js'
import {
  type Address,
  addressOf,
  createBodyBudget,
  errorResponse,
  guard,
  type HttpRequest,
  isPlatformPath,
  type ResponseData,
  toResponse,
  withRequestId,
} from './messages.js'
import { payHandlers } from './pay/page.js'
import { mountPlatform, unknownPathError } from './platform/handle.js'

export type Fetch = (request: Request, env: Env) => Response | Promise<Response>

/** The short way of a call: neither router nor `Response`. null for a route that needs them. */
export type CallDirectly = (request: HttpRequest, env: Env) => Promise<ResponseData> | null

export type App = Fetch & { readonly callDirectly: CallDirectly }

export function createApp(host: Host): App {
  const { fetch, direct } = routesOf(host.routes)
  const createMemoryShare = createBodyBudget(bodyLimits.togetherBytes)
  const runInWorkspace = async <T>(
    request: HttpRequest,
    env: Env,
    { workspace, path }: Address,
    work: (ws: Workspace, env: CallEnv) => T | Promise<T>,
    render: (response: ResponseData) => T,
  ): Promise<T> => {
    const memoryShare = createMemoryShare()
    try {
      guard(host, request, env, path)
      const ws = requireWorkspace(host, workspace)
      return await work(ws, { memoryShare, ...env })
    } catch (error) {
      return render(
        withRequestId(errorResponse(error), host.workspace('default')?.memory.ids.next('requests').id ?? 'req_0'),
      )
    } finally {
      memoryShare.release()
    }
  }
  const handle: Fetch = (request, env) => {
    const address = addressOf(request, env.rawTarget)
    const { path } = address
    return runInWorkspace(
      request,
      env,
      address,
      (ws, callEnv) => fetch(request, { host, ws, path, callApp: handle, ...callEnv }),
      toResponse,
    )
  }
  const callDirectly: CallDirectly = (request, env) => {
    const address = addressOf(request, env.rawTarget)
    const route = direct.get(`${request.method} ${address.path}`)
    if (route === undefined) return null
    const call = (ws: Workspace, callEnv: CallEnv) => route({ host, ws, env: callEnv, request, callApp: handle })
    return runInWorkspace(request, env, address, call, (response) => response)
  }
  return Object.assign(handle, { callDirectly })
}

/**
 * Shared by all sandboxes of the process that have the same features, since `env` carries the sandbox of each request.
 * Creating the routes and the router's first match took a fifth of the start of each further sandbox.
 */
const built = new WeakMap<readonly RouteSet[], Routes>()

interface Routes {
  fetch: Hono<AppEnv>['fetch']
  direct: DirectRoutes
}

function routesOf(features: readonly RouteSet[]): Routes {
  const known = built.get(features) ?? createRoutes(features)
  built.set(features, known)
  return known
}

function createRoutes(features: readonly RouteSet[]): Routes {
  const routes = new Hono<AppEnv>({ getPath: (_request, context) => context?.env?.path ?? '/' })
  const direct: DirectRoutes = new Map()
  mountPlatform(routes, direct)
  mountControl(routes, direct, features)
  const methods = methodsByPath(routes.routes)
  routes.notFound((c) => {
    const { path } = c.env
    const allow = methods.find((route) => route.pattern.test(path))?.methods
    if (allow !== undefined) throw new ApiError('METHOD_NOT_ALLOWED', { method: c.req.method, allow })
    throw isPlatformPath(path) ? unknownPathError(path) : new ApiError('NOT_FOUND', { path })
  })
  routes.onError((error, { env: { ws, path } }) => {
    const form = isPlatformPath(path) ? errorFormOf(ws.config) : undefined
    return toResponse(withRequestId(errorResponse(error, form, ws.db), ws.memory.ids.next('requests').id))
  })
  return { fetch: routes.fetch, direct }
}

/** Throws 404 NOT_FOUND if there is no workspace of that name. */
function requireWorkspace(host: Host, name: string): Workspace {
  const ws = host.workspace(name)
  if (ws !== undefined) return ws
  throw new ApiError(
    'NOT_FOUND',
    { workspace: name },
    `There is no workspace ${name}. To create it: payments-sandbox workspace create ${name}`,
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

/** One handler for each row: a missing one is a type error. */
const handlers = {
  ...stateHandlers,
  ...settingHandlers,
  ...triggerHandlers,
  ...objectHandlers,
  ...clockHandlers,
  ...accountHandlers,
  ...webhookHandlers,
  ...inboxHandlers,
  ...requestHandlers,
  ...scenarioHandlers,
  ...chaosHandlers,
  ...snapshotHandlers,
  ...workspaceHandlers,
  ...streamHandlers,
  ...docsHandlers,
  ...seedHandlers,
  ...searchHandlers,
  ...activityHandlers,
  ...countHandlers,
  ...metricsHandlers,
  ...fidelityHandlers,
}

const pages = [routeSet(pageRoutes, pageHandlers), routeSet(payRoutes, payHandlers)]
const control = routeSet(controlRoutes, handlers)

function mountControl(routes: Hono<AppEnv>, direct: DirectRoutes, features: readonly RouteSet[]): void {
  for (const set of [control, ...features]) set.mount(routes, direct, '/_sandbox')
  for (const set of pages) set.mount(routes, direct, '')
}
