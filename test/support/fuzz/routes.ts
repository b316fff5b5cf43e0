/** Every endpoint and every control route as something to be called with anything: from the tables. */
import { jsonSchema } from '../../../src/http/openapi/json-schema.js'
import { controlRoutes } from '../../../src/protocol/control/index.js'
import type { ControlRow } from '../../../src/protocol/control/route.js'
import { endpointNames, endpoints } from '../../../src/protocol/platform/endpoints.js'
import type { Shape } from './shapes.js'

export interface FuzzRoute {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  auth: 'bearer' | 'basic' | 'none'
  body: Shape['schema'] | null
  query: Shape['schema'] | null
  /** The same text for everybody, whatever is asked: there is little to try, and much to send. */
  isPage: boolean
}

/** Those that wait for what does not come, go on for ever, or play a whole month: their inputs are tried by tests of their own. */
const left = ['/stream', '/webhooks/wait', '/certify/receiver', '/certify/client', '/seed/{name}', '/runs/{id}/wait']

export const fuzzRoutes: FuzzRoute[] = [
  ...endpointNames.map((name): FuzzRoute => {
    const { method, path, auth, input, request } = endpoints[name]
    const schema = jsonSchema(request, 'input', 'Api')
    return {
      ...{ name, method, path, auth, isPage: false },
      body: method === 'POST' ? schema : null,
      query: input === 'query' ? schema : null,
    }
  }),
  ...Object.entries<ControlRow>(controlRoutes)
    .filter(([, { path }]) => !left.includes(path))
    .map(
      ([name, { method, path, body, query, rawBodyTypes, mediaType: media }]): FuzzRoute => ({
        ...{ name, method, path: `/_sandbox${path}`, auth: 'none' },
        isPage: media !== undefined && !path.includes('{'),
        body: body !== undefined ? jsonSchema(body(), 'input', 'Sandbox') : rawBodyTypes === undefined ? null : {},
        query: query === undefined ? null : jsonSchema(query(), 'input', 'Sandbox'),
      }),
    ),
]
