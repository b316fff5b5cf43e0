/** Every route of the control API by its name. */

import { certifyRoutes } from '../../certify/protocol/routes.js'
import { accountRoutes } from './accounts.js'
import { activityRoutes } from './activity.js'
import { clockRoutes } from './clock.js'
import { inboxRoutes } from './inbox.js'
import { objectRoutes } from './objects.js'
import { requestRoutes } from './requests.js'
import { scenarioRoutes } from './scenarios.js'
import { searchRoutes } from './search.js'
import { seedRoutes } from './seed.js'
import { snapshotRoutes } from './snapshots.js'
import { stateRoutes } from './state.js'
import { streamRoutes } from './stream.js'
import { triggerRoutes } from './trigger.js'
import { webhookRoutes } from './webhooks.js'
import { workspaceRoutes } from './workspaces.js'

export const controlRoutes = {
  ...stateRoutes,
  ...triggerRoutes,
  ...objectRoutes,
  ...clockRoutes,
  ...accountRoutes,
  ...webhookRoutes,
  ...inboxRoutes,
  ...requestRoutes,
  ...scenarioRoutes,
  ...snapshotRoutes,
  ...workspaceRoutes,
  ...streamRoutes,
  ...certifyRoutes,
  ...seedRoutes,
  ...searchRoutes,
  ...activityRoutes,
} as const
