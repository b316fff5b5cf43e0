/** Mounts the control API: everything under `/_sandbox`, and the page at `/`. */
import type { Hono } from 'hono'
import { controlRoutes } from '../../protocol/control/index.js'
import { pageRoutes, payRoutes } from '../../protocol/control/stream-and-pages.js'
import type { AppEnv, DirectRoutes, RouteSet } from '../host.js'
import { payHandlers } from '../pay/page.js'
import { accountHandlers } from './accounts.js'
import { triggerHandlers } from './actions.js'
import { clockHandlers } from './clock.js'
import { inboxHandlers } from './inbox.js'
import { activityHandlers, fidelityHandlers, metricsHandlers } from './metrics.js'
import { countHandlers, objectHandlers, searchHandlers } from './objects.js'
import { docsHandlers, pageHandlers } from './pages.js'
import { requestHandlers } from './requests.js'
import { routeSet } from './routes.js'
import { scenarioHandlers } from './scenarios.js'
import { chaosHandlers, seedHandlers, settingHandlers, snapshotHandlers, stateHandlers } from './state.js'
import { streamHandlers } from './stream.js'
import { webhookHandlers } from './webhooks.js'
import { workspaceHandlers } from './workspaces.js'

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

export function mountControl(routes: Hono<AppEnv>, direct: DirectRoutes, features: readonly RouteSet[]): void {
  for (const set of [control, ...features]) set.mount(routes, direct, '/_sandbox')
  for (const set of pages) set.mount(routes, direct, '')
}
