/** The types of the document, and zod schemas as JSON Schema, with descriptions and without internals of zod. */
import * as z from 'zod'
import { capitalized } from '../../base/text.js'
import { fieldDescriptions } from './field-descriptions.js'

/** JSON Schema 2020-12, as far as the tables need it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  additionalProperties?: boolean | Schema
  examples?: unknown[]
  'x-assumed'?: true
  /** The assumed part of a documented field. */
  'x-assumed-choice'?: string
}

export const markAssumed = (isAssumed: boolean) => (isAssumed ? ({ 'x-assumed': true } as const) : {})

export interface Example {
  $ref?: string
  summary?: string
  value?: unknown
  'x-assumed'?: true
}

export interface Media {
  schema: Schema
  examples?: Record<string, Example>
}

export interface Parameter {
  $ref?: string
  name?: string
  in?: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema?: Schema
  example?: unknown
  'x-assumed'?: true
}

export interface Answer {
  $ref?: string
  description?: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, Media>
  'x-assumed'?: true
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, Answer>
  'x-assumed'?: true
}

export type PathItem = Record<string, Operation>

export interface Components {
  schemas: Record<string, Schema>
  examples: Record<string, Example>
  headers: Record<string, { description: string; schema: Schema; example?: unknown }>
  parameters: Record<string, Parameter>
  responses: Record<string, Answer>
  securitySchemes: Record<string, Record<string, unknown>>
}

export interface Document {
  openapi: '3.1.0'
  info: Record<string, unknown> & { title: string; version: string; description: string }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, PathItem>
  webhooks: Record<string, PathItem>
  components: Components
  [extension: `x-${string}`]: unknown
}

/** Metadata for validation only, and zod's own names. */
interface InternalFields {
  code?: unknown
  unknownCode?: unknown
  allowedValuesKey?: unknown
  id?: unknown
  prefixItems?: unknown
}

/** Bounds that zod adds to every integer. They are not limits of the field. */
const isDefaultBound = (value: number | undefined) => value !== undefined && Math.abs(value) === Number.MAX_SAFE_INTEGER

/** Builds JSON Schema draft 2020-12, the dialect of OpenAPI 3.1. `input` is for requests, `output` for responses. */
export function jsonSchema(type: z.ZodType, io: 'input' | 'output', owner: string): Schema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    // zod's types of JSON Schema are wider than the schemas of the tables.
    override: ({ jsonSchema: node, path }) => tidySchema(node as Schema & InternalFields, io, owner, path),
  })
  // zod's types of JSON Schema are wider than the schemas of the tables.
  return schema as Schema
}

function tidySchema(
  node: Schema & InternalFields,
  io: 'input' | 'output',
  owner: string,
  path: readonly (string | number)[],
): void {
  delete node.code
  delete node.unknownCode
  delete node.allowedValuesKey
  delete node.id
  // `prefixItems` only expresses that a list is not empty.
  delete node.prefixItems
  // Answers may get more fields; only requests of the control API reject unknown ones.
  if (node.additionalProperties === false && (io === 'output' || !owner.startsWith('Sandbox')))
    delete node.additionalProperties
  if (isDefaultBound(node.minimum)) delete node.minimum
  if (isDefaultBound(node.maximum)) delete node.maximum
  if (node.format === 'date-time') {
    if (node.pattern?.endsWith('(?:Z))$') === true) node.pattern = 'Z$'
    else delete node.pattern
  } else if (node.format !== undefined) delete node.pattern
  const field = path.at(-1)
  if (path.at(-2) !== 'properties' || typeof field !== 'string') return
  const isOurs = owner.startsWith('Sandbox')
  if (isOurs && (node.description !== undefined || ambiguous.includes(field))) return
  const note = noteOf(io, owner, namesIn(path))
  // zod visits an optional field twice.
  if (note === undefined || node.description?.startsWith(note) === true) return
  node.description = node.description === undefined ? note : `${note} ${sentence(node.description)}`
}

const namesIn = (path: readonly (string | number)[]) => path.filter((_, index) => path[index - 1] === 'properties')

/** The most specific note of a field. `Schema.name` describes only a field of the schema itself, not one within its fields. */
function noteOf(io: 'input' | 'output', owner: string, names: readonly (string | number)[]): string | undefined {
  const field = names.at(-1)
  const keys =
    names.length > 1 ? [`${owner}.${names.at(-2)}.${field}`, `${names.at(-2)}.${field}`] : [`${owner}.${field}`]
  if (io === 'input') keys.push(`request.${field}`)
  return [...keys, `${field}`].map((key) => fieldDescriptions[key]).find((note) => note !== undefined)
}

/** Names with another meaning in the control API and in the output of commands. */
const ambiguous = [
  'id',
  'status',
  'type',
  'error_code',
  'name',
  'message',
  'postback_url',
  'request_id',
  'files',
  'timestamp',
  'reason',
]

const sentence = (text: string) => `${capitalized(text)}${text.endsWith('.') ? '' : '.'}`
