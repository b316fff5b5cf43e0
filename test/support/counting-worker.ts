/** The worker with an extra header that makes an object report how many alarms it has had. */
import { WorkspaceObject as Uncounted } from '../../src/runtime/workers/worker.js'

export * from '../../src/runtime/workers/worker.js'
export { default } from '../../src/runtime/workers/worker.js'

export class WorkspaceObject extends Uncounted {
  #alarms = 0

  override async fetch(request: Request): Promise<Response> {
    return request.headers.has('x-alarms') ? new Response(String(this.#alarms)) : super.fetch(request)
  }

  override async alarm(): Promise<void> {
    this.#alarms++
    await super.alarm()
  }
}
