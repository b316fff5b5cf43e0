/** Validates the input of the control API against the schema of its route: unknown fields, wrong values, and suggestions for both. */

import * as z from 'zod'
import { JsonNumber } from '../../base/json.js'
import { didYouMean, nearest } from '../../base/text.js'
import { droppedKey, fieldAt } from '../../base/unknown.js'
import { nearestName } from '../../protocol/actions/nearest-name.js'
import { ApiError, type ErrorCode, invalid } from '../../protocol/platform/errors.js'
import { innerTypeOf, typeAt, typeIn, unwrapType } from '../../protocol/platform/fields.js'

type Issue = z.core.$ZodIssue
type Fields = Record<string, unknown>

/** What error messages call an input: `field` in a body, `parameter` in a path or query. */
export type InputKind = 'field' | 'parameter'

/**
 * Throws 400 MISSING_REQUIRED_FIELD, else 422 INVALID_VALUE (or the field's own code) with field and rule. Unknown
 * names are reported last.
 */
export function validateInput<Schema extends z.ZodType>(
  schema: Schema,
  input: Fields,
  kind: InputKind,
): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) {
    const dropped = droppedKey(input, result.data)
    // An object that ignores unknown fields ignores this one, too.
    const holder = dropped && typeAt(schema, dropped.slice(0, -1))
    if (dropped === undefined || (holder !== undefined && unwrapType(holder) instanceof z.ZodObject)) return result.data
    throw unknownName(schema, dropped.slice(0, -1), dropped.at(-1) ?? '', kind)
  }
  const issues = result.error.issues.map((one) => ({ ...one, path: givenPath(input, one.path) }))
  const variant = variantOf(schema, input)
  const issue =
    issues.find((one) => isMissing(variant, input, one)) ??
    issues.find((one) => one.code !== 'unrecognized_keys') ??
    issues[0]
  throw issue === undefined ? invalid('', 'is invalid') : errorFor(variant, input, issue, kind)
}

/** Shortens a path to the value that was given in place of an object: `"20/s"` instead of `{"rate": "20/s"}`. */
function givenPath(input: Fields, path: PropertyKey[]): PropertyKey[] {
  const isValue = (value: unknown) =>
    value instanceof JsonNumber || ['string', 'number', 'boolean'].includes(typeof value)
  const end = path.findIndex((_, at) => isValue(valueAt(input, path.slice(0, at + 1))))
  return end < 0 ? path : path.slice(0, end + 1)
}

/** Returns whether a field is missing. An issue of a rule about several fields has no field path, so it is never a missing field. */
const isMissing = (schema: z.ZodType, input: Fields, { code, path }: Issue) =>
  code !== 'unrecognized_keys' && valueAt(input, path) === undefined && typeAt(schema, path) !== undefined

function errorFor(schema: z.ZodType, input: Fields, issue: Issue, kind: InputKind): ApiError {
  if (issue.code === 'unrecognized_keys') return unknownName(schema, issue.path, issue.keys[0] ?? '', kind)
  const field = issue.path.join('.')
  const value = valueAt(input, issue.path)
  if (isMissing(schema, input, issue)) return new ApiError('MISSING_REQUIRED_FIELD', { field }, `${field} is required.`)
  const names = namesOf(issue)
  const { code, allowedValuesKey = 'supported' } = metaOf(typeAt(schema, issue.path))
  if (names === null) return invalid(field, issue.message, {}, code)
  const guess = typeof value === 'string' ? nearestName(value, names) : null
  const rule = `must be one of ${names.join(', ')}${didYouMean(guess)}`
  return invalid(field, rule, { [allowedValuesKey]: names, ...(guess === null ? {} : { did_you_mean: guess }) }, code)
}

/** Returns the allowed values, if the value must be one of a list. */
function namesOf(issue: Issue): readonly string[] | null {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  const options = fieldAt(issue, 'options')
  return issue.code === 'invalid_union' && Array.isArray(options) ? options.map(String) : null
}

function unknownName(schema: z.ZodType, path: readonly PropertyKey[], name: string, kind: InputKind): ApiError {
  const found = typeAt(schema, path)
  const type = found === undefined ? undefined : unwrapType(found)
  const known = type instanceof z.ZodObject ? Object.keys(type.shape) : []
  const { unknownCode } = metaOf(type)
  const field = [...path, name].join('.')
  if (unknownCode !== undefined) return new ApiError(unknownCode, { field, supported: known })
  return invalid(field, `is not a ${kind} of this call${didYouMean(nearest(name, known))}`, {
    [`${kind}s`]: known,
  })
}

interface Meta {
  code?: ErrorCode
  /** Error code for an unknown field of the object. */
  unknownCode?: ErrorCode
  /** Key of the allowed values in `details`. */
  allowedValuesKey?: string
}

function metaOf(type: z.ZodType | undefined): Meta {
  for (let inner = type; inner !== undefined; inner = innerTypeOf(inner)) {
    // Registered by `choice` and similar functions, which check the type.
    const meta = z.globalRegistry.get(inner) as Meta | undefined
    if (meta?.code !== undefined || meta?.unknownCode !== undefined || meta?.allowedValuesKey !== undefined) return meta
  }
  return {}
}

/** Returns the variant of a discriminated union that the input selects. */
function variantOf(schema: z.ZodType, input: Fields): z.ZodType {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema
  const name = schema.def.discriminator
  const options = schema.options.filter((option) => option instanceof z.ZodObject)
  return options.find((option) => typeIn(option, name)?.safeParse(input[name]).success) ?? options[0] ?? schema
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown => path.reduce(fieldAt, input)
