/** The calls that a scenario can intercept, as named in `on.operation`. */

import { type OperationName, operationNames } from '../platform/endpoints/row.js'
import { type EndpointName, endpointNames, endpoints } from '../platform/endpoints.js'

type RouteOf<Name extends EndpointName> = Name extends EndpointName
  ? `${(typeof endpoints)[Name]['method']} ${(typeof endpoints)[Name]['path']}`
  : never
/** An operation, or a route of the API. */
export type CallName = OperationName | RouteOf<EndpointName>

export function routeOf<Name extends EndpointName>(name: Name): RouteOf<Name> {
  const { method, path } = endpoints[name]
  // TypeScript widens the template to a string.
  return `${method} ${path}` as RouteOf<Name>
}

export const callNames: readonly CallName[] = [...operationNames, ...endpointNames.map(routeOf)]
