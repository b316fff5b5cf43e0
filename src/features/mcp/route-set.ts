/** The route for agents with its server, which loads with the first message: most sandboxes receive none. */
import { routeSet } from '../../inside/handlers.js'
import { mcpRoutes } from './routes.js'

export const mcpRouteSet = routeSet(mcpRoutes, async () => {
  const { serve } = await import('./serve.js')
  return { callMcp: serve }
})
