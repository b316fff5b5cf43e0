/** Describes the bodies of answers and events, from the tables of the platform API. */

import * as z from 'zod'
import { type EndpointName, type EventName, endpoints, eventTable, tokenLifeMs } from '../../../inside/platform.js'
import { fieldAt, isKeyOf, rowAt, secondMs } from '../../../inside/values.js'

/** The part of JSON Schema that a comparison reads. */
export interface Shape {
  type?: string | string[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  enum?: unknown[]
  const?: unknown
  anyOf?: Shape[]
  oneOf?: Shape[]
  format?: string
  pattern?: string
  description?: string
  'x-assumed'?: true
  'x-assumed-choice'?: string
}

const text: Shape = { type: 'string' }
const utcPattern = 'Z$'
const utc: Shape = { type: 'string', format: 'date-time', pattern: utcPattern }
const object = (properties: Record<string, Shape>, optional: readonly string[] = []): Shape => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

/** Built on first use, because zod is slow. */
const shapes = new Map<string, Shape>()
function shapeOf(name: string, make: () => Shape): Shape {
  const shape = shapes.get(name) ?? make()
  shapes.set(name, shape)
  return shape
}

const fromSchema = (schema: z.ZodType): Shape =>
  // zod's output has more fields than a comparison reads.
  z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Shape

/** The complete body of a successful answer. */
export function answerShape(name: EndpointName): Shape {
  return shapeOf(name, () => {
    const data = fromSchema(endpoints[name].response)
    if (name === 'token')
      return {
        ...data,
        properties: { ...data.properties, expires_in: { type: 'integer', const: tokenLifeMs / secondMs } },
      }
    return object({ success: { const: true, type: 'boolean' }, data, request_id: text, timestamp: utc })
  })
}

/** The body of every error (§7), without the details of single codes. */
const errorShape: Shape = object({
  success: { const: false, type: 'boolean' },
  error: object({
    code: text,
    message: text,
    group: text,
    retryable: { type: 'boolean' },
    details: { type: 'object', 'x-assumed': true },
  }),
})

/** Fields of `error` that §7 documents, by code. */
const documentedErrors: Readonly<Record<string, Record<string, Shape>>> = {
  UNSUPPORTED_CHAIN: { details: object({ supported: { type: 'array', items: { ...text, 'x-assumed': true } } }) },
  EXCEEDS_MAX_LIMIT: { details: object({ max_amount: { type: 'number' } }) },
  PROVIDER_ERROR: { retryable: { type: 'boolean', const: true } },
}

/** The body of an error with this code. */
export const errorShapeOf = (code: string | null): Shape => {
  const fields = code === null || !isKeyOf(documentedErrors, code) ? undefined : documentedErrors[code]
  if (fields === undefined) return errorShape
  const error = errorShape.properties?.error
  const properties = { ...error?.properties, ...fields }
  return { ...errorShape, properties: { ...errorShape.properties, error: { ...error, properties } } }
}

export function eventShape(name: EventName): Shape {
  return shapeOf(name, () =>
    object({
      event: { const: name, type: 'string' },
      timestamp: { type: 'string', format: 'date-time' },
      transaction_id: text,
      data: fromSchema(eventTable[name].data()),
    }),
  )
}

const options = (shape: Shape): Shape[] => shape.anyOf ?? shape.oneOf ?? [shape]

/** The variant of a union that the sandbox's object matches, with the marks of the union. */
export function variantFor(shape: Shape, sample: unknown): Shape {
  const all = options(shape).flatMap(options)
  if (all.length === 1) return { ...shape, ...all[0] }
  const marks = shape['x-assumed'] === true ? { 'x-assumed': true as const } : {}
  if (sample === null || typeof sample !== 'object') {
    const plain = all.find(({ type }) => type !== 'null' && type !== 'object') ?? all[0]
    return { ...plain, ...marks, ...choiceOf(shape) }
  }
  const names = Object.keys(sample)
  const scored = all.map((one) => ({
    one,
    score: names.filter((name) => fits(rowAt(one.properties, name), fieldAt(sample, name))).length,
  }))
  const [best] = scored.sort((left, right) => right.score - left.score)
  return { ...best?.one, ...marks, ...choiceOf(shape) }
}

const choiceOf = (shape: Shape) =>
  shape['x-assumed-choice'] === undefined ? {} : { 'x-assumed-choice': shape['x-assumed-choice'] }

const fits = (shape: Shape | undefined, value: unknown) =>
  shape !== undefined && (shape.const === undefined || shape.const === value)

export const mayBeNull = (shape: Shape): boolean => options(shape).some(({ type }) => [type].flat().includes('null'))

/** Distinguishes zod's two patterns for moments: this one has no offset. */
export const isUtc = (pattern: string | undefined): boolean =>
  pattern === utcPattern || pattern?.endsWith('(?:Z))$') === true

/** Describes in a few words what is documented about a field. */
export function describeShape(shape: Shape, isRequired: boolean): string {
  const { const: one, enum: several, format, pattern } = variantFor(shape, '')
  const type = [variantFor(shape, '').type].flat().join(' or ')
  const form = format === 'date-time' ? (isUtc(pattern) ? 'ISO 8601 UTC' : 'ISO 8601') : type
  const values =
    one !== undefined
      ? `, always ${JSON.stringify(one)}`
      : several === undefined
        ? ''
        : `, one of ${several.join(', ')}`
  return `${form}${values}${isRequired ? ', always present' : ', optional'}`
}
