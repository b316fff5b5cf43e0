/** The parts of OpenAPI 3.1 that our document uses. */

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
