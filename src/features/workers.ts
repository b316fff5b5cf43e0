/** The features of a deployment on Durable Objects: their routes and objects. Commands run on other machines. */

import { certifyRouteSet } from '../certify/http/routes.js'
import { certifyInObject } from '../certify/runtime/binding.js'
import { compareRouteSet } from '../compare/http/routes.js'
import type { Feature } from '../feature.js'
import { mcpRouteSet } from '../mcp/http/routes.js'

export { CertificationObject } from '../certify/runtime/workers.js'

export const features: readonly Feature[] = [
  { routes: [certifyRouteSet(certifyInObject), compareRouteSet, mcpRouteSet] },
]
