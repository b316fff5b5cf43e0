/** Mounts the control API: everything under `/_sandbox`, and the page at `/`. */
import type { Hono } from 'hono'
import { certifyHandlers } from '../../certify/http/routes.js'
import { compareHandlers } from '../../compare/http/routes.js'
import { mcpHandlers } from '../../mcp/http/routes.js'
import { controlRoutes } from '../../protocol/control/index.js'
import { payRoutes } from '../../protocol/control/pay.js'
import { pageRoutes } from '../../protocol/control/stream.js'
import { pageHandlers } from '../dashboard.js'
import type { AppEnv } from '../host.js'
import { payHandlers } from '../pay/handlers.js'
import { accountHandlers } from './accounts.js'
import { triggerHandlers } from './actions.js'
import { activityHandlers } from './activity.js'
import { chaosHandlers } from './chaos.js'
import { clockHandlers } from './clock.js'
import { countHandlers } from './counts.js'
import { docsHandlers } from './docs.js'
import { inboxHandlers } from './inbox.js'
import { metricsHandlers } from './metrics.js'
import { objectHandlers } from './objects.js'
import { requestHandlers } from './requests.js'
import { mountRows } from './routes.js'
import { scenarioHandlers } from './scenarios.js'
import { searchHandlers } from './search.js'
import { seedHandlers } from './seed.js'
import { settingHandlers } from './settings.js'
import { snapshotHandlers } from './snapshots.js'
import { stateHandlers } from './state.js'
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
  ...certifyHandlers,
  ...compareHandlers,
  ...seedHandlers,
  ...searchHandlers,
  ...activityHandlers,
  ...countHandlers,
  ...metricsHandlers,
  ...mcpHandlers,
}

export function mountControl(routes: Hono<AppEnv>): void {
  mountRows(routes, '/_sandbox', controlRoutes, handlers)
  mountRows(routes, '', pageRoutes, pageHandlers)
  mountRows(routes, '', payRoutes, payHandlers)
}
