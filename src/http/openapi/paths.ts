/** The platform API in the document: one operation for each endpoint. */

import { capitalized } from '../../base/text.js'
import {
  type Endpoint,
  type EndpointName,
  endpointNames,
  endpoints,
  errorsOf,
  isStatusDocumented,
} from '../../protocol/platform/endpoints.js'
import { requestHeaders, responseHeaders } from '../../protocol/platform/headers.js'
import { errorAnswers, headerRefs } from './errors.js'
import { type Answer, jsonSchema, type Operation, type Parameter, type PathItem, type Schema } from './json-schema.js'

export const requestSchemaName = (name: EndpointName) => `${capitalized(name)}Request`
export const responseSchemaName = (name: EndpointName) => capitalized(name)
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** Schemas of request bodies, and of the `data` of every answer. */
export function endpointSchemas(): Record<string, Schema> {
  const schemas: Record<string, Schema> = {}
  for (const name of endpointNames) {
    const endpoint: Endpoint = endpoints[name]
    if (endpoint.input === 'json' || endpoint.input === 'multipart') {
      const request = jsonSchema(endpoint.request(), 'input', requestSchemaName(name))
      schemas[requestSchemaName(name)] = endpoint.input === 'json' ? withNulls(request) : request
    }
    schemas[responseSchemaName(name)] = jsonSchema(endpoint.response(), 'output', responseSchemaName(name))
  }
  return schemas
}

/** In a body, null stands for a missing field (assumptions.md decision 34), so every optional field may be null. */
function withNulls(schema: Schema): Schema {
  const { properties, items, required = [] } = schema
  const orNull = ({ type = [], enum: values, ...field }: Schema): Schema => ({
    ...field,
    type: [type, 'null'].flat(),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  })
  return {
    ...schema,
    ...(items === undefined ? {} : { items: withNulls(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => {
              const inner = withNulls(field)
              return [name, required.includes(name) ? inner : orNull(inner)]
            }),
          ),
        }),
  }
}

export function endpointPaths(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {}
  for (const name of endpointNames) {
    const { method, path } = endpoints[name]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(name, endpoints[name]) }
  }
  return paths
}

function operationOf(name: EndpointName, endpoint: Endpoint): Operation {
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.title,
    description: endpoint.about,
    ...(endpoint.basis === 'assumed' ? { 'x-assumed': true } : {}),
    security: [securityOf(endpoint)],
    ...requestOf(name, endpoint),
    parameters: [...parametersOf(name, endpoint), ...sandboxHeaders(endpoint)],
    responses: { [String(endpoint.status)]: successOf(name, endpoint), ...errorAnswers(errorsOf(endpoint)) },
  }
}

function securityOf({ auth, hmac }: Endpoint): Record<string, string[]> {
  if (auth === 'basic') return { basic: [] }
  return hmac === true ? { bearer: [], signature: [], signatureTimestamp: [], signatureNonce: [] } : { bearer: [] }
}

function requestOf(name: EndpointName, endpoint: Endpoint): Pick<Operation, 'requestBody'> {
  if (endpoint.input !== 'json' && endpoint.input !== 'multipart') return {}
  const { examples } = endpoint
  const type = endpoint.input === 'json' ? 'application/json' : 'multipart/form-data'
  return { requestBody: { required: true, content: { [type]: { schema: ref(requestSchemaName(name)), examples } } } }
}

function parametersOf(name: EndpointName, endpoint: Endpoint): Parameter[] {
  if (endpoint.input !== 'query') return []
  const [example] = Object.values(endpoint.examples)
  return queryParametersIn(jsonSchema(endpoint.request(), 'input', requestSchemaName(name)), example?.value)
}

/** The headers that the sandbox adds to each call (assumptions.md decision 46). */
const sandboxHeaders = (endpoint: Endpoint): Parameter[] => [
  {
    name: requestHeaders.scenario,
    in: 'header',
    description: 'Not part of the platform API: applies the scenario with this name to this call.',
    required: false,
    schema: { type: 'string' },
  },
  {
    name: requestHeaders.error,
    in: 'header',
    description: 'Not part of the platform API: answers this call with this error once the call has been validated.',
    required: false,
    schema: { type: 'string', enum: errorsOf(endpoint) },
  },
]

export function queryParametersIn(
  { properties = {}, required = [] }: Schema,
  example: Readonly<Record<string, unknown>> = {},
): Parameter[] {
  return Object.entries(properties).map(([field, { description, 'x-assumed': assumed, ...schema }]) => ({
    name: field,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    required: required.includes(field),
    schema,
    ...(example[field] === undefined ? {} : { example: example[field] }),
    ...(assumed === true ? { 'x-assumed': true } : {}),
  }))
}

const requestId = 'req_0000003gm78esk57zrna'

function successOf(name: EndpointName, endpoint: Endpoint): Answer {
  const data = endpoint.answer
  const plain = endpoint.auth === 'basic'
  const value = plain ? data : { success: true, data, request_id: requestId, timestamp: '2026-11-21T15:00:00.000Z' }
  return {
    description: endpoint.title,
    headers: headerRefs(responseHeaders.requestId),
    content: {
      'application/json': {
        schema: plain ? ref(responseSchemaName(name)) : envelopeOf(ref(responseSchemaName(name))),
        examples: { success: { summary: endpoint.title, value } },
      },
    },
    ...(isStatusDocumented(name) ? {} : { 'x-assumed': true }),
  }
}

/** The success envelope of interface.md §2.1. */
const envelopeOf = (data: Schema): Schema => ({
  type: 'object',
  required: ['success', 'data', 'request_id', 'timestamp'],
  properties: {
    success: { type: 'boolean', const: true },
    data,
    request_id: {
      type: 'string',
      description: 'Identifier of the request. Quote it when you report a problem.',
    },
    timestamp: { type: 'string', format: 'date-time', pattern: 'Z$', description: 'Time of the response, in UTC.' },
  },
})
