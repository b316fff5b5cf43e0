/** The features of a deployment on Durable Objects: their routes. Commands run on other machines. */

import type { Feature } from '../feature.js'
import { certifyRouteSet } from './certify/routes.js'
import { certifyInObject } from './certify/workers-object.js'
import { compareRouteSet } from './compare/routes.js'
import { mcpRouteSet } from './mcp/routes.js'

export const features: readonly Feature[] = [
  { routes: [certifyRouteSet(certifyInObject), compareRouteSet, mcpRouteSet] },
]
