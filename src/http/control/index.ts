/** Mounts our own surface: everything under `/_sandbox`, and the page at `/`. */

import type { Hono } from 'hono'
import { answerHeaders } from '../../protocol/api/headers.js'
import { controlRoutes } from '../../protocol/control/index.js'
import type { ControlRow } from '../../protocol/control/route.js'
import { errorAnswer, plainAnswer, toResponse } from '../answer.js'
import { dashboardRoutes } from '../dashboard.js'
import type { AppEnv, Host } from '../host.js'
import { jsonObject, receive, requireContentType } from '../receive.js'
import { accountHandlers } from './accounts.js'
import { actionRoutes } from './actions.js'
import { clockHandlers } from './clock.js'
import { docsRoutes } from './docs.js'
import { inboxRoutes } from './inbox.js'
import { mountRows } from './mount.js'
import { objectRoutes } from './objects.js'
import { journalRoutes } from './requests.js'
import type { AdminRoute } from './route.js'
import { scenarioRoutes } from './scenarios.js'
import { snapshotRoutes } from './snapshots.js'
import { stateRoutes } from './state.js'
import { streamRoutes } from './stream.js'
import { webhookRoutes } from './webhooks.js'
import { workspaceRoutes } from './workspaces.js'

export const adminRoutes: readonly AdminRoute[] = [
  ...stateRoutes,
  ...actionRoutes,
  ...objectRoutes,
  ...webhookRoutes,
  ...inboxRoutes,
  ...journalRoutes,
  ...scenarioRoutes,
  ...snapshotRoutes,
  ...workspaceRoutes,
  ...streamRoutes,
  ...docsRoutes(() => adminRoutes),
  ...dashboardRoutes,
]

/** Method and path of every route, in the words of the router. */
export const everyRoute = (): { method: string; path: string }[] => [
  ...adminRoutes,
  ...Object.values<ControlRow>(controlRoutes).map(({ method, path }) => ({
    method,
    path: `/_sandbox${path.replace(/\{([a-z_]+)\}/g, ':$1')}`,
  })),
]

/** One for each row: a missing one is a type error. */
const handlers = { ...clockHandlers, ...accountHandlers }

export function mountAdmin(routes: Hono<AppEnv>, host: Host): void {
  mountRows(routes, host, '/_sandbox', controlRoutes, handlers)
  for (const route of adminRoutes) {
    routes.on(route.method, route.path, async (c) => {
      const { ws } = c.env
      const requestId = ws.memory.ids.next('requests').id
      const request = c.req.raw
      try {
        if (request.method !== 'GET' && route.input !== 'open') forbidForms(request)
        const body = route.input !== undefined ? {} : jsonObject(await receive(request, c.env.held), request.headers)
        const params = c.req.param() as Record<string, string>
        const value = await route.handle({
          host,
          ws,
          env: c.env,
          request,
          params,
          query: new URL(request.url).searchParams,
          body,
        })
        if (value instanceof Response) {
          value.headers.set(answerHeaders.requestId, requestId)
          return value
        }
        return value === null
          ? new Response(null, { status: 204, headers: { [answerHeaders.requestId]: requestId } })
          : toResponse(plainAnswer(200, value), requestId)
      } catch (error) {
        return toResponse(errorAnswer(error), requestId)
      }
    })
  }
}

/** A form is the one thing that a foreign page can post without being asked first: a body must be JSON or YAML. */
function forbidForms(request: Request): void {
  const type = request.headers.get('content-type')
  const length = request.headers.get('content-length')
  if (type === null && (length === null || length === '0') && request.headers.get('transfer-encoding') === null) return
  requireContentType(request.headers, ['application/json', 'application/yaml'])
}
