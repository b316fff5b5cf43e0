/** The route of a comparison with its handler, which loads with the first recording: most sandboxes never compare. */
import { routeSet } from '../../inside/handlers.js'
import { compareRoutes } from './routes.js'

export const compareRouteSet = routeSet(compareRoutes, async () => (await import('./handlers.js')).compareHandlers)
