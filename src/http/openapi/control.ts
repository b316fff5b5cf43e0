/** The control API in the document: an operation for each of its routes. */
import * as z from 'zod'
import type { AdminRoute } from '../control/route.js'
import { jsonSchema } from './json-schema.js'
import type { Operation, Parameter, PathItem } from './types.js'

/** Only what is no JSON object by itself needs a word. */
const answerTypes: Record<string, string> = {
  '/_sandbox/docs': 'text/html',
  '/_sandbox/docs.css': 'text/css',
  '/_sandbox/docs.js': 'text/javascript',
  '/_sandbox/stream': 'text/event-stream',
}

/** `/_sandbox/accounts/:username` becomes `/_sandbox/accounts/{username}`. */
export const templateOf = (path: string) => path.replace(/:([a-z_]+)/g, '{$1}')

export function controlPaths(routes: readonly AdminRoute[]): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {}
  for (const route of routes) {
    if (!route.path.startsWith('/_sandbox')) continue
    const path = templateOf(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}

function operationOf(route: AdminRoute): Operation {
  const parameters = [...pathParameters(route.path), ...queryParameters(route.queryNames ?? [])]
  return {
    operationId: operationIdOf(route),
    tags: ['Control API'],
    summary: route.title,
    security: [{}, { adminToken: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(route),
    responses: {
      '200': {
        description: route.title,
        content: { [answerTypes[route.path] ?? 'application/json']: { schema: answerSchema(route) } },
      },
      '4XX': { $ref: '#/components/responses/ControlError' },
      '5XX': { $ref: '#/components/responses/ControlFault' },
    },
  }
}

const answerSchema = ({ path }: AdminRoute) =>
  answerTypes[path] === undefined ? { type: 'object' } : { type: 'string' }

/** `GET /_sandbox/accounts/:username` becomes `sandboxGetAccountsByUsername`. */
function operationIdOf({ method, path }: AdminRoute): string {
  const words = path
    .replace('/_sandbox', '')
    .replaceAll(':', 'by/')
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  return ['sandbox', method.toLowerCase(), ...words]
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
}

const pathParameters = (path: string): Parameter[] =>
  [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const queryParameters = (names: readonly string[]): Parameter[] =>
  names.map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } }))

function bodyOf(route: AdminRoute): Pick<Operation, 'requestBody'> {
  if (route.describeBody !== undefined) {
    const schema = jsonSchema(route.describeBody(), 'input', 'Sandbox')
    return { requestBody: { required: false, content: { 'application/json': { schema } } } }
  }
  if (route.input !== 'raw' || route.method === 'GET') return {}
  const schema = jsonSchema(z.looseObject({}), 'input', 'Sandbox')
  return { requestBody: { required: false, content: { 'application/json': { schema } } } }
}
