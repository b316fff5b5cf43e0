/** The module that the runtime loads: the entry point, and the classes of the Durable Objects. */
import { features } from '../../features/workers.js'
import type { Bindings } from './bindings.js'
import { entryPointOf } from './entry-point.js'
import type { ObjectState } from './runtime.js'
import { SandboxObject } from './workspace-object.js'

export * from '../../features/objects.js'
export { DirectoryObject } from './directory-object.js'

const routes = features.flatMap((one) => one.routes ?? [])

export class WorkspaceObject extends SandboxObject {
  constructor(state: ObjectState, bindings: Bindings) {
    super(state, bindings, routes)
  }
}

export default {
  fetch: (request: Request, bindings: Bindings): Promise<Response> => entryPointOf(bindings)(request),
}
