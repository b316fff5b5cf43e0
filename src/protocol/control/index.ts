/** The routes of the control API, by name, without those of the features. */

import { accountRoutes } from './accounts.js'
import { activityRoutes } from './activity.js'
import { chaosRoutes } from './chaos.js'
import { clockRoutes } from './clock.js'
import { countRoutes } from './counts.js'
import { inboxRoutes } from './inbox.js'
import { metricsRoutes } from './metrics.js'
import { objectRoutes } from './objects.js'
import { requestRoutes } from './requests.js'
import { scenarioRoutes } from './scenarios.js'
import { searchRoutes } from './search.js'
import { seedRoutes } from './seed.js'
import { settingRoutes } from './settings.js'
import { snapshotRoutes } from './snapshots.js'
import { stateRoutes } from './state.js'
import { streamRoutes } from './stream.js'
import { triggerRoutes } from './trigger.js'
import { webhookRoutes } from './webhooks.js'
import { workspaceRoutes } from './workspaces.js'

export const controlRoutes = {
  ...stateRoutes,
  ...settingRoutes,
  ...triggerRoutes,
  ...objectRoutes,
  ...clockRoutes,
  ...accountRoutes,
  ...webhookRoutes,
  ...inboxRoutes,
  ...requestRoutes,
  ...scenarioRoutes,
  ...chaosRoutes,
  ...snapshotRoutes,
  ...workspaceRoutes,
  ...streamRoutes,
  ...seedRoutes,
  ...searchRoutes,
  ...activityRoutes,
  ...countRoutes,
  ...metricsRoutes,
} as const
