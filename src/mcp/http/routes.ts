/** Handler of the route for agents. The server is loaded with the first message, since most sandboxes receive none. */
import type { Handlers } from '../../http/control/routes.js'
import type { mcpRoutes } from '../protocol/routes.js'

export const mcpHandlers: Handlers<typeof mcpRoutes> = {
  callMcp: async (call) => (await import('./serve.js')).serve(call),
}
