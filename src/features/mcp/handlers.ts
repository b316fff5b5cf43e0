/** The route for agents. The server is loaded with the first message, since most sandboxes receive none. */
import { routeSet } from '../../http/control/routes.js'
import { mcpRoutes } from './routes.js'

export const mcpRouteSet = routeSet(mcpRoutes, {
  callMcp: async (call) => (await import('./serve.js')).serve(call),
})
