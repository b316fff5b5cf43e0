/** The routes of the control API, by name, without those of the features. */

import { accountRoutes } from './accounts.js'
import { clockRoutes } from './clock.js'
import { activityRoutes, countRoutes, fidelityRoutes, metricsRoutes } from './figures.js'
import { objectRoutes, searchRoutes } from './objects.js'
import { requestRoutes } from './requests.js'
import { scenarioRoutes } from './scenarios.js'
import { snapshotRoutes } from './snapshots.js'
import { chaosRoutes, seedRoutes, settingRoutes, stateRoutes, workspaceRoutes } from './state.js'
import { docsRoutes, streamRoutes } from './stream-and-pages.js'
import { triggerRoutes } from './trigger.js'
import { inboxRoutes, webhookRoutes } from './webhooks.js'

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
  ...docsRoutes,
  ...seedRoutes,
  ...searchRoutes,
  ...activityRoutes,
  ...countRoutes,
  ...metricsRoutes,
  ...fidelityRoutes,
} as const
