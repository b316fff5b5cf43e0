/** The JSON Schemas (`Shape`) of the bodies of answers and events, from the tables of the platform API. */

import * as z from 'zod'
import { type EndpointName, type EventName, endpoints, eventTable, tokenLifeMs } from '../../../inside/platform.js'
import { fieldAt, isKeyOf, rowAt, secondMs } from '../../../inside/values.js'

/** The keywords of JSON Schema that a comparison reads. */
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
  /** The documentation does not say that the field exists; the sandbox assumes it. */
  'x-assumed'?: true
  /** The documented field has a detail that the sandbox assumes, and this describes it. */
  'x-assumed-choice'?: string
  /** The documentation says that the field exists, and nothing else about it. */
  isNamed?: true
}

const string: Shape = { type: 'string' }
const utcPattern = 'Z$'
const utcTime: Shape = { type: 'string', format: 'date-time', pattern: utcPattern }
const object = (properties: Record<string, Shape>, optional: readonly string[] = []): Shape => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

/** Shapes are built on first use, because zod needs long for one. */
const shapes = new Map<string, Shape>()
function cachedShape(name: string, make: () => Shape): Shape {
  const shape = shapes.get(name) ?? make()
  shapes.set(name, shape)
  return shape
}

const fromSchema = (schema: z.ZodType): Shape =>
  // zod's output has more fields than a comparison reads.
  z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Shape

/** The complete body of a successful answer. */
export function answerShape(name: EndpointName): Shape {
  return cachedShape(name, () => {
    const data = fromSchema(endpoints[name].response())
    if (name === 'token')
      return {
        ...data,
        properties: { ...data.properties, expires_in: { type: 'integer', const: tokenLifeMs / secondMs } },
      }
    const { balances } = data.properties ?? {}
    const { currency, available, blocked, pending } = balances?.items?.properties ?? {}
    if (name === 'balance')
      for (const one of [balances?.items, currency, available, blocked, pending])
        Object.assign(one ?? {}, { isNamed: true })
    return object({ success: { const: true, type: 'boolean' }, data, request_id: string, timestamp: utcTime })
  })
}

/** The body of every error: interface.md §7, without the fields that only some codes have. */
const errorShape: Shape = object({
  success: { const: false, type: 'boolean' },
  error: object({
    code: string,
    message: string,
    group: string,
    retryable: { type: 'boolean' },
    details: { type: 'object' },
  }),
})

/** Fields of `error` that only some codes have, by code. */
const fieldsOfErrors: Readonly<Record<string, Record<string, Shape>>> = {
  UNSUPPORTED_CHAIN: { details: object({ supported: { type: 'array', items: { ...string, 'x-assumed': true } } }) },
  EXCEEDS_MAX_LIMIT: { details: object({ max_amount: { type: 'number' } }) },
  PROVIDER_ERROR: { retryable: { type: 'boolean', const: true } },
}

/** The body of an error with this code. */
export const errorShapeFor = (code: string | null): Shape => {
  const fields = code === null || !isKeyOf(fieldsOfErrors, code) ? undefined : fieldsOfErrors[code]
  if (fields === undefined) return errorShape
  const error = errorShape.properties?.error
  const properties = { ...error?.properties, ...fields }
  return { ...errorShape, properties: { ...errorShape.properties, error: { ...error, properties } } }
}

export function eventShape(name: EventName): Shape {
  return cachedShape(name, () =>
    object({
      event: { const: name, type: 'string' },
      timestamp: { type: 'string', format: 'date-time' },
      transaction_id: string,
      data: fromSchema(eventTable[name].data()),
    }),
  )
}

const variants = (shape: Shape): Shape[] => shape.anyOf ?? shape.oneOf ?? [shape]

/** The variant of a union that fits a value best, with the union's `x-assumed` and `x-assumed-choice`. */
export function variantFor(shape: Shape, sample: unknown): Shape {
  const all = variants(shape).flatMap(variants)
  const marks = shape['x-assumed'] === true ? { 'x-assumed': true as const } : {}
  if (sample === null || typeof sample !== 'object') {
    const plain = all.find(({ type }) => type !== 'null' && type !== 'object') ?? all[0]
    return { ...plain, ...marks, ...choiceMark(shape) }
  }
  const names = Object.keys(sample)
  const scored = all.map((variant) => ({
    variant,
    score: names.filter((name) => canHold(rowAt(variant.properties, name), fieldAt(sample, name))).length,
  }))
  const [best] = scored.sort((left, right) => right.score - left.score)
  return { ...best?.variant, ...marks, ...choiceMark(shape) }
}

const choiceMark = (shape: Shape) =>
  shape['x-assumed-choice'] === undefined ? {} : { 'x-assumed-choice': shape['x-assumed-choice'] }

const canHold = (shape: Shape | undefined, value: unknown) =>
  shape !== undefined && (shape.const === undefined || shape.const === value)

export const mayBeNull = (shape: Shape): boolean => variants(shape).some(({ type }) => [type].flat().includes('null'))

/** zod's pattern for a moment either requires UTC (`Z`) or allows an offset. */
export const isUtcPattern = (pattern: string | undefined): boolean =>
  pattern === utcPattern || pattern?.endsWith('(?:Z))$') === true

/** Describes in a few words what is documented about a field. */
export function describeShape(shape: Shape, isRequired: boolean): string {
  const { const: one, enum: several, format, pattern } = variantFor(shape, '')
  const type = [variantFor(shape, '').type].flat().join(' or ')
  const form = format === 'date-time' ? (isUtcPattern(pattern) ? 'ISO 8601 UTC' : 'ISO 8601') : type
  const values =
    one !== undefined
      ? `${form}, always ${JSON.stringify(one)}`
      : several === undefined
        ? form
        : `${form}, one of ${several.join(', ')}`
  return isRequired ? `${values}, always present` : `${values}, optional`
}
