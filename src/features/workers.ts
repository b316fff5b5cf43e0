/** The features of a deployment on Durable Objects: their routes. Commands run on other machines. */

import type { Feature } from '../feature.js'
import { certifyInObjects } from './certify/workers-object.js'
import { compareRouteSet } from './compare/routes.js'
import { mcpRouteSet } from './mcp/routes.js'

export const features: readonly Feature[] = [{ routes: [certifyInObjects, compareRouteSet, mcpRouteSet] }]
