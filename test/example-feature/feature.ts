/** An example of a feature: the largest charges, as a route, a command and a page. Copied to src/features/largest, it works. */
import type { Feature } from '../../src/feature.js'
import { largestRouteSet } from './routes.js'

export const largest: Feature = {
  routes: [largestRouteSet],
  commands: {
    largest: {
      group: 'Inspect what happened',
      short: 'largest charges',
      summary: 'list the largest charges of each currency',
      load: () => import('./command.js'),
    },
  },
}
