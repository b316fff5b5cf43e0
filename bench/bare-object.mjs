/** The yardstick under workerd: a Durable Object that parses a JSON body and responds, behind a Worker as in the sandbox. */
import { DurableObject } from 'cloudflare:workers'

export class WorkspaceObject extends DurableObject {
  async fetch(request) {
    const { amount, currency } = await request.json()
    const data = { amount, currency }
    return Response.json({ success: true, data, request_id: 'req_0', timestamp: '2026-01-01T00:00:00.000Z' })
  }
}
export class DirectoryObject extends DurableObject {}
export class CertificationObject extends DurableObject {}

export default { fetch: (request, { WORKSPACES }) => WORKSPACES.getByName('default').fetch(request) }
