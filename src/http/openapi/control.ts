/** The control API in the document: one operation for each row, with schemas for its input and output. */
import type * as z from 'zod'
import { isKeyOf, mapRows } from '../../base/keys.js'
import { controlRoutes } from '../../protocol/control/index.js'
import type { ControlRow } from '../../protocol/control/route.js'
import type { RouteSet } from '../host.js'
import { type Answer, jsonSchema, type Operation, type Parameter, type PathItem, type Schema } from './json-schema.js'
import { controlCodes, errorMedia, errorResponse, queryParametersIn } from './paths.js'

const rowsOf = (features: readonly RouteSet[]): [string, ControlRow][] =>
  [controlRoutes, ...features.map(({ rows }) => rows)].flatMap((rows) => Object.entries<ControlRow>(rows))

type Direction = 'input' | 'output'
type Named = Record<string, Schema>

export function controlPaths(features: readonly RouteSet[]): { paths: Record<string, PathItem>; schemas: Named } {
  const paths: Record<string, PathItem> = {}
  const schemas: Named = {}
  for (const [name, row] of rowsOf(features)) {
    const path = `/_sandbox${row.path}`
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(name, row, schemas) }
  }
  return { paths, schemas }
}

function operationOf(name: string, row: ControlRow, shared: Named): Operation {
  const parameters = [...pathParameters(row, shared), ...queryParameters(row, shared)]
  return {
    operationId: name,
    tags: ['Control API'],
    summary: row.summary,
    security: [{}, { adminToken: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(row, shared),
    responses: {
      ...successOf(row, shared),
      '4XX': refusalOf(row),
      '5XX': { $ref: '#/components/responses/ControlFault' },
      ...furtherAnswers(row, shared),
    },
  }
}

function successOf(row: ControlRow, shared: Named): Record<string, Answer> {
  if (row.mediaType !== undefined)
    return { 200: { description: row.summary, content: { [row.mediaType]: { schema: { type: 'string' } } } } }
  if (row.answer === undefined) return row.otherStatuses === undefined ? { 204: { description: 'Done.' } } : {}
  const schema = schemaWithRefs(row.answer(), 'output', shared)
  const texts = (row.alsoMedia ?? []).map((media) => [media, { schema: { type: 'string' } }] as const)
  const content = { 'application/json': { schema }, ...Object.fromEntries(texts) }
  return { 200: { description: row.summary, content } }
}

const refusalOf = ({ errors }: ControlRow): Answer =>
  errors === undefined
    ? { $ref: '#/components/responses/ControlError' }
    : errorResponse('The request cannot be processed.', [...controlCodes['4XX'], ...errors])

/** Further responses of a row, by status. If errors have the same status, the body may also be an error. */
function furtherAnswers(
  { otherStatuses: also = {}, otherResponse: alsoAnswer }: ControlRow,
  shared: Named,
): Record<string, Answer> {
  const alsoSchema = alsoAnswer === undefined ? null : schemaWithRefs(alsoAnswer(), 'output', shared)
  const mediaOf = (status: string) => {
    if (alsoSchema === null) return {}
    const codes = isKeyOf(controlCodes, status) ? controlCodes[status] : []
    const { schema: error, examples } = errorMedia(codes)
    const media =
      codes.length === 0
        ? { schema: alsoSchema }
        : { schema: { anyOf: [alsoSchema, error] }, ...(examples && { examples }) }
    return { content: { 'application/json': media } }
  }
  return mapRows(also, (description, status) => ({ description, ...mediaOf(status) }))
}

function bodyOf(row: ControlRow, shared: Named): Pick<Operation, 'requestBody'> {
  const example = row.example === undefined ? {} : { examples: { example: { value: row.example } } }
  if (row.rawBodyTypes === 'any') return {}
  const types = row.rawBodyTypes ?? ['application/json']
  if (row.body === undefined) return {}
  const schema = schemaWithRefs(row.body(), 'input', shared)
  const content = Object.fromEntries(types.map((type) => [type, { schema, ...example }]))
  return { requestBody: { required: (schema.required ?? []).length > 0, content } }
}

/** Returns JSON Schema in which named types refer to components. */
function schemaWithRefs(type: z.ZodType, direction: Direction, shared: Named): Schema {
  const { $defs = {}, ...schema } = jsonSchema(type, direction, 'Sandbox') as Schema & { $defs?: Named }
  for (const [name, definition] of Object.entries($defs)) shared[`Sandbox${name}`] = withSandboxRefs(definition)
  return withSandboxRefs(schema)
}

const withSandboxRefs = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/Sandbox'))

function pathParameters(row: ControlRow, shared: Named): Parameter[] {
  const known = row.params === undefined ? {} : (schemaWithRefs(row.params(), 'input', shared).properties ?? {})
  return [...row.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: known[name] ?? { type: 'string' },
  }))
}

function queryParameters(row: ControlRow, shared: Named): Parameter[] {
  return row.query === undefined ? [] : queryParametersIn(schemaWithRefs(row.query(), 'input', shared))
}
