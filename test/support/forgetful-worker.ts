/** The worker with an extra header that makes an object lose its memory, as if it had slept. */
import { WorkspaceObject as Kept } from '../../src/runtime/workers/worker.js'

export * from '../../src/runtime/workers/worker.js'
export { default } from '../../src/runtime/workers/worker.js'

const forget = 'x-forget'

export class WorkspaceObject extends Kept {
  override async fetch(request: Request): Promise<Response> {
    if (!request.headers.has(forget)) return super.fetch(request)
    // The runtime has `abort`, but our types do not declare it.
    const state = this.ctx as unknown as { abort(reason: string): void }
    state.abort('put to sleep')
    throw new Error('the object was not aborted')
  }
}
