/** What the app asks of the object that it runs in: one workspace, and the others through the directory. */

import manifest from '../../../package.json' with { type: 'json' }
import { sameSecret, sha256Hex, systemRandom } from '../../base/crypto.js'
import { randomText } from '../../base/ids.js'
import { requireName } from '../../core/unit/names.js'
import type { Workspace } from '../../core/unit/workspace.js'
import { limitReached, nameTaken, noSuchWorkspace, requireDeletable } from '../../core/workspace/refusals.js'
import type { Env, Host } from '../../http/host.js'
import type { Hosted } from '../../protocol/control/state.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import { makeToken } from '../shared/admin-token.js'
import { scenarioTexts } from '../shared/scenario-text.js'
import { type Bindings, directoryOf, type Home } from './bindings.js'
import { maxWorkspaces } from './directory-object.js'
import { bundledPage } from './pages.js'
import type { Settings } from './settings.js'
import { addressOfCaller } from './strangers.js'

interface Holder {
  workspace: () => Workspace | undefined
  tokenHash: () => string | null
  keepTokenHash: (hash: string) => void
  home: () => Home
  hosted: () => Hosted | undefined
  /** 429 RATE_LIMIT_EXCEEDED where it has had as many as it may. */
  admitCertification: () => void
}

export function hostOf(bindings: Bindings, { isLocal, allowHosts }: Settings, holder: Holder): Host {
  const { PAYMENTS_SANDBOX_OPERATOR_TOKEN: operatorToken } = bindings
  return {
    version: manifest.version,
    isAdmin(token) {
      if (isLocal) return true
      if (token === null) return false
      const own = holder.tokenHash()
      return isSame(token, operatorToken) || (own !== null && sameSecret(sha256Hex(token), own))
    },
    rotateAdminToken() {
      if (holder.tokenHash() === null)
        throw new ApiError('CONFLICT', { reason: 'no_admin_token' }, { message: noOwnToken })
      const token = makeToken()
      holder.keepTokenHash(sha256Hex(token))
      return token
    },
    loopback: isLocal,
    allowHosts,
    baseUrl: () => holder.home().origin,
    hosted: holder.hosted,
    maxSnapshotBytes: bodyLimits.snapshotBytes,
    workspace: (name) => (holder.workspace()?.name === name ? holder.workspace() : undefined),
    ...neighbours(bindings, isLocal, () => isLocal || holder.workspace()?.name === 'default'),
    certifyReceiver: async (config, options, { onRule, isOver }) => {
      holder.admitCertification()
      return bindings.CERTIFICATIONS.getByName(randomText(systemRandom().stream('certification'), 40)).certify(
        holder.home(),
        config,
        options,
        async (rule) => {
          onRule(rule)
          return !isOver()
        },
      )
    },
    ...scenarioTexts,
    asset: bundledPage,
  }
}

const noOwnToken =
  'This workspace has no admin token of its own: the operator changes the secret PAYMENTS_SANDBOX_OPERATOR_TOKEN of the deployment.'

/** What the app is told of a call. */
export const envOf = (request: Request, rawTarget: string, disconnect = () => {}): Env => ({
  ip: addressOfCaller(request),
  rawTarget,
  disconnect,
  whenGone: (listener) => {
    request.signal.addEventListener('abort', listener, { once: true })
    return () => request.signal.removeEventListener('abort', listener)
  },
})

const isSame = (token: string, secret: string | undefined) =>
  secret !== undefined && secret !== '' && sameSecret(token, secret)

type Neighbours = Pick<Host, 'workspaceNames' | 'createWorkspace' | 'dropWorkspace'>

/** The default workspace is the operator's: others hear of none but themselves. */
function neighbours(bindings: Bindings, isLocal: boolean, isOperators: () => boolean): Neighbours {
  const directory = () => {
    if (isOperators()) return directoryOf(bindings)
    throw new ApiError('NOT_FOUND', {}, { message: 'Workspaces are made and dropped by the operator alone.' })
  }
  return {
    workspaceNames: async (after, most) => directory().names(after, most),
    async createWorkspace(name) {
      requireName(name)
      const added = name === 'default' ? 'taken' : await directory().add(name)
      if (added === 'taken') throw nameTaken(name)
      if (added === 'full') throw limitReached(maxWorkspaces)
      const token = isLocal ? null : makeToken()
      try {
        const made = await bindings.WORKSPACES.getByName(name).make(name, token === null ? null : sha256Hex(token))
        return token === null ? made : { ...made, admin_token: token }
      } catch (error) {
        await directory().remove(name)
        throw error
      }
    },
    async dropWorkspace(name) {
      requireDeletable(name)
      if (!(await directory().remove(name))) throw noSuchWorkspace(name)
      await bindings.WORKSPACES.getByName(name).drop()
    },
  }
}
