/** What the runtime starts: the door, and the classes of the objects. */
import type { Bindings } from './bindings.js'
import { doorOf } from './door.js'

export { CertificationObject } from '../../certify/runtime/workers.js'
export { DirectoryObject } from './directory-object.js'
export { WorkspaceObject } from './workspace-object.js'

export default {
  fetch: (request: Request, bindings: Bindings): Promise<Response> => doorOf(bindings)(request),
}
