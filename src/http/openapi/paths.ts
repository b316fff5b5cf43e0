/** The platform API in the document: an operation for each endpoint, and the error body (interface.md §7). */

import { mapRows, tableOf } from '../../base/keys.js'
import { capitalized } from '../../base/text.js'
import {
  type Endpoint,
  type EndpointName,
  endpointNames,
  endpoints,
  errorsOf,
  isStatusDocumented,
} from '../../protocol/platform/endpoints.js'
import {
  type ErrorCode,
  type ErrorForm,
  type ErrorRow,
  errorBody,
  errorCatalogue,
  errorCodes,
} from '../../protocol/platform/errors.js'
import { requestHeaders, responseHeaders } from '../../protocol/platform/headers.js'
import {
  type Answer,
  type Example,
  jsonSchema,
  type Media,
  markAssumed,
  type Operation,
  type Parameter,
  type PathItem,
  type Schema,
} from './json-schema.js'

export const controlCodes = {
  '4XX': [
    'INVALID_JSON',
    'MISSING_REQUIRED_FIELD',
    'UNAUTHORIZED',
    'FORBIDDEN_ORIGIN',
    'NOT_FOUND',
    'METHOD_NOT_ALLOWED',
    'WAIT_TIMEOUT',
    'INVALID_TRANSITION',
    'CONFLICT',
    'RATE_LIMIT_EXCEEDED',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_CONTENT_TYPE',
    'INVALID_VALUE',
  ],
  '5XX': ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'INBOX_FULL'],
} as const satisfies Record<string, readonly ErrorCode[]>

const isAssumed = (code: ErrorCode) => errorCatalogue[code].basis === 'assumed'

const usualForm: ErrorForm = (row) => row

/** `form`: the groups of the settings. The control API uses the groups of the table, too. */
export function errorSchemas(form = usualForm): Record<string, Schema & Record<`x-${string}`, unknown>> {
  return {
    ErrorCode: {
      type: 'string',
      description: 'Code of the error. The platform does not document the codes that are listed in `x-assumed-values`.',
      enum: errorCodes,
      'x-assumed-values': errorCodes.filter(isAssumed),
    },
    Error: {
      type: 'object',
      description: 'The body of every error response.',
      required: ['success', 'error'],
      properties: {
        success: { type: 'boolean', const: false },
        error: {
          type: 'object',
          required: ['code', 'message', 'group', 'retryable', 'details'],
          properties: {
            code: { $ref: '#/components/schemas/ErrorCode' },
            message: { type: 'string', description: 'Description of the code. The text may change.' },
            group: {
              type: 'string',
              description: 'Group of the code.',
              enum: [...new Set(errorRows().flatMap((row) => [form(row).group, row.group]))],
              'x-assumed': true,
            },
            retryable: { type: 'boolean', description: 'Whether the same call can succeed later.' },
            details: { type: 'object', description: 'Fields that depend on the code.' },
          },
        },
      },
    },
  }
}

const errorRows = () =>
  errorCodes.map((code) => {
    const { group, retryable }: ErrorRow = errorCatalogue[code]
    return { code, group, retryable: retryable === true }
  })

export function errorExamples(form = usualForm): Record<string, Example> {
  return tableOf(errorCodes, (code) => {
    const { status, message, example = {} }: ErrorRow = errorCatalogue[code]
    const value = errorBody({ status, code, message, details: example }, form)
    return { summary: message, value, ...markAssumed(isAssumed(code)) }
  })
}

/** Error responses of an operation with these codes, by status. A status gets `x-assumed` if all its codes are assumed. */
function errorAnswers(codes: readonly ErrorCode[]): Record<string, Answer> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = errorCatalogue[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(statuses.map(([status, found]) => [String(status), errorAnswer(found)]))
}

export const errorMedia = (codes: readonly ErrorCode[]): Media => ({
  schema: { $ref: '#/components/schemas/Error' },
  examples: tableOf(codes, (code) => ({ $ref: `#/components/examples/${code}` })),
})

export const errorResponse = (description: string, codes: readonly ErrorCode[]): Answer => ({
  description,
  content: { 'application/json': errorMedia(codes) },
})

const withRetryAfter: readonly ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'IP_BLOCKED_TEMPORARILY']

const headerRefs = (...names: readonly string[]): NonNullable<Answer['headers']> =>
  tableOf(names, (name) => ({ $ref: `#/components/headers/${name}` }))

function errorAnswer(codes: readonly ErrorCode[]): Answer {
  return {
    ...errorResponse(codes.join(', '), codes),
    headers: headerRefs(
      responseHeaders.requestId,
      ...(codes.some((code) => withRetryAfter.includes(code)) ? [responseHeaders.retryAfter] : []),
    ),
    ...markAssumed(codes.every(isAssumed)),
  }
}

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
          properties: mapRows(properties, (field, name) =>
            required.includes(name) ? withNulls(field) : orNull(withNulls(field)),
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
    ...markAssumed(endpoint.basis === 'assumed'),
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
    ...markAssumed(assumed === true),
  }))
}

export const exampleRequestId = 'req_0000003gm78esk57zrna'

function successOf(name: EndpointName, endpoint: Endpoint): Answer {
  const data = endpoint.answer
  const plain = endpoint.auth === 'basic'
  const value = plain
    ? data
    : { success: true, data, request_id: exampleRequestId, timestamp: '2026-11-21T15:00:00.000Z' }
  return {
    description: endpoint.title,
    headers: headerRefs(responseHeaders.requestId),
    content: {
      'application/json': {
        schema: plain ? ref(responseSchemaName(name)) : envelopeOf(ref(responseSchemaName(name))),
        examples: { success: { summary: endpoint.title, value } },
      },
    },
    ...markAssumed(!isStatusDocumented(name)),
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
