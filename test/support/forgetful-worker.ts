/** The deployment as it is, but for a header that makes an object lose all that it has in memory, as if it had been put to sleep. */
import { WorkspaceObject as Kept } from '../../src/runtime/workers/workspace-object.js'

export * from '../../src/runtime/workers/worker.js'
export { default } from '../../src/runtime/workers/worker.js'

const forget = 'x-forget'

export class WorkspaceObject extends Kept {
  override async fetch(request: Request): Promise<Response> {
    if (!request.headers.has(forget)) return super.fetch(request)
    // The runtime offers it; nobody else here needs it.
    const state = this.ctx as unknown as { abort(reason: string): void }
    state.abort('put to sleep')
    throw new Error('it was to be gone')
  }
}
