/** A host for an app with one workspace and without a process. */

import type { Workspace } from '../../src/core/unit/unit.js'
import type { Host } from '../../src/http/host.js'
import { scenarioTexts } from '../../src/runtime/shared/scenario-text.js'
import { featureRoutes } from './control-rows.js'

export const bareOrigin = 'http://127.0.0.1:4010'

const none = () => {
  throw new Error('this workspace runs without a process')
}

export const bareHost = (workspace: () => Workspace): Host => ({
  version: 'bare',
  isAdmin: () => true,
  rotateAdminToken: none,
  loopback: true,
  allowHosts: [],
  baseUrl: () => bareOrigin,
  workspace: (name) => (name === 'default' ? workspace() : undefined),
  workspaceNames: () => [],
  createWorkspace: none,
  routes: featureRoutes,
  deleteWorkspace: async () => {},
  ...scenarioTexts,
  asset: () => undefined,
})
