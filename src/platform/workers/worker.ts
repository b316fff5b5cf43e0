/** The door of a deployment: each call goes to the object of its workspace. */
import { isName } from '../../core/workspace/names.js'
import { addressOf } from '../../http/address.js'
import { errorAnswer, toResponse } from '../../http/answer.js'
import { ApiError } from '../../protocol/api/errors.js'
import type { Bindings } from './bindings.js'
import { settingsOf } from './settings.js'
import { withWholeBody } from './whole-body.js'

export { CertificationObject } from './certification-object.js'
export { DirectoryObject } from './directory-object.js'
export { WorkspaceObject } from './workspace-object.js'

export default {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    const closed = whyClosed(bindings)
    if (closed !== null) {
      const error = new ApiError('SERVICE_UNAVAILABLE', { reason: closed }, { message: closed })
      return withWholeBody(request, async () => toResponse(errorAnswer(error), 'req_0'))
    }
    const { origin } = new URL(request.url)
    const { workspace } = addressOf(request, request.url.slice(origin.length))
    // What is no name is told so by the default one.
    return bindings.WORKSPACES.getByName(isName(workspace) ? workspace : 'default').fetch(request)
  },
}

/** null: open. */
function whyClosed(bindings: Bindings): string | null {
  try {
    if (settingsOf(bindings).isLocal || bindings.PAYMENTS_SANDBOX_OPERATOR_TOKEN) return null
    return 'This deployment has no operator token: set the secret PAYMENTS_SANDBOX_OPERATOR_TOKEN.'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
