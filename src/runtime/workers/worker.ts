/** The module that the runtime loads: the entry point, and the classes of the Durable Objects. */
import type { Bindings } from './bindings.js'
import { entryPointOf } from './entry-point.js'

export { CertificationObject } from '../../certify/runtime/workers.js'
export { DirectoryObject } from './directory-object.js'
export { WorkspaceObject } from './workspace-object.js'

export default {
  fetch: (request: Request, bindings: Bindings): Promise<Response> => entryPointOf(bindings)(request),
}
