/** Implements what the app requires of its host: one workspace in this object, the others through the directory. */

import bundled from 'bundled:pages'
import manifest from '../../../package.json' with { type: 'json' }
import { sameSecret, sha256Hex } from '../../base/crypto.js'
import { requireName } from '../../core/unit/ports.js'
import type { Workspace } from '../../core/unit/unit.js'
import {
  nameTakenError,
  requireDeletable,
  unknownWorkspaceError,
  workspaceLimitError,
} from '../../core/workspace/workspace.js'
import type { Asset, Env, Host, RouteSet } from '../../http/host.js'
import { pageTypes } from '../../http/html.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import { generateAdminToken } from '../shared/address-guard.js'
import { scenarioTexts } from '../shared/scenario-text.js'
import { type Bindings, directoryOf, type Settings } from './bindings.js'
import { maxWorkspaces } from './directory-object.js'
import { addressOfCaller, type Quota } from './quota.js'
import type { Home } from './runtime.js'

// Serves the bundled dashboard.

const pages = new Map(
  Object.entries(bundled).flatMap(([name, body]): [string, Asset][] => {
    const type = pageTypes[name.slice(name.lastIndexOf('.'))]
    return type === undefined ? [] : [[name, { type, body }]]
  }),
)

const bundledPage = (name: string): Asset | undefined => pages.get(name)

interface WorkspaceAccess {
  workspace: () => Workspace | undefined
  tokenHash: () => string | null
  storeTokenHash: (hash: string) => void
  home: () => Home
  /** Limits of a hosted workspace. */
  quota: () => Quota | undefined
}

/** What a feature needs of the object that serves a host. */
interface FeatureAccess extends Pick<WorkspaceAccess, 'home' | 'quota'> {
  bindings: Bindings
}

const accesses = new WeakMap<Host, FeatureAccess>()

export function accessOf(host: Host): FeatureAccess {
  const access = accesses.get(host)
  if (access === undefined) throw new Error('the host belongs to another runtime')
  return access
}

/** `routes` are those of the features. */
export function hostOf(
  bindings: Bindings,
  settings: Settings,
  holder: WorkspaceAccess,
  routes: readonly RouteSet[],
): Host {
  const host = createHost(bindings, settings, holder, routes)
  accesses.set(host, { bindings, home: holder.home, quota: holder.quota })
  return host
}

function createHost(
  bindings: Bindings,
  { isLocal, allowHosts, startedWith }: Settings,
  holder: WorkspaceAccess,
  routes: readonly RouteSet[],
): Host {
  const { PAYMENTS_SANDBOX_OPERATOR_TOKEN: operatorToken } = bindings
  return {
    version: manifest.version,
    isAdmin(token) {
      if (isLocal) return true
      if (token === null) return false
      const tokenHash = holder.tokenHash()
      return isSame(token, operatorToken) || (tokenHash !== null && sameSecret(sha256Hex(token), tokenHash))
    },
    rotateAdminToken() {
      if (holder.tokenHash() === null) throw new ApiError('CONFLICT', { reason: 'no_admin_token' }, noOwnToken)
      const token = generateAdminToken()
      holder.storeTokenHash(sha256Hex(token))
      return token
    },
    loopback: isLocal,
    allowHosts,
    baseUrl: () => holder.home().origin,
    hostingDetails: () => holder.quota()?.describe(),
    maxSnapshotBytes: bodyLimits.snapshotBytes,
    workspace: (name) => (holder.workspace()?.name === name ? holder.workspace() : undefined),
    ...neighbors(bindings, isLocal, () => isLocal || holder.workspace()?.name === 'default'),
    startedWith,
    routes,
    ...scenarioTexts,
    asset: bundledPage,
  }
}

const noOwnToken =
  'This workspace has no separate admin token; the operator can change the secret PAYMENTS_SANDBOX_OPERATOR_TOKEN of the deployment.'

/** Builds the environment of a call for the app. */
export const envOf = (request: Request, rawTarget: string, disconnect = () => {}): Env => ({
  ip: addressOfCaller(request),
  rawTarget,
  disconnect,
  onDisconnect: (listener) => {
    request.signal.addEventListener('abort', listener, { once: true })
    return () => request.signal.removeEventListener('abort', listener)
  },
})

const isSame = (token: string, secret: string | undefined) =>
  secret !== undefined && secret !== '' && sameSecret(token, secret)

type WorkspaceDirectory = Pick<Host, 'workspaceNames' | 'createWorkspace' | 'deleteWorkspace'>

/** Only the operator's workspace `default` can list, create and delete other workspaces. */
function neighbors(bindings: Bindings, isLocal: boolean, isOperators: () => boolean): WorkspaceDirectory {
  const directory = () => {
    if (isOperators()) return directoryOf(bindings)
    throw new ApiError('NOT_FOUND', {}, 'Only the operator can create and delete workspaces.')
  }
  return {
    workspaceNames: async (after, most) => directory().names(after, most),
    async createWorkspace(name) {
      requireName(name)
      const added = name === 'default' ? 'taken' : await directory().add(name)
      if (added === 'taken') throw nameTakenError(name)
      if (added === 'full') throw workspaceLimitError(maxWorkspaces)
      const token = isLocal ? null : generateAdminToken()
      try {
        const workspace = await bindings.WORKSPACES.getByName(name).createWorkspace(
          name,
          token === null ? null : sha256Hex(token),
        )
        return token === null ? workspace : { ...workspace, admin_token: token }
      } catch (error) {
        await directory().remove(name)
        throw error
      }
    },
    async deleteWorkspace(name) {
      requireDeletable(name)
      if (!(await directory().remove(name))) throw unknownWorkspaceError(name)
      await bindings.WORKSPACES.getByName(name).deleteWorkspace()
    },
  }
}
