/** Every endpoint and control route as a target for random input, from the tables. */
import { jsonSchema } from '../../../src/http/openapi/json-schema.js'
import type { ControlRow } from '../../../src/protocol/control/route.js'
import { endpointNames, endpoints } from '../../../src/protocol/platform/endpoints.js'
import { controlRows } from '../control-rows.js'
import type { Shape } from './shapes.js'

export interface FuzzRoute {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  auth: 'bearer' | 'basic' | 'none'
  body: Shape['schema'] | null
  query: Shape['schema'] | null
  /** Whether the route returns the same page for any input, so that few inputs are enough. */
  isPage: boolean
}

/** Routes that wait, never end or play a whole month. Other tests check their inputs. */
const excluded = [
  '/stream',
  '/webhooks/wait',
  '/certify/receiver',
  '/certify/client',
  '/seed/{name}',
  '/runs/{id}/wait',
]

export const fuzzRoutes: FuzzRoute[] = [
  ...endpointNames.map((name): FuzzRoute => {
    const { method, path, auth, input, request } = endpoints[name]
    const schema = jsonSchema(request(), 'input', 'Api')
    return {
      ...{ name, method, path, auth, isPage: false },
      body: method === 'POST' ? schema : null,
      query: input === 'query' ? schema : null,
    }
  }),
  ...Object.entries<ControlRow>(controlRows)
    .filter(([, { path }]) => !excluded.includes(path))
    .map(
      ([name, { method, path, body, query, rawBodyTypes, mediaType: media }]): FuzzRoute => ({
        ...{ name, method, path: `/_sandbox${path}`, auth: 'none' },
        isPage: media !== undefined && !path.includes('{'),
        body: body !== undefined ? jsonSchema(body(), 'input', 'Sandbox') : rawBodyTypes === undefined ? null : {},
        query: query === undefined ? null : jsonSchema(query(), 'input', 'Sandbox'),
      }),
    ),
]
